"""Codes next to sentences."""

import unittest

import firstmile

LAND = [{"code": "plot.on_land", "params": {}}]
ROAD = {"indicator": "road_access", "code": "nearest_road", "params": {"distance_m": 412}, "detail": "Nearest road: 412 m."}


class TheCodesOfATextTest(unittest.TestCase):
    def test_are_those_of_its_sentences(self):
        check = {"detail": "The plot lies on land.", "messages": {"detail": LAND}}
        self.assertEqual(firstmile.codes_of(check, "detail"), LAND)

    def test_are_those_of_an_entry_that_it_repeats(self):
        rated = {
            "aggregation_comment": "Unverified. Nearest road: 412 m.",
            "evidence": [ROAD],
            "messages": {"aggregation_comment": [{"code": "weighed", "params": {"coverage": 20}}, {"evidence": "road_access"}]},
        }
        codes = [part["code"] for part in firstmile.codes_of(rated, "aggregation_comment")]
        self.assertEqual(codes, ["weighed", "nearest_road"])
        with self.assertRaises(firstmile.FirstmileError):
            firstmile.codes_of({**rated, "evidence": []}, "aggregation_comment")

    def test_are_those_of_a_list_of_texts(self):
        held = {"reasons": ["Budi says so.", "The plot lies on land."], "messages": {"reasons": [None, LAND]}}
        self.assertEqual(firstmile.codes_of(held, "reasons"), LAND)

    def test_are_its_own_where_it_is_a_sentence(self):
        self.assertEqual(firstmile.codes_of(ROAD, "detail"), [{"code": "nearest_road", "params": {"distance_m": 412}}])
        warning = {"code": "dense_urban", "params": {}, "message": "The facility lies in a dense urban area."}
        self.assertEqual(firstmile.codes_of(warning, "message"), [{"code": "dense_urban", "params": {}}])

    def test_are_none_where_there_are_none(self):
        self.assertEqual(firstmile.codes_of({"message": "Ask Budi."}, "message"), [])
        self.assertEqual(firstmile.codes_of({"message": "x", "messages": None}, "message"), [])


if __name__ == "__main__":
    unittest.main()
