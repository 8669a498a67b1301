#!/usr/bin/python3
"""Checks with shapely that parts make up their plots: plots and parts from standard input, findings to standard output.

Input: [{"plot": [polygon...], "parts": [polygon...]}, ...], a polygon being a list of closed rings of [lon, lat].
Needs Debian's python3-shapely. Run by plot-split.test.ts.
"""
import itertools
import json
import sys

from shapely.geometry import MultiPolygon, Polygon
from shapely.ops import unary_union


def polygon(rings):
    return Polygon(rings[0], rings[1:])


findings = []
for number, case in enumerate(json.load(sys.stdin)):
    plot = MultiPolygon([polygon(rings) for rings in case["plot"]])
    parts = [polygon(rings) for rings in case["parts"]]
    corners = {tuple(c) for p in parts for r in [p.exterior, *p.interiors] for c in r.coords}
    outline = {tuple(c) for p in plot.geoms for r in [p.exterior, *p.interiors] for c in r.coords}
    overlap = max((a.intersection(b).area for a, b in itertools.combinations(parts, 2)), default=0)
    findings.append(
        {
            "valid": plot.is_valid and all(part.is_valid for part in parts),
            "missed": unary_union(parts).symmetric_difference(plot).area / plot.area,
            "overlap": overlap / plot.area,
            "sum": sum(part.area for part in parts) / plot.area - 1,
            "moved": len(outline - corners),
        }
    )
json.dump(findings, sys.stdout)
