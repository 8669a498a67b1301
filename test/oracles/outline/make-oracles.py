#!/usr/bin/python3
"""Expectations for tracing and smoothing, from rasterio, shapely, pyproj and plain numpy.

`shapes.json`: random label images and what rasterio.features.shapes (4-connected) makes of them, every ring turned to
start at its smallest (row, column) corner and to run clockwise (exterior) or counter-clockwise (hole) with rows south.
`smooth.json`: segments on a raster and their outline by the plain algorithm: stairs joined at the middles of their runs, places projected by PROJ, segmentized to
a pixel in metres (rings shorter than 16 pixels to half of one), Taubin 6 x (0.5, -0.53), Chaikin twice, structural corners pinned; no shortcut of any kind.

Run: /usr/bin/python3 test/oracles/outline/make-oracles.py   (Debian: python3-rasterio python3-shapely python3-pyproj)
"""

import json
import os

import numpy as np
import rasterio.features
import shapely.geometry
from pyproj import Geod, Transformer

HERE = os.path.dirname(os.path.abspath(__file__))
random = np.random.default_rng(20)


def canonical(ring, exterior):
    """Open, starting at the smallest (row, column) corner, clockwise on a screen when exterior."""
    points = [(int(x), int(y)) for x, y in ring[:-1]]
    swept = sum(x0 * y1 - x1 * y0 for (x0, y0), (x1, y1) in zip(points, points[1:] + points[:1]))
    if (swept > 0) != exterior:
        points.reverse()
    first = min(range(len(points)), key=lambda i: (points[i][1], points[i][0]))
    return [number for point in points[first:] + points[:first] for number in point]


def ring_image(side):
    rows, columns = np.mgrid[:side, :side] - side / 2 + 0.25
    far = np.hypot(rows, 1.02 * columns)
    return np.where((far < side / 2 - 4) & (far > side / 8), 1, 0).astype(np.int32) + 1


def label_image(height, width, labels, grain, noisy=0.15):
    coarse = random.integers(0, labels, (height // grain + 1, width // grain + 1))
    image = np.kron(coarse, np.ones((grain, grain), int))[:height, :width]
    noise = random.random((height, width)) < noisy
    image[noise] = random.integers(0, labels, noise.sum())
    return image.astype(np.int32)


def traced(image):
    polygons = []
    for geometry, label in rasterio.features.shapes(image, mask=image != 0, connectivity=4):
        shape = shapely.geometry.shape(geometry)
        rings = [canonical(ring, i == 0) for i, ring in enumerate(geometry["coordinates"])]
        rings = [rings[0]] + sorted(rings[1:], key=lambda ring: (ring[1], ring[0]))
        polygons.append({"label": int(label), "area": shape.area, "valid": shape.is_valid, "rings": rings})
    return sorted(polygons, key=lambda p: (p["rings"][0][1], p["rings"][0][0]))


def shapes():
    cases = []
    for height, width, labels, grain in (
        (1, 1, 2, 1), (7, 3, 2, 1), (16, 16, 2, 1), (16, 24, 3, 1), (24, 16, 2, 2), (32, 32, 3, 4), (40, 40, 5, 6), (48, 48, 2, 3),
    ):
        image = label_image(height, width, labels, grain)
        cases.append({"width": width, "height": height, "labels": image.ravel().tolist(), "polygons": traced(image)})
    return cases


def metres_per_degree(lat):
    geod = Geod(ellps="WGS84")
    east = geod.inv(-0.0005, lat, 0.0005, lat)[2] / 0.001
    north = geod.inv(0, lat - 0.0005, 0, lat + 0.0005)[2] / 0.001
    return east, north


def straight(corners, structural):
    """Joins the runs of stairs at their middles: a list of ((column, row), pinned)."""
    count = len(corners)
    ahead = np.roll(corners, -1, axis=0) - corners
    length = [int(abs(step).sum()) for step in ahead]
    direction = [step / abs(step).sum() for step in ahead]
    # The way the border turns at corner i, between the run that ends there and the one that begins.
    turn = [np.sign(direction[i - 1][0] * direction[i][1] - direction[i - 1][1] * direction[i][0]) for i in range(count)]

    def opposite(i, j):
        return turn[i % count] == -turn[j % count]

    def side(i):
        """A single side of a cell begins at corner i, and the border turns one way and back."""
        return length[i % count] == 1 and opposite(i, i + 1)

    def even(i):
        """The runs before and after it are of one slope."""
        earlier, later = length[(i - 1) % count], length[(i + 1) % count]
        if abs(earlier - later) != 1:
            return earlier == later
        return (side(i - 2) and length[(i - 3) % count] == later) or (side(i + 2) and length[(i + 3) % count] == earlier)

    def crossed(i):
        """The slope passes the single side that begins at corner i, from the run before it to the run after it."""
        ends = structural[i % count] or structural[(i + 1) % count]
        return not ends and side(i) and even(i) and min(length[(i - 1) % count], length[(i + 1) % count]) >= 2

    found = []
    for i in range(count):
        back, forth = opposite(i, i - 1), opposite(i, i + 1)
        if structural[i] or not (back or forth):
            found.append((tuple(corners[i]), bool(structural[i])))
            continue
        earlier, later = length[i - 1], length[i]
        back_cut = forth_cut = min(earlier, later) / 2
        if side(i):
            back_cut = earlier / 2 if even(i) else min(earlier, length[(i + 1) % count]) / 2
        if side(i - 1):
            forth_cut = later / 2 if even(i - 1) else min(later, length[i - 2]) / 2
        if not crossed(i - 1):
            found.append((tuple(corners[i] - direction[i - 1] * back_cut), False))
        if not crossed(i):
            found.append((tuple(corners[i] + direction[i] * forth_cut), False))
    return [one for i, one in enumerate(found) if one[0] != found[i - 1][0]]


def smooth_ring(corners, transform, to_degrees, cell, pixel):
    """One ring of (column, row) corners -> raw and smooth longitude, latitude."""
    corners = np.array(corners, float).reshape(-1, 2)
    raw = np.array([to_degrees(transform[2] + c * transform[0], transform[5] + r * transform[4]) for c, r in corners])
    runs = np.abs(np.roll(corners, -1, axis=0) - corners) @ np.array(cell)
    structural = [min(runs[i], runs[i - 1]) >= 3 * pixel - 1e-6 for i in range(len(corners))]
    places = straight(corners, structural)
    points, pinned = [], []
    sides = []
    for i, ((column, row), _) in enumerate(places):
        (end_column, end_row), _ = places[(i + 1) % len(places)]
        sides.append(np.hypot((end_column - column) * cell[0], (end_row - row) * cell[1]))
    longest = pixel / 2 if sum(sides) < 16 * pixel * (1 - 1e-9) else pixel
    for i, ((column, row), pin) in enumerate(places):
        (end_column, end_row), _ = places[(i + 1) % len(places)]
        cuts = max(1, int(np.ceil(sides[i] / longest - 1e-6)))
        for k in range(cuts):
            c, r = column + (end_column - column) * k / cuts, row + (end_row - row) * k / cuts
            points.append(to_degrees(transform[2] + c * transform[0], transform[5] + r * transform[4]))
            pinned.append(k == 0 and pin)
    points = np.array(points)
    pinned = np.array(pinned)
    for step in range(12):
        moved = points + (0.5, -0.53)[step % 2] * ((np.roll(points, 1, axis=0) + np.roll(points, -1, axis=0)) / 2 - points)
        points = np.where(pinned[:, None], points, moved)
    for _ in range(2):
        out, marks = [], []
        for i, point in enumerate(points):
            if pinned[i]:
                out.append(point)
                marks.append(True)
            else:
                out += [0.75 * point + 0.25 * points[i - 1], 0.75 * point + 0.25 * points[(i + 1) % len(points)]]
                marks += [False, False]
        points, pinned = np.array(out), np.array(marks)
    return raw, points


def smooth():
    cases = []
    places = (
        ("EPSG:32615", [20, 0, 500010, 0, -20, 4900010]),
        ("EPSG:32633", [10, 0, 300000, 0, -10, 7210000]),
        ("EPSG:32718", [10, 0, 412340, 0, -10, 9100000]),
        ("EPSG:4326", [8.983111749910169e-05, 0, -60.00012345, 0, -8.983111749910169e-05, -3.0]),
        ("EPSG:4326", [8.983111749910169e-05, 0, 20.0001, 0, -8.983111749910169e-05, 60.0]),
    )
    geod = Geod(ellps="WGS84")
    # Ragged segments, frayed ones, which gain so much area that it is corrected, and round ones with a hole, which keep it.
    ragged = [(crs, transform, label_image(40, 40, 2, 8)) for crs, transform in places]
    frayed = [(crs, transform, label_image(30, 30, 2, 15, 0.4)) for crs, transform in places[:3]]
    rounded = [(crs, transform, ring_image(64)) for crs, transform in places[1:4]]
    # One more, after the others, so that these stay as they are.
    more = [(*places[3], label_image(30, 30, 2, 15, 0.45))]
    for crs, transform, image in ragged + frayed + rounded + more:
        project = Transformer.from_crs(crs, "EPSG:4326", always_xy=True).transform
        largest = max(traced(image), key=lambda p: p["area"])
        row = min(ring[1] for ring in largest["rings"])
        if crs == "EPSG:4326":
            # A pixel is measured at the northern row of the segment, as the product does.
            east, north = metres_per_degree(transform[5] + row * transform[4])
            cell = (transform[0] * east, -transform[4] * north)
        else:
            cell = (transform[0], -transform[4])
        rings = [smooth_ring(ring, transform, project, cell, max(cell)) for ring in largest["rings"]]
        raw, fine = (shapely.geometry.Polygon(r[0], r[1:]) for r in zip(*rings))
        cases.append({
            "crs": crs,
            "transform": transform,
            "rings": largest["rings"],
            "rawArea": abs(geod.geometry_area_perimeter(raw)[0]),
            "area": abs(geod.geometry_area_perimeter(fine)[0]),
            "perimeter": sum(geod.geometry_length(ring) for ring in (fine.exterior, *fine.interiors)),
            "smooth": [[round(value, 10) for value in ring[1].ravel().tolist()] for ring in rings],
        })
    return cases


for name, make in (("shapes", shapes), ("smooth", smooth)):
    with open(f"{HERE}/{name}.json", "w", encoding="utf-8") as file:
        json.dump(make(), file, separators=(",", ":"))
