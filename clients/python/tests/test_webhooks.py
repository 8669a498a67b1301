"""Verification of webhooks, by the vectors that every receiver is held to."""

import json
import random
import re
import unittest
from pathlib import Path

from firstmile import WebhookRefused, verify_webhook

VECTORS = json.loads((Path(__file__).parents[3] / "test/oracles/signatures/vectors.json").read_text())["vectors"]


class Webhooks(unittest.TestCase):
    def test_agrees_with_the_vectors(self):
        for vector in VECTORS:
            given = (vector["body"], vector["header"], vector["secret"])
            now = vector["timestamp"]
            with self.subTest(vector["name"]):
                if vector["valid"]:
                    self.assertEqual(verify_webhook(*given, now=now).id, "evt_01")
                    self.assertEqual(verify_webhook(given[0].encode(), *given[1:], now=now).id, "evt_01")
                    self.assertEqual(verify_webhook(given[0], given[1], ["other", given[2]], now=now).id, "evt_01")
                else:
                    self.assertEqual(self.reason(*given, now=now), vector["reason"])

    def test_refuses_a_wrong_time_a_parsed_body_and_a_missing_secret(self):
        body, header, secret, then = (VECTORS[0][name] for name in ("body", "header", "secret", "timestamp"))
        self.assertEqual(self.reason(body, header, secret, now=then + 301), "too_old")
        self.assertEqual(self.reason(body, header, secret, now=then - 301), "too_new")
        self.assertEqual(self.reason(json.loads(body), header, secret, now=then), "body_not_raw")
        self.assertEqual(self.reason(body, header, "", now=then), "secret_missing")
        self.assertEqual(self.reason(body, None, secret, now=then), "header_missing")
        self.assertEqual(self.reason(body, [header, header], secret, now=then), "header_malformed")
        self.assertEqual(self.reason(body + " ", header, secret, now=then), "signature_mismatch")
        with self.assertRaises(TypeError):
            verify_webhook(body, header, secret, tolerance=float("nan"))

    def test_refuses_any_altered_header_and_never_fails_otherwise(self):
        body, header, secret, then = (VECTORS[0][name] for name in ("body", "header", "secret", "timestamp"))
        chance = random.Random(7)
        for _ in range(2_000):
            at = chance.randrange(len(header))
            character = chr(chance.choice((0, 32, 44, 48, 57, 61, 65, 102, 116, 0x660, 0x1F600)))
            altered = header[:at] + character + header[at + 1 :]
            # Spaces and empty fields say nothing.
            if re.sub("[ ,]", "", altered) == re.sub("[ ,]", "", header):
                continue
            self.assertIn(self.reason(body, altered, secret, now=then), ("header_malformed", "signature_mismatch"))

    @staticmethod
    def reason(*given, **options):
        try:
            verify_webhook(*given, **options)
        except WebhookRefused as refused:
            return refused.reason
        return None


if __name__ == "__main__":
    unittest.main()
