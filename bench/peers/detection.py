#!/usr/bin/python3
"""The detection heads with numpy on one thread. Reads a line with the file of a head and one of codes, answers with
milliseconds and probabilities."""

import json
import sys
import time

import numpy as np

from heads import evaluate, load

heads = {}
for line in sys.stdin:
    task = json.loads(line)
    if task["head"] not in heads:
        heads[task["head"]] = load(task["head"])
    codes = np.fromfile(task["codes"], np.int8).reshape(-1, 64)
    start, before = time.perf_counter(), time.process_time()
    found = evaluate(heads[task["head"]], codes)
    cost = {"ms": (time.perf_counter() - start) * 1000, "cpuMs": (time.process_time() - before) * 1000}
    print(json.dumps(cost | {"probabilities": found.tolist()}), flush=True)
