"""Tables of every kind answer as the program does."""

import json
import shutil
import unittest
from collections.abc import Callable
from typing import Any

import endtable
import numpy
from kinds import DEAL, KEYED, KINDS, SHIPPED, Kind, folder, from_program, games, open_kind, run, table


def as_json(answer: endtable.Answer) -> dict[str, Any]:
    """The members that an answer shares with the objects that the program prints."""
    words: dict[str, Any] = {"game": answer.game, "position": answer.position}
    words |= {"result": answer.result, "plies": answer.plies, "unit": answer.unit}
    # The program lists them in the game's order, the package has the one first that is printed.
    words["best"] = sorted(answer.best)
    words["moves"] = [
        {"move": move.move, "result": move.result, "plies": move.plies} for move in answer.moves
    ]
    for each in (words, *words["moves"]):
        for name in [name for name, value in each.items() if value is None]:
            del each[name]
    return words


def values(answer: endtable.Answer) -> list[float | None]:
    return [answer.value, *(move.value for move in answer.moves)]


class EveryKind(unittest.TestCase):
    def each(self, test: Callable[[Kind, endtable.Tables], None], kinds: list[Kind] = KINDS) -> None:
        for kind in kinds:
            with self.subTest(kind.name), open_kind(kind) as tables:
                test(kind, tables)

    def test_answers_are_those_of_the_program(self) -> None:
        def test(kind: Kind, tables: endtable.Tables) -> None:
            texts = [position.text for position in games(kind, tables)]
            found = 0
            for text, expected in zip(texts, from_program(kind, texts), strict=True):
                answer = tables.probe(text)
                if expected.get("result") == "absent":
                    self.assertIsNone(answer)
                    continue
                found += 1
                numbers = [expected.pop("value", None)]
                numbers += [move.pop("value", None) for move in expected["moves"]]
                for name in ("rules", "key", "turn", "board", "rows"):
                    expected.pop(name, None)
                expected["best"].sort()
                self.assertEqual(as_json(answer), expected)
                for number, value in zip(numbers, values(answer), strict=True):
                    self.assertEqual(number is None, value is None)
                    if number is not None:
                        self.assertAlmostEqual(number, value, delta=1e-6 * max(1, number))
            self.assertGreater(found, 20)

        self.each(test)

    def test_many_are_answered_as_one_is(self) -> None:
        def test(kind: Kind, tables: endtable.Tables) -> None:
            positions = games(kind, tables)
            texts = [position.text for position in positions]
            expected = [tables.probe(text) for text in texts]
            arrays = [texts, iter(texts), tuple(texts), numpy.array(texts), numpy.array(texts, "S")]
            arrays += [numpy.array(texts, object), numpy.array(texts).astype(">U80")[::1]]
            for array in arrays:
                self.compare(tables.probe_many(array), expected)
            self.compare(tables.probe_many(numpy.array(texts)[::-2]), expected[::-2])
            self.compare(tables.probe_many(positions), [tables.probe(it) for it in positions])
            for empty in ([], numpy.array([], "U1"), numpy.array([], "S")):
                self.assertEqual(len(tables.probe_many(empty)), 0)

        self.each(test)

    def compare(self, rows: Any, answers: list[endtable.Answer | None]) -> None:
        self.assertEqual(len(rows), len(answers))
        for row, answer in zip(rows, answers):
            self.assertEqual(row["found"], answer is not None)
            if answer is None:
                self.assertEqual((row["result"], row["plies"], row["best"]), (0, -1, b""))
                continue
            self.assertEqual(row["plies"], -1 if answer.plies is None else answer.plies)
            self.assertEqual(row["best"].decode(), "".join(answer.best[:1]))
            if answer.value is None:
                self.assertTrue(numpy.isnan(row["value"]))
                self.assertEqual(row["result"], {"win": 1, "loss": -1}[answer.result])
            else:
                self.assertEqual((row["value"], row["result"] == 1), (answer.value, answer.value > 0))

    def test_lines_go_to_the_end(self) -> None:
        def test(kind: Kind, tables: endtable.Tables) -> None:
            answers = [(it, tables.probe(it)) for it in reversed(games(kind, tables))]
            start = next(position for position, answer in answers if answer and answer.best)
            line = tables.line(start)
            self.assertTrue(line)
            position = start
            for move, answer in line:
                self.assertEqual(answer, tables.probe(position))
                self.assertEqual(move, answer.best[0])
                position = position.play(move)
            if kind.game == "2048":
                self.assertTrue(len(line) <= 1 and position.turn == "chance" or position.over)
            else:
                self.assertIsNotNone(position.over)
                self.assertEqual(len(line), tables.probe(start).plies)

        self.each(test)

    def test_moves_are_those_of_the_answer(self) -> None:
        def test(kind: Kind, tables: endtable.Tables) -> None:
            for position in games(kind, tables, 3):
                answer = tables.probe(position)
                if answer is not None:
                    self.assertEqual(tables.moves(position), answer.moves)
                    best = {move.move for move in answer.moves if move.is_best}
                    self.assertEqual(best, set(answer.best))

        self.each(test)

    def test_records_are_what_is_probed(self) -> None:
        def test(kind: Kind, tables: endtable.Tables) -> None:
            blocks = list(tables.records(5000))
            self.assertTrue(all(0 < len(block) <= 5000 for block in blocks))
            records = numpy.concatenate(blocks)
            self.assertEqual(len(records), tables.info.records)
            self.assertEqual(records.dtype, next(tables.records()).dtype)
            if "key" in records.dtype.names:
                keys = [f"{key:016x}" for key in records["key"].tolist()]
            else:
                halves = zip(records["key_hi"].tolist(), records["key_lo"].tolist())
                keys = [f"{hi:016x}:{lo:016x}" for hi, lo in halves]
            rows = tables.probe_many(keys)
            self.assertTrue(rows["found"].all())
            self.assertTrue((rows["result"] == records["result"]).all())
            if "value" in records.dtype.names:
                self.assertTrue((rows["value"] == records["value"]).all())
            else:
                self.assertTrue((rows["plies"] == records["plies"]).all())
            if not kind.is_folder:
                self.assertTrue((rows["best"] == b"")[records["best"] == 65535].all())

        self.each(test)

    def test_records_are_those_of_the_export(self) -> None:
        def test(kind: Kind, tables: endtable.Tables) -> None:
            lines = run("export", table(kind.name), "--csv").splitlines()[1:]
            self.assertEqual(len(lines), tables.info.records)
            record = next(tables.records())[0]
            expected = lines[0].split(",")
            key = [f"{record[name]:016x}" for name in record.dtype.names if "key" in name]
            self.assertEqual(expected[0], "0x" + "".join(key))

        self.each(test, KEYED)

    def test_what_they_say_of_themselves(self) -> None:
        def test(kind: Kind, tables: endtable.Tables) -> None:
            info = tables.info
            self.assertEqual(info.game, kind.game)
            self.assertEqual(info.rules, tables.info.rules)
            self.assertGreater(info.records, 1000)
            self.assertEqual(info.files > 1, kind.is_folder)
            self.assertGreater(len(tables.statistics().splitlines()), 5)

        self.each(test)


class Opening(unittest.TestCase):
    def test_several_files_and_a_folder_are_searched_as_one(self) -> None:
        both = folder() / "both"
        both.mkdir()
        paths = [both / "0.etb", both / "1.etb"]
        shutil.copy(table("canonical"), paths[0])
        run("generate", "collapsi", "--seeds", "1..2", "--out", paths[1])
        for path in (paths, map(str, paths), both, [both]):
            with endtable.open(path) as tables:
                self.assertEqual(tables.info.files, 2)
                self.assertIsNotNone(tables.probe("0"))
                self.assertIsNotNone(tables.probe("1"))
                count = sum(len(block) for block in tables.records())
                self.assertEqual(count, tables.info.records)

    def test_forms_of_a_position(self) -> None:
        with endtable.open(SHIPPED) as tables:
            answer = tables.probe(DEAL)
            for text in ("1", answer.key, "5201,2818,0126,0440,0080,8000,0000,0", f" {DEAL} "):
                self.assertEqual(tables.probe(text), answer)
            self.assertEqual(tables.probe(tables.position(DEAL)), answer)
            self.assertEqual(tables.probe(endtable.position("collapsi", DEAL)), answer)

    def test_complete_tables_have_a_rule(self) -> None:
        with endtable.open(table("complete"), rules="wild") as wild:
            self.assertEqual(wild.info.rules, "wild")
        with endtable.open(table("complete"), rules=None) as one:
            self.assertEqual(one.info.rules, "one")


    def test_patterns_say_which_table_answered(self) -> None:
        path = folder() / "44-16.etb"
        run("generate", "2048", "--pattern", "44", "--objective", "tile:16", "--out", path)
        board = "0,0,2,0/2,0,0,0/512,64,128,256/4096,8192,16384,32768"
        told = json.loads(run("probe", path, board, "--moves", "--json"))
        with endtable.open(path) as tables:
            answer = tables.probe(board)
        self.assertEqual(answer.source, {name: told[name] for name in ("table", "pattern", "target")})
        self.assertEqual((answer.unit, list(answer.best)), ("chance", told["best"]))
        self.assertAlmostEqual(answer.value, told["value"], 7)
        self.assertEqual({move.move for move in answer.moves}, {move["move"] for move in told["moves"]})

    def test_tables_of_tak(self) -> None:
        path = folder() / "tak"
        run("generate", "tak", "--size", "3", "--flats", "3", "--out", path)
        with endtable.open(path) as tables:
            for text in ("x3/x3/x3 1 1", "x3/x,1,x/2,x2 1 2", "x3/x,12,x/x3 2 2"):
                told = json.loads(run("probe", path, text, "--moves", "--json"))
                answer = tables.probe(text)
                self.assertEqual((answer.result, answer.plies), (told["result"], told.get("plies")))
                self.assertEqual(sorted(answer.best), sorted(told["best"]))
                self.assertEqual(len(answer.moves), len(told["moves"]))
            self.assertGreater(len(tables.line("x3/x3/x3 1 1")), 3)


class Positions(unittest.TestCase):
    def test_play(self) -> None:
        start = endtable.position("collapsi", DEAL)
        self.assertEqual((start.game, start.text, start.turn, start.over), ("collapsi", DEAL, "x", None))
        self.assertEqual(start.fields["rules"], "one")
        self.assertIn("73", start.moves())
        after = start.play("73").play("fb")
        self.assertEqual(after, endtable.apply("collapsi", start, ["73", "fb"]))
        self.assertEqual(after, endtable.apply("collapsi", DEAL, "73 fb"))
        self.assertNotEqual(after, start)
        self.assertEqual(len({start, after, endtable.position("collapsi", "1")}), 2)
        self.assertEqual(repr(start), f'<endtable.Position collapsi "{DEAL}">')
        self.assertIn("\n", start.picture("73"))

    def test_fields_may_be_groups(self) -> None:
        start = endtable.position("tak", "x3/x3/x3 1 1", flats=8, komi=2.5)
        self.assertEqual(start.fields["stones"], {"flats": 8, "caps": 0})
        self.assertEqual((start.fields["size"], start.fields["komi"], start.turn), (3, "2.5", "white"))
        self.assertNotEqual(start, endtable.position("tak", "x3/x3/x3 1 1"))
        after = endtable.apply("tak", start, ["b2", "a1", "a1+", "c3", "a2>"])
        self.assertEqual((after.text, after.over), ("x2,2/x,21,x/x3 2 3", None))

    def test_an_afterstate_is_not_its_board(self) -> None:
        with endtable.open(table("score")) as tables:
            start = tables.position("2,4,0/0,2,0")
            after = start.play("left")
            self.assertEqual(after.turn, "chance")
            answer = tables.probe(after)
            self.assertEqual((answer.turn, answer.best), ("chance", ()))
            self.assertEqual([move.move for move in answer.moves], after.moves())
            value = next(move.value for move in tables.moves(start) if move.move == "left")
            self.assertAlmostEqual(value, answer.value, delta=1e-3)
            self.assertEqual(tables.line(after), [])


class Solving(unittest.TestCase):
    def test_a_search_agrees_with_a_table(self) -> None:
        with endtable.open(SHIPPED) as tables:
            solved = endtable.solve("collapsi", DEAL, moves=True)
            self.assertEqual(solved, tables.probe(DEAL))
            position = tables.position(DEAL).play("73")
            self.assertEqual(endtable.solve("collapsi", position).plies, 12)

    def test_options(self) -> None:
        answer = endtable.solve("2048", "2,4,0/0,2,0", tables=table("score"))
        with endtable.open(table("score")) as tables:
            self.assertEqual(answer.value, tables.probe("2,4,0/0,2,0").value)
        answer = endtable.solve("2048", "2,4,0/0,2,0", depth=1, moves=True)
        self.assertEqual(answer.unit, "estimate")
        self.assertEqual(len(answer.moves), 3)
        answer = endtable.solve("collapsi", "1", rules="wild", no_distance=True, fold64=False)
        self.assertEqual((answer.result, answer.plies), ("win", None))

    def test_the_games(self) -> None:
        self.assertEqual(endtable.games(), ["collapsi", "2048", "tak"])
        self.assertRegex(endtable.__version__, r"^\d+\.\d+\.\d+")


if __name__ == "__main__":
    unittest.main()
