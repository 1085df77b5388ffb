"""The checker of proofs finds proofs sound, and holes where there are some."""

import unittest
from pathlib import Path

import tak
from tak_check import Hole, Proof, move_of

SHIPPED = Path(__file__).parent.parent / "data" / "tak" / "tak-3x3.etb"


class Checker(unittest.TestCase):
    def setUp(self):
        self.proof = Proof(SHIPPED)

    def test_the_shipped_proof_holds(self):
        self.assertEqual(self.proof.follow(), tak.WHITE)
        self.assertEqual(len(self.proof.used), len(self.proof.records))
        self.assertEqual(self.proof.plies, 13)

    def test_a_record_that_is_missing_is_missed(self):
        for code in list(self.proof.records)[::97]:
            proof = Proof(SHIPPED)
            del proof.records[code]
            with self.assertRaises(Hole):
                proof.follow()

    def test_fewer_plies_than_it_takes_are_too_few(self):
        self.proof.plies = 12
        with self.assertRaises(Hole):
            self.proof.follow()

    def test_another_move_is_not_taken_for_the_stored_one(self):
        _, meta, code = self.proof.step(self.proof.root)
        self.assertEqual(move_of(meta.move, self.proof.root), "b2")
        # Black's stone in the corner holds out for longer.
        self.proof.records[code] = meta._replace(move=0)
        with self.assertRaises(Hole):
            self.proof.follow()

    def test_flats_do_not_do_where_a_road_is_claimed(self):
        self.proof.ends = ("R-0", "0-R")
        with self.assertRaises(Hole):
            self.proof.follow()

    def test_moves_by_number(self):
        position = tak.parse("x3/x,112,x/x3 2 4")
        self.assertEqual(move_of(4 << 10 | 1 << 8, position), "Sb2")
        self.assertEqual(move_of(4 << 10 | 1 << 8 | 0b1, position), "b2>")
        self.assertEqual(move_of(4 << 10 | 3 << 8 | 0b100, position), "3b2<")
        self.assertEqual(move_of(4 << 10 | 0b110, position), "3b2+21")
        for number in (9 << 10, 3 << 8):
            with self.assertRaises(Hole):
                move_of(number, position)


if __name__ == "__main__":
    unittest.main()
