"""Writes built-in-data.json: what shapely and PROJ say of points, from the same source files that the built-in data is packed from.

countries: lon, lat, alpha-3 codes of the outlines (inland waters and all) that hold the point
waters:    lon, lat, metres to the nearest water within 5 km (null: none), its kind (0 sea, 1 lake, 2 river)
Run from the repository with shapely 2: python3 test/oracles/built-in-data.py > test/oracles/built-in-data.json
"""
import json
import random

import numpy
import pyproj
import shapely

MODULES = "node_modules/@geo-maps"
RANDOM = random.Random(5)
KINDS = [2, 1, 0]


def polygons(geometry):
    lists = [geometry["coordinates"]] if geometry["type"] == "Polygon" else geometry["coordinates"]
    return [shapely.Polygon(rings[0], rings[1:]) for rings in lists]


def countries():
    with open(f"{MODULES}/countries-land-250m/map.geo.json", encoding="utf-8") as file:
        features = json.load(file)["features"]
    parts, codes = [], []
    for feature in features:
        for polygon in polygons(feature["geometry"]):
            parts.append(polygon)
            codes.append(feature["properties"]["A3"])
    tree = shapely.STRtree(parts)
    vertices = [shapely.get_coordinates(part) for part in RANDOM.sample(parts, 2000)]
    for i in range(2000):
        if i % 2 == 0:
            lon, lat = RANDOM.uniform(-180, 180), RANDOM.uniform(-60, 80)
        else:
            x, y = RANDOM.choice(vertices[i % 2000])
            lon, lat = x + RANDOM.uniform(-0.05, 0.05), y + RANDOM.uniform(-0.05, 0.05)
        lon, lat = round(lon, 6), round(lat, 6)
        hits = tree.query(shapely.Point(lon, lat), predicate="intersects")
        if len(hits):
            yield [lon, lat, sorted({codes[hit] for hit in hits})]


def waters():
    with open(f"{MODULES}/earth-waterbodies-250m/map.geo.json", encoding="utf-8") as file:
        geometries = json.load(file)["geometries"]
    parts, kinds = [], []
    for kind, geometry in zip(KINDS, geometries):
        for polygon in polygons(geometry):
            parts.append(polygon)
            kinds.append(kind)
    parts = numpy.array(parts)
    tree = shapely.STRtree(parts)
    near = shapely.get_coordinates(RANDOM.sample(list(parts), 3000))
    for _ in range(400):
        x, y = near[RANDOM.randrange(len(near))]
        if abs(y) > 75:
            continue
        yield nearest_water(round(x + RANDOM.uniform(-0.08, 0.08), 6), round(y + RANDOM.uniform(-0.08, 0.08), 6), parts, kinds, tree)


def nearest_water(lon, lat, parts, kinds, tree):
    point = shapely.Point(lon, lat)
    reach = 0.05 / numpy.cos(numpy.radians(lat))
    window = lon - reach, lat - 0.05, lon + reach, lat + 0.05
    project = pyproj.Transformer.from_crs("EPSG:4326", f"+proj=aeqd +lat_0={lat} +lon_0={lon} +ellps=WGS84", always_xy=True)
    found = []
    for hit in tree.query(shapely.box(*window)):
        if parts[hit].intersects(point):
            found.append((0.0, kinds[hit]))
            continue
        edges = shapely.clip_by_rect(shapely.boundary(parts[hit]), *window)
        if shapely.is_empty(edges):
            continue
        flat = shapely.transform(shapely.segmentize(edges, 0.002), lambda c: numpy.column_stack(project.transform(c[:, 0], c[:, 1])))
        found.append((round(shapely.distance(flat, shapely.Point(0, 0)), 2), kinds[hit]))
    found = [entry for entry in found if entry[0] <= 5000]
    return [lon, lat, *(min(found) if found else (None, None))]


ABOUT = f"shapely {shapely.__version__}, GEOS {shapely.geos_version_string}, pyproj {pyproj.__version__}"
print(json.dumps({"about": ABOUT, "countries": list(countries()), "waters": list(waters())}))
