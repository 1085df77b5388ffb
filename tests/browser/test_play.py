"""Games: 2048 by hand and by the bot, the others against perfect play."""

import re
import unittest

from playwright.sync_api import expect

from site_under_test import PHONE, BrowserTest


class Play2048(BrowserTest):
    def score(self):
        return int(self.page.locator("#score").inner_text().replace(",", ""))

    def values(self):
        """The tiles, as the board's label reads them out."""
        return self.page.locator("#board").get_attribute("aria-label")

    def turn_bot(self, word):
        self.page.get_by_role("button", name=f"Turn the bot {word}").click()

    def rate(self):
        return float(self.page.locator("#rate").inner_text().split()[0])

    def test_keys_slide_and_u_takes_back(self):
        self.page.goto("/play/2048?position=2,2,0,0/0,0,0,0/0,0,0,0/4,0,0,4")
        before = self.values()
        self.page.keyboard.press("ArrowLeft")
        self.assertEqual(self.score(), 12)
        self.assertTrue(self.values().startswith("Row 1: 4,"))
        self.assertIn("Row 4: 8,", self.values())
        self.page.keyboard.press("u")
        self.assertEqual((self.values(), self.score()), (before, 0))
        self.assertEqual(self.page.locator("#best").inner_text(), "12")

    def test_hints_are_bars(self):
        self.page.goto("/play/2048?position=2,16,8/8,2,2")
        best = self.page.locator(".hint.best")
        expect(best.locator(".value")).to_have_text("10.0 %")
        self.assertEqual(best.get_attribute("data-move"), "left")
        self.assertIn("exact", self.page.locator("#source").inner_text())
        self.shot("play-2048-hints")
        self.page.get_by_label("Ask the tables first").uncheck()
        expect(self.page.locator("#source")).to_contain_text("search")
        self.page.locator("#board").focus()
        self.page.keyboard.press("Space")
        expect(self.page.locator("#undo")).to_be_enabled()

    def test_a_swipe_slides(self):
        phone = self.open(viewport=PHONE, is_mobile=True, has_touch=True)
        phone.goto("/play/2048?position=0,2,0,0/0,0,0,0/0,0,0,0/0,0,0,0")
        box = phone.locator("#board").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        phone.mouse.move(x, y)
        phone.mouse.down()
        phone.mouse.move(x + 90, y + 10, steps=4)
        phone.mouse.up()
        self.assertTrue(
            re.match(r"Row 1: \w+, \w+, \w+, 2\.", phone.locator("#board").get_attribute("aria-label")))

    def test_the_bot_starts_goes_faster_and_stops_at_once(self):
        self.page.goto("/play/2048")
        self.page.locator("#speed").fill("5")
        self.turn_bot("on")
        expect(self.page.locator("#rate")).not_to_be_empty()
        self.assertLess(self.rate(), 8)
        self.page.locator("#speed").fill("60")
        self.assertEqual(self.page.locator("#speed-text").inner_text(), "60 moves a second")
        expect(self.page.locator("#rate")).to_have_text(re.compile(r"^([89]|\d\d)"))
        # It waits for the server and the clock only: the page draws and answers meanwhile.
        self.page.evaluate("""new Promise((resolve) => {
            let frames = 0;
            const frame = () => (++frames < 30 ? requestAnimationFrame(frame) : resolve());
            frame();
        })""")
        self.shot("play-2048-bot")
        self.turn_bot("off")
        board = self.values()
        self.page.wait_for_timeout(300)
        self.assertEqual(self.values(), board)

    def test_the_bot_plays_a_whole_game_and_stops_at_its_end(self):
        self.page.goto("/play/2048?board=2x2")
        self.page.locator("#speed").fill("60")
        self.turn_bot("on")
        expect(self.page.locator("#status")).to_contain_text("Game over")
        self.page.get_by_role("button", name="Turn the bot on").wait_for()
        self.shot("play-2048-over")
        self.assertGreater(self.score(), 0)
        self.assertIn(f"{self.score():,} points", self.page.locator("#status").inner_text())
        self.page.keyboard.press("n")
        self.assertEqual(self.score(), 0)

    def test_a_server_that_is_gone_stops_the_bot_with_a_sentence(self):
        self.allowed.append("Failed to load resource")
        self.page.goto("/play/2048")
        self.page.route("**/api/**", lambda route: route.abort())
        self.turn_bot("on")
        self.page.get_by_role("button", name="Turn the bot on").wait_for()
        expect(self.page.locator("#status")).not_to_be_empty()


class PlayForTwo(BrowserTest):
    def test_collapsi_is_won_with_the_advice_of_the_page(self):
        self.page.goto("/play/collapsi?position=1&hints=1")
        self.shot("play-collapsi")
        while "over" not in self.headline():
            self.page.locator(".move.best").first.click()
        self.assertEqual(self.headline(), "The game is over: x wins")
        self.assertEqual(self.page.locator(".record li").count(), 13)
        self.assertEqual(self.page.locator(".cost").count(), 0)

    def test_a_mistake_is_said_and_taken_back(self):
        self.page.goto("/play/collapsi?position=1")
        self.page.locator('svg a.target[aria-label="7b"]').click()
        cost = self.page.locator(".cost").inner_text()
        self.assertEqual(cost, "gives away a win in 13: now lost in 12")
        # The other side has answered.
        self.assertEqual(self.page.locator(".record li").count(), 2)
        self.shot("play-collapsi-mistake")
        self.page.keyboard.press("u")
        self.page.wait_for_url(lambda url: "moves" not in url)
        self.assertEqual(self.page.locator(".record li").count(), 0)

    def test_either_side_and_either_rule(self):
        self.page.goto("/play/collapsi")
        self.page.get_by_label("Side").select_option("you are o")
        self.page.get_by_label("From its joker").select_option("wild")
        self.page.get_by_label("Start").fill("3")
        self.page.get_by_role("button", name="Begin").click()
        self.assertEqual(self.headline(), "Your move: you are o")
        self.assertIn("rules=wild", self.page.url)
        self.assertEqual(self.page.locator(".record li").count(), 1)

    def test_a_new_game_is_dealt_at_random_and_stays(self):
        self.page.goto("/play/collapsi")
        self.page.get_by_role("button", name="Begin").click()
        self.assertRegex(self.page.url, r"position=[A234Jxo/]{21}\+x")
        before = self.page.locator("#board-words").text_content()
        self.page.reload()
        self.assertEqual(self.page.locator("#board-words").text_content(), before)

    def test_tak_is_played_on_the_board_with_the_solvers_word_on_it(self):
        self.page.goto("/play/tak?position=x3/x3/x3+1+1&flats=4&hints=1")
        self.assertRegex(self.page.locator(".source").inner_text(), "White (wins|loses|draws)")
        self.page.locator('svg a.target[aria-label="a1"]').click()
        self.assertEqual(self.page.locator(".record li").count(), 2)
        self.page.get_by_label("Type a move").fill("b2" if "b2" in self.offers() else self.offers()[0])
        self.page.get_by_role("button", name="Move").click()
        self.assertEqual(self.page.locator(".record li").count(), 4)
        self.shot("play-tak")

    def offers(self):
        return self.page.locator(".move .name").all_inner_texts()

    def test_a_move_that_is_none_is_refused(self):
        self.allowed.append("400")
        self.page.goto("/play/tak?position=x3/x3/x3+1+1&flats=4")
        self.page.get_by_label("Type a move").fill("z9")
        self.page.get_by_role("button", name="Move").click()
        self.assertIn("z9", self.page.locator(".problem").inner_text())


if __name__ == "__main__":
    unittest.main()
