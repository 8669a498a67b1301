"""Makes the synthetic cadastre of the parcel tests: Voronoi cells of random places, one with a hole and the parcel in it,
one in two parts, two strata over another, one missing (a lake). Writes parcels.geojson and points.json. shapely 1.8 or 2."""
import json, random
from shapely.geometry import MultiPoint, Polygon, box, mapping
from shapely.ops import voronoi_diagram

random.seed(8)
WEST, SOUTH, EAST, NORTH = -89.4, 43.05, -89.38, 43.065
frame = box(WEST, SOUTH, EAST, NORTH)
seeds = MultiPoint([(random.uniform(WEST, EAST), random.uniform(SOUTH, NORTH)) for _ in range(40)])
cells = [cell.intersection(frame) for cell in voronoi_diagram(seeds, envelope=frame).geoms]
cells.sort(key=lambda cell: (cell.bounds[0], cell.bounds[1]))
features = []


def add(name, shape, kind):
    features.append({"type": "Feature", "properties": {"PARCELID": name, "KIND": kind, "ACRES": round(shape.area * 2e6, 3),
                     "PIN": 900719925474099312 + len(features)}, "geometry": mapping(shape)})


inner = [i for i, cell in enumerate(cells) if not cell.touches(frame.exterior)]
holed, split, lake, strata = inner[0], inner[3], inner[6], inner[9]
for i, cell in enumerate(cells):
    name = "L-%03d" % (i + 1)
    if i == lake:
        continue
    if i == holed:
        island = cell.centroid.buffer(0.0004, resolution=3)
        add(name, Polygon(cell.exterior.coords, [island.exterior.coords]), "hole")
        add(name + "-island", island, "island")
    elif i == split:
        x, y, _, _ = cell.bounds
        middle = cell.centroid.x
        road = box(middle - 0.0001, y - 1, middle + 0.0001, y + 1)
        add(name, cell.difference(road), "two parts")
    else:
        add(name, cell, "plain")
    if i == strata:
        lot = cell.centroid.buffer(0.0003, resolution=2)
        add(name + "-S2", lot, "strata")
        add(name + "-S1", lot, "strata")
points = [(random.uniform(WEST - 0.001, EAST + 0.001), random.uniform(SOUTH - 0.001, NORTH + 0.001)) for _ in range(300)]
points += [cells[i].centroid.coords[0] for i in (holed, split, lake, strata)]
points += [cell.exterior.coords[1] for cell in cells]
json.dump({"type": "FeatureCollection", "features": features}, open("parcels.geojson", "w"), separators=(",", ":"))
json.dump(points, open("points.json", "w"), separators=(",", ":"))
