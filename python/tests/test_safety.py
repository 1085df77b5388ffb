"""Threads, copies, forks and errors: nothing crashes, hangs or gives a wrong answer."""

import copy
import gc
import os
import pickle
import threading
import unittest
from collections.abc import Callable
from pathlib import Path

import endtable
from endtable import Error, InputError, MissingTableError, NotFoundError, TableError
from kinds import DEAL, KINDS, SHIPPED, folder, games, open_kind, table


RECORDS = 105737


class Sharing(unittest.TestCase):
    def test_threads(self) -> None:
        for kind in KINDS:
            with self.subTest(kind.name), open_kind(kind) as tables:
                texts = [position.text for position in games(kind, tables)]
                expected = [tables.probe(text) for text in texts]
                rows = tables.probe_many(texts).tobytes()
                wrong: list[object] = []

                def work() -> None:
                    if [tables.probe(text) for text in texts] != expected:
                        wrong.append("one")
                    if tables.probe_many(texts).tobytes() != rows:
                        wrong.append("many")

                self.in_threads(work)
                self.assertEqual(wrong, [])

    def in_threads(self, work: Callable[[], None], count: int = 4) -> None:
        threads = [threading.Thread(target=work) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def test_closing_while_others_ask(self) -> None:
        tables = endtable.open(SHIPPED)
        expected = tables.probe(DEAL)
        strange: list[object] = []

        def work() -> None:
            try:
                while True:
                    if tables.probe(DEAL) != expected or not tables.probe_many(["0"] * 50)["found"].all():
                        strange.append("wrong")
            except InputError as error:
                if str(error) != "the tables are closed":
                    strange.append(error)

        timer = threading.Timer(0.2, tables.close)
        timer.start()
        self.in_threads(work)
        timer.join()
        self.assertEqual(strange, [])

    def test_copies_are_closed_by_themselves(self) -> None:
        tables = endtable.open(SHIPPED)
        answer = tables.probe(DEAL)
        copies = [copy.copy(tables), copy.deepcopy(tables), pickle.loads(pickle.dumps(tables))]
        tables.close()
        tables.close()
        for one in copies:
            self.assertEqual(one.probe(DEAL), answer)
            self.assertEqual(one.info.records, RECORDS)
            one.close()
            one.close()
            self.assertTrue(one.closed)
        del copies, tables, one
        gc.collect()

    def test_copies_of_what_comes_out(self) -> None:
        with endtable.open(SHIPPED) as tables:
            position, answer = tables.position(DEAL), tables.probe(DEAL)
        self.assertEqual(copy.copy(position), position)
        self.assertEqual(copy.deepcopy([position]), [position])
        self.assertEqual(pickle.loads(pickle.dumps(answer)), answer)
        self.assertEqual(len({answer, copy.deepcopy(answer)}), 1)
        with self.assertRaises(AttributeError):
            answer.plies = 3  # type: ignore[misc]

    @unittest.skipUnless(hasattr(os, "fork"), "there is no fork here")
    def test_a_forked_process_has_threads_of_its_own(self) -> None:
        with endtable.open(SHIPPED) as tables:
            expected = tables.probe_many(["0", "1"]).tobytes()
            child = os.fork()
            if child == 0:
                alarm = threading.Timer(60, os._exit, [2])
                alarm.daemon = True
                alarm.start()
                os._exit(tables.probe_many(["0", "1"]).tobytes() != expected)
            _, status = os.waitpid(child, 0)
            self.assertEqual(os.waitstatus_to_exitcode(status), 0)

    def test_records_outlive_their_tables(self) -> None:
        with endtable.open(SHIPPED) as tables:
            records = tables.records(1000)
            next(records)
        self.assertEqual(sum(map(len, records)), RECORDS - 1000)


class Closed(unittest.TestCase):
    def test_every_question_is_refused(self) -> None:
        tables = endtable.open(SHIPPED)
        with tables as same:
            self.assertIs(same, tables)
        self.assertTrue(tables.closed)
        self.assertIn("closed", repr(tables))
        questions: list[Callable[[], object]] = [
            lambda: tables.probe(DEAL),
            lambda: tables.moves(DEAL),
            lambda: tables.line(DEAL),
            lambda: tables.probe_many([DEAL]),
            lambda: tables.records(),
            lambda: tables.position(DEAL),
            lambda: tables.info,
            lambda: tables.statistics(),
            lambda: copy.copy(tables),
            lambda: tables.__enter__(),
        ]
        for question in questions:
            with self.assertRaisesRegex(InputError, "the tables are closed"):
                question()


class Errors(unittest.TestCase):
    def refused(
        self, kind: type[Exception], words: str, question: Callable[[], object]
    ) -> None:
        with self.assertRaises(kind) as caught:
            question()
        self.assertIn(words, str(caught.exception))
        self.assertIsInstance(caught.exception, Error)

    def test_files(self) -> None:
        self.refused(MissingTableError, "no-such.etb: No such file", lambda: endtable.open("no-such.etb"))
        self.refused(FileNotFoundError, "no-such.etb", lambda: endtable.open([SHIPPED, "no-such.etb"]))
        self.refused(TableError, "not an endtable file", lambda: endtable.open(__file__))
        self.refused(OSError, "not an endtable file", lambda: endtable.open(Path(__file__)))
        self.refused(InputError, "no path to a table", lambda: endtable.open([]))
        self.refused(TableError, "", lambda: endtable.open("a\0b"))
        empty = folder() / "empty"
        empty.mkdir()
        self.refused(MissingTableError, "no table there", lambda: endtable.open(empty))
        paths = [table("canonical"), table("exact")]
        self.refused(InputError, "differ in", lambda: endtable.open(paths))
        paths = [table("canonical"), table("score")]
        self.refused(InputError, "", lambda: endtable.open(paths))

    def test_damage(self) -> None:
        for kind in KINDS:
            if kind.is_folder:
                continue
            with self.subTest(kind.name):
                data = bytearray(table(kind.name).read_bytes())
                for part in range(3, 30):
                    data[len(data) * part // 40] ^= 0x10
                path = folder() / f"damaged-{kind.name}.etb"
                path.write_bytes(data)
                with open_kind(kind) as sound, endtable.open(path, **kind.options) as damaged:
                    positions = games(kind, sound)
                    right = wrong = 0
                    for position in positions:
                        try:
                            answer = damaged.probe(position)
                        except TableError as error:
                            self.assertIn("damaged", str(error))
                            wrong += 1
                        else:
                            self.assertEqual(answer, sound.probe(position))
                            right += 1
                    self.assertTrue(right and wrong)
                    self.refused(TableError, "is damaged", lambda: damaged.probe_many(positions))
                    self.refused(TableError, "is damaged", lambda: list(damaged.records()))

    def test_positions_and_moves(self) -> None:
        with endtable.open(SHIPPED) as tables:
            for text in ("", ":", "0:0", "x:0", "99999999999999999999", "\u2603/", "a" * 5000, "\0"):
                self.refused(InputError, "", lambda: tables.probe(text))
                self.refused(ValueError, "", lambda: tables.position(text))
                self.refused(InputError, "position 1: ", lambda: tables.probe_many(["1", text]))
            many = ["1"] * 3000 + ["up", "down"]
            self.refused(InputError, "position 3000: up: expected", lambda: tables.probe_many(many))
            self.refused(InputError, "position 1: expected a str", lambda: tables.probe_many(["1", 1]))
            for strange in (None, 1, b"1", ("1",)):
                with self.assertRaises(TypeError):
                    tables.probe(strange)  # type: ignore[arg-type]
            board = endtable.position("2048", "2,2/0,4")
            self.refused(InputError, "another game", lambda: tables.probe(board))
            self.refused(InputError, "another game", lambda: tables.probe_many([board]))
            self.refused(InputError, "another game", lambda: endtable.solve("collapsi", board))
            self.refused(NotFoundError, "2: not in the tables", lambda: tables.moves("2"))
            self.refused(LookupError, "not in the tables", lambda: tables.line("2"))
            start = tables.position(DEAL)
            self.refused(InputError, "70: not a legal move", lambda: start.play("70"))
            self.refused(InputError, "not a legal move", lambda: endtable.apply("collapsi", "1", "70"))

    def test_options(self) -> None:
        def refused(words: str, question: Callable[[], object]) -> None:
            self.refused(InputError, words, question)

        refused("the rule one", lambda: endtable.open(SHIPPED, rules="wild"))
        refused("rules=some: ", lambda: endtable.open(SHIPPED, rules="some"))
        refused("no-rules: not an option", lambda: endtable.open(SHIPPED, no_rules=True))
        refused("takes a value", lambda: endtable.open(SHIPPED, rules=True))
        refused("a switch", lambda: endtable.open(SHIPPED, fold64="yes"))
        refused("chess: not a game", lambda: endtable.solve("chess", "1"))
        refused("chess: not a game", lambda: endtable.position("chess", "1"))
        refused("does not go with depth", lambda: endtable.solve("2048", "2,2/0,4", ms=1, depth=1))
        refused(
            "no-distance: does not go with moves",
            lambda: endtable.solve("collapsi", "1", moves=True, no_distance=True),
        )

    def test_records_of_no_size_are_refused(self) -> None:
        with endtable.open(SHIPPED) as tables:
            self.refused(InputError, "at least 1", lambda: tables.records(0))


if __name__ == "__main__":
    unittest.main()
