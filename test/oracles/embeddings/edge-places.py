#!/usr/bin/python3
"""Places at edges, and where PROJ has them in the UTM zones whose files hold them: edge-places.json.

    /usr/bin/python3 test/oracles/embeddings/edge-places.py     (python3-pyproj)

The first zone of a place is the one that answers for it: that of its longitude, the north at the equator.
"""
import json
import pathlib

from pyproj import Transformer

TINY = 1e-7
PLACES = [
    ("east of a zone edge", -84 + TINY, 44, [32617, 32616]),
    ("on a zone edge", -84, 44, [32617, 32616]),
    ("west of a zone edge", -84 - TINY, 44, [32616, 32617]),
    ("65 degrees north", 24.5, 65, [32635, 32634]),
    ("65 degrees north, on a zone edge", 24, 65, [32635, 32634]),
    ("west of the antimeridian", 180 - TINY, -17, [32760, 32701]),
    ("on the antimeridian", 180, -17, [32701, 32760]),
    ("on the antimeridian, from the west", -180, -17, [32701, 32760]),
    ("east of the antimeridian", -180 + TINY, -17, [32701, 32760]),
    ("north of the equator", 10, TINY, [32632, 32732]),
    ("on the equator", 10, 0, [32632, 32732]),
    ("south of the equator", 10, -TINY, [32732, 32632]),
    ("on the prime meridian", 0, 7, [32631, 32630]),
    ("west of the prime meridian", -TINY, 7, [32630, 32631]),
    ("at 0, 0", 0, 0, [32631, 32630, 32731, 32730]),
    ("south-west of 0, 0", -TINY, -TINY, [32730, 32731, 32630, 32631]),
]


def in_zone(epsg, lon, lat):
    x, y = Transformer.from_crs(4326, epsg, always_xy=True).transform(lon, lat)
    return {"epsg": epsg, "x": round(x, 4), "y": round(y, 4)}


def on_tile_edge():
    """One centimetre to each side of an edge of pixels, which is one of files too."""
    degrees = Transformer.from_crs(32616, 4326, always_xy=True)
    for name, x, y in [("west", 359_999.99, 4_900_005), ("east", 360_000.01, 4_900_005)]:
        lon, lat = degrees.transform(x, y)
        yield {"name": f"{name} of an edge of files", "lon": lon, "lat": lat, "zones": [in_zone(32616, lon, lat)]}


def main():
    places = [
        {"name": name, "lon": lon, "lat": lat, "zones": [in_zone(epsg, lon, lat) for epsg in zones]}
        for name, lon, lat, zones in PLACES
    ]
    path = pathlib.Path(__file__).with_suffix(".json")
    path.write_text(json.dumps([*on_tile_edge(), *places], indent=2) + "\n")


if __name__ == "__main__":
    main()
