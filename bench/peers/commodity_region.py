#!/usr/bin/python3
"""The share of a commodity around mills with numpy and scipy on one thread. Two ways, by the first argument: "usual" draws
pixels for each mill and evaluates the head on them; "lattice" evaluates the pixels of one lattice once for all mills and
counts those within the radius with k-d trees. Reads lines of JSON, answers with milliseconds and shares of the newest year."""

import json
import sys
import time

import numpy as np
from scipy.spatial import cKDTree

from heads import evaluate, load

way, setup = sys.argv[1], json.loads(sys.argv[2])
head = load(setup["head"])
repeated, radius = setup["repeated"], setup["radius"] / 10
years = [np.fromfile(path, np.int8).reshape(repeated, repeated, 64) for path in setup["codes"]]
mills = np.fromfile(setup["mills"], np.float64).reshape(-1, 2)
lattice = np.fromfile(setup["lattice"], np.int32).reshape(-1, 2)
rng = np.random.default_rng(1)


def codes_at(codes, pixels):
    return codes[pixels[:, 1] % repeated, pixels[:, 0] % repeated]


def usual(some):
    shares = []
    for x, y in some:
        drawn = rng.uniform(-radius, radius, (1300, 2))
        pixels = np.floor(drawn[np.hypot(*drawn.T) <= radius] + (x, y)).astype(int)[:1024]
        found = [(evaluate(head, codes_at(codes, pixels)) >= setup["threshold"]).mean() for codes in years]
        shares.append(found[0])
    return shares


def claims_of(codes):
    # In pieces that stay in the processor's cache.
    pieces = (lattice[i : i + 2048] for i in range(0, len(lattice), 2048))
    return np.concatenate([evaluate(head, codes_at(codes, piece)) >= setup["threshold"] for piece in pieces])


def trees():
    centres = lattice + 0.5
    claimed = [claims_of(codes) for codes in years]
    return cKDTree(centres), [cKDTree(centres[year]) for year in claimed]


def count(every, claimed, some):
    n = every.query_ball_point(some, radius, return_length=True)
    return [tree.query_ball_point(some, radius, return_length=True) / n for tree in claimed][0]


kept = None
for line in sys.stdin:
    task = json.loads(line)
    some = mills[: task["mills"]]
    start, cpu = time.perf_counter(), time.process_time()
    if way == "usual":
        shares = usual(some)
    else:
        if task["first"]:
            kept = trees()
        shares = count(*kept, some)
    ms, cpu_ms = (time.perf_counter() - start) * 1000, (time.process_time() - cpu) * 1000
    print(json.dumps({"ms": ms, "cpuMs": cpu_ms, "shares": list(shares)}), flush=True)
