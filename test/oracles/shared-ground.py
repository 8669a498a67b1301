"""What shapely says of the ground that random plots share: by plot, the shares of its area on each set of earlier plots.

Run with a Python that has shapely: /usr/bin/python3 test/oracles/shared-ground.py > test/oracles/shared-ground.json
All outlines of a batch are cut into faces at once (polygonize), and a point inside each face says which plots lie there:
another way than cutting a plot by one neighbour after the other. Coordinates are degrees next to the equator, where shares
of planar areas are those of geodesic ones. A plot that repeats another is named by the first of them.
"""

import json
import math
import random
import sys

import shapely
from shapely.geometry import Polygon
from shapely.ops import polygonize, unary_union

rng = random.Random(20261123)


def rectangle():
    x, y = rng.randrange(5000), rng.randrange(5000)
    w, h = 300 + rng.randrange(2700), 300 + rng.randrange(2700)
    return [[x, y], [x + w, y], [x + w, y + h], [x, y + h]]


def irregular():
    x, y, count = rng.randrange(5000), rng.randrange(5000), rng.randrange(5, 15)
    ring = []
    for i in range(count):
        radius, angle = rng.randrange(200, 1500), 2 * math.pi * i / count
        ring.append([round(x + radius * math.cos(angle)), round(y + radius * math.sin(angle))])
    return ring


def batch(count):
    rings = []
    while len(rings) < count:
        if rings and rng.random() < 0.2:
            rings.append(rng.choice(rings))
            continue
        ring = rectangle() if rng.random() < 0.5 else irregular()
        if Polygon(ring).is_valid:
            rings.append(ring)
    plots = [Polygon(ring) for ring in rings]
    first = [rings.index(ring) for ring in rings]
    faces = [(face, face.representative_point()) for face in polygonize(unary_union([p.exterior for p in plots]))]
    earlier = []
    for number, plot in enumerate(plots):
        shares = {}
        for face, point in faces:
            if not plot.contains(point):
                continue
            on = sorted({first[k] for k in range(number) if plots[k].contains(point)})
            if on:
                shares[tuple(on)] = shares.get(tuple(on), 0) + face.area / plot.area
        earlier.append([[round(share, 6), *on] for on, share in sorted(shares.items())])
    return {
        "plots": [[[x / 1e6, y / 1e6] for x, y in ring] for ring in rings],
        "first": first,
        "earlier": earlier,
        "union_share": round(unary_union(plots).area / sum(plot.area for plot in plots), 6),
    }


json.dump(
    {"made_by": f"shapely {shapely.__version__}", "batches": [batch(2 + i % 11) for i in range(90)]},
    sys.stdout,
    separators=(",", ":"),
)
sys.stdout.write("\n")
