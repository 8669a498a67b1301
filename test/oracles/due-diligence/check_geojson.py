#!/usr/bin/env python3
"""Checks exported GeoJSON against the official rules of the EU information system, and judges the inputs by them.

Written from "EUDR GeoJSON File Description 1.3", "Validation rules v1.3" and "EUDR Operator API Reference v1.0" with shapely and
pyproj; shares nothing with the service. Run:

    node test/oracles/due-diligence/write-exports.ts FOLDER
    /usr/bin/python3 test/oracles/due-diligence/check_geojson.py FOLDER > test/oracles/due-diligence/verdicts.json

A file with a violation makes it end with status 1.
"""
import base64, csv, glob, hashlib, io, json, os, subprocess, sys
from decimal import Decimal, ROUND_DOWN, ROUND_HALF_UP
from pyproj import Geod
from shapely.geometry import Point, Polygon, shape
from shapely.ops import unary_union
from shapely.validation import explain_validity
import shapely
import shapely.geos

GEOD = Geod(ellps="WGS84")
ACCEPTED = {"Point", "MultiPoint", "Polygon", "MultiPolygon", "GeometryCollection"}
KNOWN = {"ProducerName", "ProducerCountry", "ProductionPlace", "Area"}
WRONG_CASE = {name.lower() for name in KNOWN}
ISO2 = set(
    "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD CF CG "
    "CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF GG GH GI GL "
    "GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN KP KR KW KY KZ LA "
    "LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP "
    "NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV "
    "SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW".split()
)
SIX = Decimal("0.000001")


def cut(ring, mode):
    """A ring with 6 decimals, of the decimal text and of floating point, without repeats."""
    if mode == "float":
        places = [tuple(int(v * 1e6) / 1e6 for v in p[:2]) for p in ring]
    else:
        places = [tuple(float(Decimal(repr(v)).quantize(SIX, rounding=mode)) for v in p[:2]) for p in ring]
    return [p for i, p in enumerate(places) if i == 0 or p != places[i - 1]]


def ring_errors(ring):
    """Official errors of one ring read as a polygon."""
    out = set()
    if len(ring) >= 1 and ring[0][:2] != ring[-1][:2]:
        out.add(4)
        ring = ring + [ring[0]]
    places = [tuple(p[:2]) for p in ring]
    if len(set(places)) < 3 or Polygon(places).area == 0 and not Polygon(places).is_valid and collinear(places):
        return out | {6}
    polygon = Polygon(places)
    if not polygon.is_valid:
        out.add(1)
    return out


def collinear(places):
    (x, y), far = places[0], max(places, key=lambda p: (p[0] - places[0][0]) ** 2 + (p[1] - places[0][1]) ** 2)
    return all(abs((far[0] - x) * (q - y) - (far[1] - y) * (p - x)) < 1e-15 for p, q in places)


def in_range(position):
    return (
        isinstance(position, list)
        and len(position) >= 2
        and all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in position[:2])
        and abs(position[0]) <= 180
        and abs(position[1]) <= 90
    )


def polygons_of(geometry):
    kind = geometry["type"]
    if kind == "Polygon":
        return [geometry["coordinates"]]
    if kind == "MultiPolygon":
        return geometry["coordinates"]
    if kind == "GeometryCollection":
        return [p for g in geometry["geometries"] for p in polygons_of(g)]
    return []


def points_of(geometry):
    kind = geometry["type"]
    if kind == "Point":
        return [geometry["coordinates"]]
    if kind == "MultiPoint":
        return geometry["coordinates"]
    if kind == "GeometryCollection":
        return [p for g in geometry["geometries"] for p in points_of(g)]
    return []


def types_of(geometry):
    inner = [t for g in geometry.get("geometries", []) for t in types_of(g)]
    return [geometry.get("type")] + inner


def judge_input(feature):
    """The listed errors an input has as it stands, by number."""
    geometry, eudr = feature["geometry"], feature["eudr"]
    out = set()
    if isinstance(eudr.get("Area"), str):
        out.add(14)
    if eudr.get("ProducerCountry") not in ISO2:
        out.add(12)
    if geometry is None:
        return out
    if any(kind not in ACCEPTED for kind in types_of(geometry)):
        return out | {5}
    for position in points_of(geometry):
        if isinstance(position, list) and len(position) == 1 and isinstance(position[0], list):
            out.add(14)
        elif not in_range(position):
            out.add(11)
    for rings in polygons_of(geometry):
        if not all(in_range(p) for ring in rings for p in ring):
            out.add(11)
            continue
        if len(rings) > 1:
            out.add(3)
        for ring in rings:
            found = ring_errors(ring)
            out |= found
            for mode in (ROUND_HALF_UP,):
                places = cut(ring, mode)
                if len(places) < len([p for i, p in enumerate(ring) if i == 0 or p[:2] != ring[i - 1][:2]]):
                    out.add(7)
                elif not found and ring_errors([list(p) for p in places]):
                    out.add(7)
    return out


def check_feature(feature):
    """Everything a feature of an export breaks, as sentences."""
    out = []
    geometry, properties = feature.get("geometry"), feature.get("properties", {})
    if feature.get("type") != "Feature" or not isinstance(geometry, dict):
        return ["no Feature with a geometry"]
    if geometry["type"] not in ACCEPTED:
        return [f"type {geometry['type']}"]
    for name, value in properties.items():
        if name.lower() in WRONG_CASE and name not in KNOWN:
            out.append(f"property {name}")
        if name.startswith("Producer") and not isinstance(value, str):
            out.append(f"{name} is no text")
    if "ProducerCountry" in properties and properties["ProducerCountry"] not in ISO2:
        out.append(f"country {properties['ProducerCountry']}")
    if points_of(geometry):
        area = properties.get("Area")
        if not isinstance(area, (int, float)) or isinstance(area, bool) or not 0.0001 <= area <= 4:
            out.append(f"Area {area!r}")
    for position in points_of(geometry):
        if not in_range(position):
            out.append(f"position {position}")
    positions = list(points_of(geometry))
    for rings in polygons_of(geometry):
        if len(rings) != 1:
            out.append(f"{len(rings) - 1} holes")
        for ring in rings:
            positions += ring
            if not all(in_range(p) and len(p) == 2 for p in ring):
                out.append("positions out of range")
                continue
            if len(ring) < 4 or ring[0] != ring[-1]:
                out.append("open or short ring")
            if any(a == b for a, b in zip(ring, ring[1:])):
                out.append("repeated position")
            if not Polygon(ring).exterior.is_ccw:
                out.append("clockwise exterior")
            for mode in (ROUND_HALF_UP, ROUND_DOWN):
                if [list(p) for p in cut(ring, mode)] != ring:
                    out.append("changed by the cut to 6 decimals")
            if not Polygon(ring).is_valid:
                out.append(explain_validity(Polygon(ring)))
            if collinear(ring) or Polygon(ring).area <= 0:
                out.append("straight line")
    for position in positions:
        for value in position[:2]:
            if -Decimal(repr(value)).as_tuple().exponent > 6:
                out.append(f"decimals of {value!r}")
    if geometry["type"] == "MultiPolygon" and not shape(geometry).is_valid:
        out.append(explain_validity(shape(geometry)))
    return out


def float_cut_breaks(feature):
    return sum(
        not Polygon(cut(ring, "float")).is_valid if len(cut(ring, "float")) >= 4 else 1
        for rings in polygons_of(feature["geometry"])
        for ring in rings
    )


def ground(rings):
    """Square metres of a polygon with holes."""
    sizes = [abs(GEOD.polygon_area_perimeter(*zip(*[p[:2] for p in ring]))[0]) for ring in rings]
    return sizes[0] - sum(sizes[1:])


def check_folder(folder):
    inputs = json.load(open(os.path.join(folder, "input.json")))
    checks = json.load(open(os.path.join(folder, "checks.json")))
    left_out = {p["id"] for p in checks["plots"] if not p["in_geojson"]}
    files, by_id, violations, wobbly = {}, {}, [], 0
    for path in sorted(glob.glob(os.path.join(folder, "*.geojson"))):
        raw = open(path, "rb").read()
        files[os.path.basename(path)] = hashlib.sha256(raw).hexdigest()
        if len(raw) >= 25_000_000:
            violations.append(f"{path}: {len(raw)} bytes")
        document = json.loads(raw)
        if document["type"] != "FeatureCollection":
            violations.append(f"{path}: no FeatureCollection")
        for feature in document["features"]:
            identity = feature["properties"]["firstmile_id"]
            by_id.setdefault(identity, []).append(feature)
            violations += [f"{identity}: {fault}" for fault in check_feature(feature)]
            wobbly += float_cut_breaks(feature) > 0
        shown = subprocess.run(["ogrinfo", "-ro", "-so", "-al", path], capture_output=True, text=True)
        if shown.returncode != 0 or f"Feature Count: {len(document['features'])}" not in shown.stdout:
            violations.append(f"{path}: ogrinfo does not open it")
    for feature in inputs:
        if (feature["id"] in by_id) == (feature["id"] in left_out):
            violations.append(f"{feature['id']}: neither exported nor left out, or both")
    statements = sorted(glob.glob(os.path.join(folder, "dds*.json")))
    sent = [
        feature["properties"]["firstmile_id"]
        for path in statements
        for commodity in json.load(open(path))["statement"]["commodities"]
        for producer in commodity["producers"]
        for feature in json.loads(base64.b64decode(producer["geometryGeojson"], validate=True))["features"]
    ]
    if sorted(sent) != sorted(i for i, features in by_id.items() for _ in features):
        violations.append("the statements hold other plots than the GeoJSON")
    # The same ground: parts of an exported polygon lie on what came in, and on nothing twice.
    worst = 0.0
    for feature in inputs:
        parts = [shape(f["geometry"]) for f in by_id.get(feature["id"], []) if "Polygon" in f["geometry"]["type"]]
        if not parts or judge_input(feature) - {3, 7}:
            continue
        union = unary_union(parts)
        if sum(p.area for p in parts) > union.area * (1 + 1e-9) and feature["geometry"]["type"] != "MultiPolygon":
            violations.append(f"{feature['id']}: parts overlap")
        before = sum(ground(rings) for rings in polygons_of(feature["geometry"]))
        after = sum(ground(rings) for f in by_id[feature["id"]] for rings in polygons_of(f["geometry"]))
        length = sum(shape({"type": "Polygon", "coordinates": r}).length for r in polygons_of(feature["geometry"])) * 111_320
        # Half a step of the grid along the whole outline is the most that 6 decimals can move.
        worst = max(worst, abs(after - before) / max(1e-9, length * 0.11))
    if worst > 1:
        violations.append(f"ground changed by {worst} of what 6 decimals can move")
    return {
        "files": files,
        "inputs": len(inputs),
        "exported": len(by_id),
        "features": sum(map(len, by_id.values())),
        "left_out": len(left_out),
        "broken_by_floating_point": wobbly,
        "moved": round(worst, 3),
        "errors": {f["id"]: sorted(judge_input(f)) for f in inputs if judge_input(f)} if folder.endswith("cases") else {},
        "violations": violations,
    }


def main():
    root = sys.argv[1]
    verdicts = {name: check_folder(os.path.join(root, name)) for name in sorted(os.listdir(root))}
    json.dump({"shapely": shapely.__version__, "geos": ".".join(map(str, shapely.geos.geos_version)), "verdicts": verdicts}, sys.stdout, indent=1)
    print()
    return 1 if any(v["violations"] for v in verdicts.values()) else 0


sys.exit(main())
