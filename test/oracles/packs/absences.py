#!/usr/bin/python3
"""Looks in two extracts of OpenStreetMap for what lies around 1,000 places, and writes absences.json.

Independent of the service: the extracts are read by GDAL's OSM driver, distances and areas are shapely's in UTM, and what counts as a
business is a list of its own. The test `packs-absences.test.ts` compares every `absent` of the service with it.
Needs python3-gdal, python3-shapely and python3-pyproj; usage: absences.py FOLDER_OF_EXTRACTS
"""
import json
import random
import re
import sys
from pathlib import Path

from osgeo import gdal
from pyproj import Transformer
from shapely import wkb
from shapely.geometry import Point
from shapely.ops import transform
from shapely.strtree import STRtree

gdal.UseExceptions()
PLACES = 500
UTM = {"duitama_co": 32618, "legazpi_ph": 32651}
DRIVABLE = re.compile(
    r"^((motorway|trunk|primary|secondary|tertiary)(_link)?|unclassified|residential|living_street|service|track|road)$"
)
INDUSTRIAL = {"industrial", "warehouse", "factory", "manufacture", "mill", "sawmill", "works", "silo", "storage_tank"}
# Anything that could be called a facility of the chain, more widely than the service does: none of it may be near an absence.
CHAINS = {
    "cattle": (
        {"amenity": {"slaughterhouse", "animal_breeding"}, "craft": {"tannery"}, "man_made": {"abattoir"}, "landuse": {"animal_keeping"},
         "industrial": {"slaughterhouse", "tannery"}, "product": {"meat", "leather"}},
        r"slaughterhouse|livestock market|cattle market|stockyard|feedlot|abattoir|matadero|matadouro|frigor[ií]fico"
        r"|(subasta|feria) ganadera|tannery|curtiembre|curtume",
    ),
    "timber": (
        {"craft": {"sawmill"}, "industrial": {"sawmill", "timber", "wood"}, "landuse": {"logging"}, "product": {"timber", "wood"}},
        r"saw ?mill|(timber|log) yard|wood processing|scierie|aserradero|serraria|plywood",
    ),
}
# Water to be seen on a map: not what is made for one purpose and has no banks.
WATERWAYS = {"river", "stream", "canal", "tidal_channel", "brook", "riverbank"}
BASINS = {"reservoir", "basin", "pond"}
NO_WATER = {"pool", "swimming_pool", "reflecting_pool", "fountain", "wastewater", "drain", "ditch"}
SEAMARKS = {"harbour", "harbour_basin", "berth", "terminal"}
# Not facilities, whatever they are called.
NEVER = ("shop", "amenity", "tourism", "leisure", "healthcare", "highway", "waterway", "place", "boundary", "historic")


def tags_of(feature):
    definition = feature.GetDefnRef()
    tags = {}
    for i in range(feature.GetFieldCount()):
        name = definition.GetFieldDefn(i).GetName()
        if feature.IsFieldSetAndNotNull(i) and name not in ("osm_id", "osm_way_id", "other_tags", "z_order"):
            tags[name] = feature.GetFieldAsString(i)
    other = feature.GetField("other_tags") if definition.GetFieldIndex("other_tags") >= 0 else None
    if other:
        for key, value in re.findall(r'"((?:[^"\\]|\\.)*)"=>"((?:[^"\\]|\\.)*)"', other):
            tags[key] = value
    return tags


def read(path, epsg):
    """Every feature of an extract: tags and geometry in metres."""
    project = Transformer.from_crs(4326, epsg, always_xy=True).transform
    for name in ("points", "lines", "multilinestrings", "multipolygons"):
        source = gdal.OpenEx(str(path), gdal.OF_VECTOR)
        layer = source.ExecuteSQL(f"SELECT * FROM {name}")
        for feature in layer:
            geometry = feature.GetGeometryRef()
            if geometry is None:
                continue
            yield name, tags_of(feature), transform(project, wkb.loads(bytes(geometry.ExportToWkb())))
        source.ReleaseResultSet(layer)


def is_chain(tags, commodity):
    kinds, names = CHAINS[commodity]
    if any(tags.get(key) in values for key, values in kinds.items()):
        return True
    if any(key in tags for key in NEVER):
        return False
    texts = " ; ".join(value for key, value in tags.items() if re.match(r"(name|operator|brand|owner|alt_name|official_name)", key))
    return re.search(names, texts, re.I) is not None


def is_water(layer, tags):
    if tags.get("natural") == "coastline":
        return True
    if tags.get("natural") == "water":
        # A ring that does not close is no water body, whatever its tags.
        return layer == "multipolygons" and tags.get("water") not in NO_WATER
    if tags.get("landuse") in BASINS:
        return layer == "multipolygons"
    return tags.get("waterway") in WATERWAYS


def is_port(tags):
    return (tags.get("industrial") == "port" or tags.get("landuse") in ("port", "harbour") or tags.get("port", "no") != "no"
            or tags.get("harbour", "no") != "no" or tags.get("seamark:type") in SEAMARKS or tags.get("man_made") == "quay"
            or tags.get("amenity") == "ferry_terminal")


class Found:
    """Features to be searched; the tree of shapely before version 2 gives geometries back, from 2 on their numbers."""

    def __init__(self, features):
        self.features = features
        self.tree = STRtree([geometry for _, geometry in features])
        self.numbers = {id(geometry): i for i, (_, geometry) in enumerate(features)}

    def around(self, point, metres):
        hits = self.tree.query(point.buffer(metres))
        numbers = [self.numbers[id(hit)] if hasattr(hit, "distance") else int(hit) for hit in hits]
        found = [self.features[i] for i in numbers]
        return [(kind, geometry) for kind, geometry in found if geometry.distance(point) <= metres]

    def nearest(self, point, metres):
        distances = [geometry.distance(point) for _, geometry in self.around(point, metres)]
        return round(min(distances), 1) if distances else None


def built_up(buildings, point, metres):
    """Share of the circle that footprints cover."""
    circle = point.buffer(metres, 64)
    area = 0
    for _, geometry in buildings.around(point, metres):
        west, south, east, north = geometry.bounds
        corners = ((x - point.x) ** 2 + (y - point.y) ** 2 for x in (west, east) for y in (south, north))
        inside = max(corners) <= metres**2
        area += geometry.area if inside else geometry.buffer(0).intersection(circle).area
    return round(area / circle.area, 4)


def look(path, epsg):
    roads, buildings, land, water, ports = [], [], [], [], []
    chains = {commodity: [] for commodity in CHAINS}
    for layer, tags, geometry in read(path, epsg):
        if DRIVABLE.match(tags.get("highway", "")) and tags.get("area") != "yes":
            roads.append((None, geometry))
        if layer == "multipolygons" and tags.get("building", "no") != "no":
            industrial = tags["building"] in INDUSTRIAL or "industrial" in tags or tags.get("man_made") in ("works", "silo")
            buildings.append((industrial, geometry))
        if tags.get("man_made") == "works" or tags.get("landuse") == "industrial":
            land.append((None, geometry))
        if is_water(layer, tags):
            water.append((None, geometry))
        if is_port(tags):
            ports.append((None, geometry))
        for commodity, found in chains.items():
            if is_chain(tags, commodity):
                found.append((tags.get("name", ""), geometry))
    trees = {name: Found(features)
             for name, features in {"roads": roads, "buildings": buildings, "land": land, "water": water, "ports": ports,
                                    **chains}.items() if features}
    # Places around the buildings, some near them and some in the hills.
    generator = random.Random(2026)
    back = Transformer.from_crs(epsg, 4326, always_xy=True).transform
    forth = Transformer.from_crs(4326, epsg, always_xy=True).transform
    middles = [geometry.centroid for _, geometry in buildings]
    places = []
    for i in range(PLACES):
        base = generator.choice(middles)
        spread = 150 if i % 2 == 0 else 1_500
        lon, lat = back(base.x + generator.gauss(0, spread), base.y + generator.gauss(0, spread))
        lon, lat = round(lon, 6), round(lat, 6)
        point = Point(*forth(lon, lat))
        near = trees["buildings"].around(point, 100)
        areas = [geometry.area for _, geometry in near]
        places.append({
            "lon": lon,
            "lat": lat,
            "road": trees["roads"].nearest(point, 1_500),
            "largest": round(max(areas, default=0)),
            "together": round(sum(areas)),
            "industrial": any(kind for kind, _ in near) or ("land" in trees and trees["land"].nearest(point, 100) is not None),
            "water": trees["water"].nearest(point, 1_500),
            "port": trees["ports"].nearest(point, 3_000) if "ports" in trees else None,
            "builtUp": built_up(trees["buildings"], point, 500),
            "buildings": len(trees["buildings"].around(point, 1_500)),
            **{commodity: trees[commodity].nearest(point, 3_000) if commodity in trees else None for commodity in CHAINS},
        })
    return places


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    answer = {name: look(folder / f"{name}.osm.pbf", epsg) for name, epsg in UTM.items()}
    here = Path(__file__).resolve().parent
    lines = ",\n".join(
        f'"{name}": [\n' + ",\n".join(json.dumps(place, separators=(",", ":")) for place in places) + "\n]" for name, places in answer.items()
    )
    (here / "absences.json").write_text("{\n" + lines + "\n}\n")
