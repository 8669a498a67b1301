"""Facility checks in vectorised shapely 2 and scipy, on one thread, in a plane that is true to scale at the middle latitude.
Reads flat float64 files; first says whether it can, then answers each line of JSON with seconds for so many facilities."""
import json, sys, time
import numpy as np
try:
    import shapely
    from scipy.spatial import cKDTree
    missing = None if int(shapely.__version__.split(".")[0]) >= 2 else f"shapely {shapely.__version__} is not vectorised"
except ImportError as error:
    missing = str(error)
if missing is not None:
    print(json.dumps({"missing": missing}), flush=True)
    sys.exit(0)

folder = sys.argv[1]
def load(name, shape): return np.fromfile(f"{folder}/{name}.f64").reshape(shape)
facilities = load("facilities", (-1, 2))
scale = np.array([111320 * np.cos(np.radians(facilities[:, 1].mean())), 110574])
def plane(points): return points * scale
roads = shapely.linestrings(plane(load("roads", (-1, 5, 2))))
rivers = shapely.linestrings(plane(load("rivers", (-1, 12, 2))))
corners = plane(load("buildings", (-1, 4, 2)))
buildings = shapely.polygons(np.concatenate([corners, corners[:, :1]], axis=1))
areas = shapely.area(buildings)
road_tree, river_tree, building_tree = (shapely.STRtree(these) for these in (roads, rivers, buildings))
for tree, sample in ((road_tree, roads), (river_tree, rivers), (building_tree, buildings)): tree.query(sample[0])
businesses, ports = (cKDTree(plane(load(name, (-1, 2)))) for name in ("businesses", "ports"))
cells = load("cells", (-1, 3))
cell_tree = cKDTree(plane(cells[:, :2]))
print(json.dumps({"missing": None}), flush=True)

for line in sys.stdin:
    if not line.strip(): continue
    count = json.loads(line)["count"]
    xy = plane(facilities[:count])
    start = time.perf_counter()
    points = shapely.points(xy)
    road_tree.query_nearest(points, max_distance=1000, return_distance=True)
    river_tree.query_nearest(points, max_distance=5000, return_distance=True)
    ports.query(xy, distance_upper_bound=50000)
    who, what = building_tree.query(points, predicate="dwithin", distance=100)
    number = np.bincount(who, minlength=count)
    together = np.bincount(who, weights=areas[what], minlength=count)
    shops = businesses.query_ball_point(xy, 2000, return_length=True)
    taken = np.array([cells[near, 2].sum() for near in cell_tree.query_ball_point(xy, 500)])
    print(json.dumps({"seconds": time.perf_counter() - start}), flush=True)
