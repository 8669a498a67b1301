"""Matches producers as `thefuzz` would: token set ratio of lower-case names, every record compared, the service's own formula for nearness."""

import json
import sys
import time
from math import asin, cos, radians, sin, sqrt

from thefuzz import fuzz

records = None


def distance(a, b):
    (lon1, lat1), (lon2, lat2) = [[radians(v) for v in p] for p in (a, b)]
    h = sin((lat2 - lat1) / 2) ** 2 + cos(lat1) * cos(lat2) * sin((lon2 - lon1) / 2) ** 2
    return 12742017.6 * asin(sqrt(h))


def best(name, at):
    found, worth = None, 0.0
    for record in records:
        likeness = max(fuzz.token_set_ratio(name, each) for each in record["names"]) / 100
        near = min(1, max(0, (5000 - distance(at, record["at"])) / 4000))
        score = round(0.7 * likeness + 0.3 * near, 2)
        if score > worth:
            found, worth = record["id"], score
    return [found if worth >= 0.8 else None, worth]


for line in sys.stdin:
    task = json.loads(line)
    if "records" in task:
        records = task["records"]
        print(json.dumps({"records": len(records)}), flush=True)
        continue
    begun = time.perf_counter()
    answers = [best(name, at) for name, at in task["queries"]]
    print(json.dumps({"answers": answers, "ms": (time.perf_counter() - begun) * 1000}), flush=True)
