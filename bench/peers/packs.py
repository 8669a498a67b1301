"""Facility checks in vectorised shapely 2 and scipy, on one thread, in a plane that is true to scale at the middle latitude. Where there is
only shapely 1, GEOS is called from C in the way shapely 2 calls it (geos-bulk.c, needs cc and libgeos-dev).
Reads flat float64 files; first says who it is or what is missing, then answers each line of JSON with seconds for so many facilities."""
import ctypes, json, os, subprocess, sys, time
import numpy as np

folder = sys.argv[1]
def load(name, shape): return np.fromfile(f"{folder}/{name}.f64").reshape(shape)


class Shapely:
    """Lines or polygons of shapely 2."""
    def __init__(self, corners, polygons):
        self.items = shapely.polygons(corners) if polygons else shapely.linestrings(corners)
        self.areas = shapely.area(self.items)
        self.tree = shapely.STRtree(self.items)
        self.tree.query(self.items[0])
    def nearest(self, xy, limit):
        self.tree.query_nearest(shapely.points(xy), max_distance=limit, return_distance=True)
    def within(self, xy, distance):
        who, what = self.tree.query(shapely.points(xy), predicate="dwithin", distance=distance)
        return np.bincount(who, minlength=len(xy)), np.bincount(who, weights=self.areas[what], minlength=len(xy))


def address(array): return array.ctypes.data_as(ctypes.c_void_p)


class Geos:
    """The same of GEOS itself."""
    def __init__(self, corners, polygons):
        corners = np.ascontiguousarray(corners)
        x, y = corners[..., 0], corners[..., 1]
        self.areas = np.abs((x[:, :-1] * y[:, 1:] - x[:, 1:] * y[:, :-1]).sum(axis=1)) / 2
        self.layer = ctypes.c_void_p(geos.layer_open(address(corners), ctypes.c_long(len(corners)), corners.shape[1], int(polygons)))
    def nearest(self, xy, limit):
        distances = np.empty(len(xy))
        geos.layer_nearest(self.layer, address(xy), ctypes.c_long(len(xy)), ctypes.c_double(limit), address(distances))
        return distances
    def within(self, xy, distance):
        counts, sums = np.empty(len(xy), np.int64), np.empty(len(xy))
        geos.layer_within(self.layer, address(xy), ctypes.c_long(len(xy)), ctypes.c_double(distance), address(self.areas), address(counts), address(sums))
        return counts, sums


def say(**what): print(json.dumps(what), flush=True)

try:
    from scipy.spatial import cKDTree
    import shapely
    Layer, name = Shapely, f"shapely {shapely.__version__}"
    if int(shapely.__version__.split(".")[0]) < 2:
        library = os.path.join(folder, "geos-bulk.so")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "geos-bulk.c")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-lgeos_c"], check=True)
        geos = ctypes.CDLL(library)
        geos.layer_open.restype = ctypes.c_void_p
        Layer, name = Geos, "GEOS called from C as shapely 2 does"
except (ImportError, OSError, subprocess.CalledProcessError) as error:
    say(missing=str(error), name=None)
    sys.exit(0)

facilities = load("facilities", (-1, 2))
scale = np.array([111320 * np.cos(np.radians(facilities[:, 1].mean())), 110574])
def plane(points): return points * scale
roads = Layer(plane(load("roads", (-1, 5, 2))), False)
rivers = Layer(plane(load("rivers", (-1, 12, 2))), False)
corners = plane(load("buildings", (-1, 4, 2)))
buildings = Layer(np.concatenate([corners, corners[:, :1]], axis=1), True)
businesses, ports = (cKDTree(plane(load(name, (-1, 2)))) for name in ("businesses", "ports"))
cells = load("cells", (-1, 3))
cell_tree = cKDTree(plane(cells[:, :2]))
middle_tree = cKDTree((corners.min(axis=1) + corners.max(axis=1)) / 2)
say(missing=None, name=name)

for line in sys.stdin:
    if not line.strip(): continue
    count = json.loads(line)["count"]
    xy = plane(facilities[:count])
    start, processor = time.perf_counter(), time.process_time()
    roads.nearest(xy, 1000)
    rivers.nearest(xy, 5000)
    ports.query(xy, distance_upper_bound=50000)
    number, together = buildings.within(xy, 100)
    shops = businesses.query_ball_point(xy, 2000, return_length=True)
    queried = time.perf_counter() - start, time.process_time() - processor
    def summed(tree, values):
        start, processor = time.perf_counter(), time.process_time()
        taken = np.array([values[near].sum() for near in tree.query_ball_point(xy, 500)])
        return dict(seconds=queried[0] + time.perf_counter() - start, processor=queried[1] + time.process_time() - processor, taken=float(taken.sum()))
    say(cells=summed(cell_tree, cells[:, 2]), footprints=summed(middle_tree, buildings.areas), buildings=int(number.sum()))
