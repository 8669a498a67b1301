#!/usr/bin/python3
"""The same outlines with Debian's geospatial Python, tuned: rasterio traces, numpy smooths, pyproj projects, shapely checks.

Reads commands from standard input, one a line, and answers each with one line of JSON; `outline.ts` drives it, so that
both sides take turns in one run. Arguments: label file (int32, square), side in pixels, EPSG code, west, north, cell.
"""

import json
import sys
import time

import numpy as np
import rasterio.features
import shapely
import shapely.geometry
from affine import Affine
from pyproj import Transformer

LAMBDA, MU, STEPS, ROUNDS, RUN = 0.5, -0.53, 6, 2, 3
# Rings shorter than this, in cells, are cut twice as finely.
SHORT = 16


def smooth_ring(corners, cell, to_degrees):
    """corners: (n, 2) in metres, open. Returns the smoothed ring in degrees, open."""
    ahead = np.roll(corners, -1, axis=0)
    runs = np.abs(ahead - corners).sum(axis=1)
    pinned_corner = (runs >= RUN * cell) & (np.roll(runs, 1) >= RUN * cell)
    lonlat = np.column_stack(to_degrees.transform(corners[:, 0], corners[:, 1]))
    longest = cell / 2 if runs.sum() < SHORT * cell * (1 - 1e-9) else cell
    cuts = np.ceil(runs / longest - 1e-6).astype(int)
    starts = np.concatenate(([0], np.cumsum(cuts)))
    edge = np.repeat(np.arange(len(cuts)), cuts)
    share = ((np.arange(starts[-1]) - starts[edge]) / cuts[edge])[:, None]
    points = lonlat[edge] * (1 - share) + np.roll(lonlat, -1, axis=0)[edge] * share
    pinned = np.zeros(len(points), bool)
    pinned[starts[:-1]] = pinned_corner
    free = ~pinned[:, None]
    for step in range(2 * STEPS):
        factor = LAMBDA if step % 2 == 0 else MU
        points = points + free * factor * ((np.roll(points, 1, axis=0) + np.roll(points, -1, axis=0)) / 2 - points)
    for _ in range(ROUNDS):
        before, after = np.roll(points, 1, axis=0), np.roll(points, -1, axis=0)
        both = np.empty((2 * len(points), 2))
        both[0::2] = np.where(pinned[:, None], points, 0.75 * points + 0.25 * before)
        both[1::2] = 0.75 * points + 0.25 * after
        keep = np.ones(len(both), bool)
        keep[1::2] = ~pinned
        marks = np.zeros(len(both), bool)
        marks[0::2] = pinned
        points, pinned = both[keep], marks[keep]
    return points, lonlat


def twice_area(ring):
    x, y = ring[:, 0] - ring[0, 0], ring[:, 1] - ring[0, 1]
    return np.dot(x, np.roll(y, -1)) - np.dot(np.roll(x, -1), y)


def outline(rings, cell, to_degrees):
    """Rings in metres, closed, exterior first -> a shapely polygon in degrees whose area and validity are checked."""
    smooth, raw_area, area = [], 0.0, 0.0
    for ring in rings:
        points, lonlat = smooth_ring(np.asarray(ring[:-1]), cell, to_degrees)
        smooth.append(points)
        raw_area += twice_area(lonlat)
        area += twice_area(points)
    if abs(area / raw_area - 1) > 0.01:
        centre, factor = smooth[0].mean(axis=0), np.sqrt(raw_area / area)
        smooth = [centre + (points - centre) * factor for points in smooth]
    polygon = shapely.geometry.Polygon(smooth[0], smooth[1:])
    if not polygon.is_valid:
        polygon = shapely.geometry.Polygon(rings[0], rings[1:])
    return polygon


def shapes_in_pixels(labels):
    found = list(rasterio.features.shapes(labels, mask=labels != 0))
    return {"polygons": len(found), "vertices": sum(len(r) - 1 for g, _ in found for r in g["coordinates"])}


def outlines(labels, transform, to_degrees):
    count = vertices = 0
    for geometry, _ in rasterio.features.shapes(labels, mask=labels != 0, transform=transform):
        polygon = outline(geometry["coordinates"], transform.a, to_degrees)
        count += 1
        vertices += len(polygon.exterior.coords) - 1 + sum(len(ring.coords) - 1 for ring in polygon.interiors)
    return {"polygons": count, "vertices": vertices}


def one_segment(labels, column, row, height, width, label, transform, to_degrees):
    """The polygon in degrees of the segment `label` that lies in a box of the label image."""
    mask = labels[row : row + height, column : column + width] == label
    moved = transform * Affine.translation(column, row)
    geometry, _ = next(rasterio.features.shapes(mask.astype(np.uint8), mask=mask, transform=moved))
    return outline(geometry["coordinates"], transform.a, to_degrees)


def answer_one(labels, boxes, transform, to_degrees):
    times = []
    for box in boxes.tolist():
        begin = time.perf_counter()
        one_segment(labels, *box, transform, to_degrees)
        times.append((time.perf_counter() - begin) * 1000)
    return {"p50": float(np.percentile(times, 50)), "p99": float(np.percentile(times, 99))}


def main():
    path, side, epsg, west, north, cell = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *map(float, sys.argv[4:7])
    labels = np.fromfile(path, dtype=np.int32).reshape(side, side)
    transform = Affine(cell, 0, west, 0, -cell, north)
    to_degrees = Transformer.from_crs(epsg, 4326, always_xy=True)
    for line in sys.stdin:
        name, *values = line.split()
        start, before = time.perf_counter(), time.process_time()
        if name == "trace":
            answer = shapes_in_pixels(labels)
        elif name == "outlines":
            answer = outlines(labels, transform, to_degrees)
        else:
            answer = answer_one(labels, np.asarray(values, dtype=int).reshape(-1, 5), transform, to_degrees)
        answer["ms"] = (time.perf_counter() - start) * 1000
        answer["cpuMs"] = (time.process_time() - before) * 1000
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
