"""The explorer: positions are addresses, and every move is a link."""

import unittest

from site_under_test import PHONE, BrowserTest

DEAL = "/collapsi?position=A332/234Jx/3A42/A2AJo+x"


class Explorer(BrowserTest):
    def test_the_first_page_leads_to_every_game(self):
        self.page.goto("/")
        self.shot("index")
        for game in ["collapsi", "2048", "tak"]:
            self.page.goto("/")
            self.page.get_by_role("navigation", name=game).get_by_role("link", name="Explore").click()
            self.assertIn(f"/{game}", self.page.url)
            self.assertEqual(self.page.locator("svg.board").count(), 1)

    def test_a_position_is_an_address_and_moves_are_links(self):
        self.page.goto(DEAL)
        self.shot("collapsi")
        self.assertEqual(self.headline(), "X wins in 13 plies")
        winning = self.page.locator(".moves.win .move .name").all_inner_texts()
        losing = self.page.locator(".moves.loss .move .name").all_inner_texts()
        self.assertEqual((winning, losing), (["73", "74", "76"], ["7b"]))
        self.page.locator('.move[data-move="7b"]').click()
        self.assertEqual(self.headline(), "O wins in 11 plies")
        self.page.go_back()
        self.assertEqual(self.headline(), "X wins in 13 plies")
        self.page.go_forward()
        self.assertEqual(self.headline(), "O wins in 11 plies")

    def test_the_board_itself_can_be_clicked(self):
        self.page.goto(DEAL)
        self.assertEqual(self.page.get_by_role("link", name="JSON").count(), 1)
        self.page.locator('svg a.target[aria-label="7b"]').click()
        self.assertEqual(self.headline(), "O wins in 11 plies")

    def test_best_moves_lead_to_the_end_of_the_game(self):
        self.page.goto(DEAL)
        for left in range(13, 0, -1):
            self.assertIn(f"wins in {left}" if left % 2 else f"loses in {left}", self.headline())
            self.page.locator(".move.best").first.click()
        self.assertEqual(self.headline(), "The game is over: x wins")
        self.shot("collapsi-over")

    def test_the_line_of_best_play_is_links_to_the_same_end(self):
        self.page.goto(DEAL)
        line = self.page.locator(".line a")
        self.assertEqual(line.count(), 13)
        line.last.click()
        self.assertEqual(self.headline(), "The game is over: x wins")

    def test_keys_play_the_best_move_and_take_it_back(self):
        self.page.goto(DEAL)
        self.page.keyboard.press("Space")
        self.page.wait_for_url(lambda url: url.endswith("o"))
        self.assertEqual(self.headline(), "O loses in 12 plies")
        self.page.keyboard.press("u")
        self.page.wait_for_url(lambda url: url.endswith("x"))
        # Down walks along the moves, the best first, and right follows.
        for _ in range(4):
            self.page.keyboard.press("ArrowDown")
        self.page.keyboard.press("ArrowRight")
        self.page.wait_for_url(lambda url: url.endswith("o"))
        self.assertEqual(self.headline(), "O wins in 11 plies")

    def test_chance_moves_are_links_too(self):
        self.page.goto("/2048?position=16,8,0/8,2,0")
        self.shot("2048-chance-of-a-tile")
        self.assertEqual(self.headline(), "54.6 % to reach 32")
        self.page.keyboard.press("ArrowRight")
        self.page.wait_for_url("**&move=right")
        self.assertIn("54.6 % on average", self.headline())
        # What chance does is no question to the interface.
        self.assertEqual(self.page.get_by_role("link", name="JSON").count(), 0)
        spawns = self.page.locator(".moves.chance .move")
        self.assertEqual(spawns.count(), 4)
        self.shot("2048-spawns")
        likely = self.page.locator(".chance .chance").all_inner_texts()
        self.assertEqual(sorted(likely), ["45.0 % likely"] * 2 + ["5.0 % likely"] * 2)
        spawns.first.click()
        self.assertIn("to reach 32", self.headline())

    def test_a_pair_of_stones_is_a_stack(self):
        self.page.goto("/tak?position=x3/x,12S,x/1,x2+2+3&flats=4")
        self.shot("tak")
        self.assertIn("small-tak", self.page.locator(".source").inner_text())
        self.assertEqual(self.page.locator("svg .stone").count(), 3)

    def test_what_is_not_known_is_said_with_what_would_make_it_known(self):
        # Under the other rule no table that is served has the deal.
        self.page.goto(DEAL + "&rules=wild")
        self.assertIn("No table that is served has this position", self.page.content())
        self.assertIn("Solved by search", self.page.locator(".source").inner_text())
        self.page.goto("/2048?position=2,0,0/0,0,0/0,0,2")
        self.assertIn("not exact", self.page.locator(".source").inner_text())
        command = self.page.locator(".commands code").first.inner_text()
        self.assertEqual(command, "endtable generate 2048 --board 3x3 --objective score --out 3x3.etb")
        self.page.goto("/tak?position=x5/x5/x5/x5/x5+1+1")
        self.assertIn("Not decided within", self.headline())
        self.assertIn("endtable solve tak", self.page.locator(".commands").inner_text())
        self.shot("tak-not-decided")

    def test_what_is_no_position_is_refused_with_a_sentence(self):
        self.allowed.append("400")
        self.page.goto("/collapsi?position=nonsense")
        self.assertIn("expected a position", self.page.locator(".problem").inner_text())

    def test_a_phone_shows_it_all(self):
        phone = self.open(viewport=PHONE, is_mobile=True, has_touch=True)
        for name, address in [
            ("index", "/"), ("explore", DEAL), ("edit", "/collapsi/edit"), ("tak-edit", "/tak/edit"),
            ("play", "/play/collapsi"), ("play-2048", "/play/2048"), ("tables", "/tables"),
            ("table", "/tables/0"), ("api", "/api"),
        ]:
            phone.goto(address)
            self.shot(f"phone-{name}", phone)
            self.assertTrue(self.narrow(phone), address)

    def test_dark_and_light_differ(self):
        colours = []
        for scheme in ["light", "dark"]:
            page = self.open(color_scheme=scheme)
            page.goto(DEAL)
            self.shot(f"explore-{scheme}", page)
            colours.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        self.assertNotEqual(*colours)

    def test_everything_has_a_name_for_who_cannot_see_it(self):
        for address in ["/", DEAL, "/tak/edit", "/play/collapsi", "/play/2048", "/tables/0"]:
            self.page.goto(address)
            self.assertEqual(self.page.locator("h1").count(), 1, address)
            self.assertEqual(self.page.get_by_role("main").count(), 1, address)
            unnamed = self.page.evaluate(
                """[...document.querySelectorAll("a, button, input:not([type=hidden]), select")].filter(
                    (it) => !(it.labels?.length || it.getAttribute("aria-label") || it.textContent.trim())
                ).map((it) => it.outerHTML)""")
            self.assertEqual(unnamed, [], address)
            ids = self.page.evaluate("[...document.querySelectorAll('[id]')].map((it) => it.id)")
            self.assertEqual(len(ids), len(set(ids)), address)
        self.page.goto(DEAL)
        words = self.page.locator("#board-words").text_content()
        self.assertIn("Row 2: two, three, four, joker with pawn x.", words)


class WithoutScript(BrowserTest):
    def setUp(self):
        super().setUp()
        self.page = self.open(java_script_enabled=False)

    def test_a_game_is_followed_to_its_end(self):
        self.page.goto("/collapsi?position=A3../.3../3Ao../Ax...+x")
        for _ in range(3):
            self.page.locator(".move.best").first.click()
        self.assertEqual(self.headline(), "The game is over: x wins")

    def test_cards_are_edited(self):
        self.page.goto(DEAL)
        self.page.get_by_role("link", name="Edit").click()
        self.shot("collapsi-edit")
        # The two fours swap places with the cards beside them.
        self.page.get_by_label("row 2, column 3").select_option("3")
        self.page.get_by_label("row 2, column 2").select_option("4")
        self.page.get_by_label("To move").select_option("o")
        self.page.get_by_label("From its joker").select_option("wild")
        self.page.get_by_role("button", name="Show this position").click()
        self.assertIn("position=A332/243Jx/3A42/A2AJo+o&rules=wild", self.page.url)
        self.assertRegex(self.headline(), "^O (wins|loses) in")

    def test_a_deal_is_dealt_by_its_seed(self):
        self.page.goto("/collapsi/edit")
        self.page.get_by_label("The deal of a seed").fill("1")
        self.page.get_by_role("button", name="Deal").click()
        self.assertEqual(self.headline(), "X wins in 13 plies")

    def test_a_deal_is_dealt_at_random(self):
        self.page.goto("/collapsi/edit?position=1&rules=wild")
        self.page.get_by_role("link", name="A random deal").click()
        self.assertRegex(self.page.url, r"position=[A234Jxo/]{21}\+x&rules=wild$")

    def test_tiles_are_edited_and_the_table_chosen(self):
        self.page.goto("/2048/edit?position=2,4,0/0,2,0")
        self.page.get_by_label("row 1, column 1").select_option("16")
        self.page.get_by_label("Answers from").select_option("a search")
        self.page.get_by_role("button", name="Show this position").click()
        self.assertIn("looks best", self.headline())
        # It stays chosen along the moves, and in the editor.
        self.page.locator(".move.best").first.click()
        self.page.locator(".move").first.click()
        self.assertIn("looks best", self.headline())
        self.page.get_by_role("link", name="Edit").click()
        self.assertEqual(self.page.get_by_label("Answers from").input_value(), "search")
        self.page.get_by_label("Answers from").select_option("2x3-32.etb")
        self.page.get_by_role("button", name="Show this position").click()
        self.assertIn("to reach 32", self.headline())
        self.page.goto("/2048/edit")
        self.page.get_by_role("link", name="2x3", exact=True).click()
        self.assertEqual(self.page.locator(".cells select").count(), 6)
        self.page.get_by_role("link", name="pattern L3").click()
        self.assertEqual(self.page.locator(".cells select").count(), 16)

    def test_stacks_are_edited(self):
        self.page.goto("/tak/edit?position=x3/x3/x3+1+1")
        self.page.get_by_label("row 1, column 1").fill("12S")
        self.page.get_by_label("row 2, column 2").fill("1")
        self.page.get_by_label("To move").select_option("black")
        self.page.get_by_label("Number of the move").fill("3")
        self.shot("tak-edit")
        self.page.get_by_role("button", name="Show this position").click()
        self.assertIn("position=12S,x2/x,1,x/x3+2+3", self.page.url)

    def test_what_cannot_be_is_said_beside_the_form(self):
        self.page.goto("/tak/edit?position=x3/x3/x3+1+1")
        self.page.get_by_label("row 1, column 1").fill("3")
        self.page.get_by_role("button", name="Show this position").click()
        self.assertIn("a3: expected x, 1 or 2", self.page.get_by_role("alert").inner_text())
        self.assertEqual(self.page.get_by_label("row 1, column 1").input_value(), "3")


if __name__ == "__main__":
    unittest.main()
