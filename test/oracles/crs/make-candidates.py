#!/usr/bin/python3
"""First half of making the CRS table: what PROJ answers, and which proj4 definitions might answer the same.

For every projected and geographic 2D EPSG code that is not deprecated: a 5 x 5 grid of points inside its area of use,
transformed from EPSG:4326 by cs2cs without grid files and network, and the PROJ string with every seven-parameter shift
that PROJ lists for its datum. Ballpark transformations are off, so that a code whose datum has no known relation to
WGS 84 gets no answer, except for datums of the satellite age, where they mean "same as WGS 84" (a metre or two). `build-table.ts` keeps the codes for which proj4 with one of the candidates gives the same.

Run: /usr/bin/python3 test/oracles/crs/make-candidates.py OUT.json   (about ten minutes; needs proj-bin, python3-pyproj)
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import warnings

# Only PROJ's database and no grid file: what a machine without any grid would answer.
folder = tempfile.mkdtemp(prefix="proj-without-grids-")
for name in ("proj.db", "proj.ini"):
    os.symlink(f"/usr/share/proj/{name}", f"{folder}/{name}")
os.environ.update(PROJ_DATA=folder, PROJ_LIB=folder, PROJ_NETWORK="OFF", PROJ_USER_WRITABLE_DIRECTORY=folder)

from pyproj import CRS, Transformer  # noqa: E402
from pyproj.database import query_crs_info  # noqa: E402
from pyproj.enums import PJType  # noqa: E402
from pyproj.exceptions import ProjError  # noqa: E402
from pyproj.transformer import TransformerGroup  # noqa: E402

warnings.simplefilter("ignore")
GRID = (0.1, 0.3, 0.5, 0.7, 0.9)
MODERN = ("GRS 1980", "WGS 84", "CGCS2000")
PARAMETERS = ("x", "y", "z", "rx", "ry", "rz", "s")


def sample_points(area):
    """25 points inside the area of use, longitudes in -180..180, kept 5 degrees from the poles."""
    west, south, east, north = area.west, max(area.south, -85.0), area.east, min(area.north, 85.0)
    if east < west:
        east += 360
    points = []
    for v in GRID:
        for u in GRID:
            lon = west + u * (east - west)
            points.append((round(lon - 360 if lon > 180 else lon, 7), round(south + v * (north - south), 7)))
    return points


def cs2cs(code, points, options):
    """The two numbers of each point as cs2cs prints them, or None where it has no answer."""
    text = "".join(f"{lat:.7f} {lon:.7f}\n" for lon, lat in points)
    run = subprocess.run(
        ["/usr/bin/cs2cs", *options, "-f", "%.10f", "EPSG:4326", f"EPSG:{code}"],
        input=text, capture_output=True, text=True, check=False,
    )
    rows = []
    for line in run.stdout.splitlines():
        cells = line.split()
        rows.append(None if len(cells) < 2 or "*" in cells[0] else (float(cells[0]), float(cells[1])))
    return rows if len(rows) == len(points) else [None] * len(points)


def is_geocentric(crs):
    """True for datums of the satellite age. Where PROJ knows no shift for one of them, it takes it as WGS 84, and so do we."""
    return crs.ellipsoid.name in MODERN and crs.prime_meridian.longitude == 0


def operations_to_wgs84(base):
    try:
        return TransformerGroup(base, "EPSG:4326", always_xy=True).transformers
    except ProjError:
        return []  # PROJ 9.1 cannot build some of its own pipelines; the code is then refused unless it needs no shift


def shifts_of(base, cache):
    """Every towgs84 that PROJ's operations from this datum to WGS 84 amount to, best first."""
    key = base.to_string()
    if key not in cache:
        found = []
        for operation in operations_to_wgs84(base):
            total, usable = [0.0] * 7, True
            for step in re.split(r"\bstep\b", operation.definition):
                if "proj=helmert" in step:
                    values = dict(re.findall(r"\b(\w+)=(-?[\d.e+-]+)", step))
                    sign = -1.0 if re.search(r"\binv\b", step) else 1.0
                    turn = -1.0 if "coordinate_frame" in step else 1.0
                    for i, name in enumerate(PARAMETERS):
                        total[i] += sign * (turn if name.startswith("r") else 1.0) * float(values.get(name, 0))
                elif re.search(r"proj=(hgridshift|molobadekas|gridshift|deformation|geogoffset)", step):
                    usable = False
            text = ",".join(f"{v:.15g}" for v in (total if any(total[3:]) else total[:3]))
            if usable and text not in found:
                found.append(text)
        cache[key] = found
    return cache[key]


def main(out):
    cache, rows = {}, []
    infos = query_crs_info("EPSG", [PJType.PROJECTED_CRS]) + query_crs_info("EPSG", [PJType.GEOGRAPHIC_2D_CRS])
    for info in sorted(infos, key=lambda info: int(info.code)):
        code = int(info.code)
        crs = CRS.from_epsg(code)
        if crs.area_of_use is None:
            continue
        points = sample_points(crs.area_of_use)
        answers = cs2cs(code, points, () if is_geocentric(crs) else ("--no-ballpark",))
        kept = [(lon, lat, *xy) for (lon, lat), xy in zip(points, answers) if xy is not None]
        if len(kept) < 5:
            rows.append({"code": code, "name": crs.name, "points": []})
            continue
        # GeoJSON order is x, y; the authority's order is whatever it is. PROJ's own x, y answer says which.
        lon, lat, first, second = kept[0]
        x, y = Transformer.from_crs("EPSG:4326", crs, always_xy=True).transform(lon, lat)
        swapped = abs(first - x) + abs(second - y) > abs(first - y) + abs(second - x)
        if swapped:
            kept = [(lon, lat, b, a) for lon, lat, a, b in kept]
        rows.append({
            "code": code,
            "name": crs.name,
            "area": [crs.area_of_use.west, crs.area_of_use.south, crs.area_of_use.east, crs.area_of_use.north],
            "geographic": crs.is_geographic,
            "metresPerUnit": None if crs.is_geographic else crs.axis_info[0].unit_conversion_factor,
            "definition": crs.to_proj4(),
            "shifts": shifts_of(crs.geodetic_crs, cache),
            "points": kept,
        })
        if len(rows) % 500 == 0:
            print(len(rows), file=sys.stderr)
    with open(out, "w", encoding="utf-8") as file:
        json.dump(rows, file)


main(sys.argv[1])
