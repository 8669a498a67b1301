#!/usr/bin/python3
"""Small synthetic TIFF files written by GDAL, and what rasterio reads from them and from the sample rasters.

    make-tiff-oracle.py           writes files/*.tif and tiff.json beside this script
    make-tiff-oracle.py FOLDER    writes every combination (some thousand files) and tiff.json into FOLDER

Files in the repository are a choice in which every two properties meet at least once, each below 2,000 bytes.
Values are given as the SHA-256 of all samples, row, column, band, little-endian. Needs Debian's python3-rasterio.
"""
import hashlib
import itertools
import json
import pathlib
import sys
import warnings

import numpy as np
import rasterio
from rasterio.errors import NotGeoreferencedWarning
from rasterio.transform import Affine

warnings.simplefilter("ignore")
HERE = pathlib.Path(__file__).parent
SAMPLES = HERE / "../../../../shared/data"
WIDTH, HEIGHT, BANDS = 21, 19, 2
MOST_BYTES = 2000
NORTH_UP = Affine(10, 0, 500000, 0, -10, 4000000)

FACTORS = {
    "type": ["int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"],
    "interleave": ["pixel", "band"],
    "compress": ["none", "lzw", "deflate", "packbits", "zstd"],
    "predictor": [1, 2, 3],
    "layout": ["tiles", "strips"],
    "endian": ["little", "big"],
    "big": ["classic", "bigtiff"],
}


def possible(one):
    if one["predictor"] > 1 and one["compress"] in ("none", "packbits"):
        return False
    return one["predictor"] < 3 or one["type"].startswith("float")


def values(dtype, width=WIDTH, height=HEIGHT, bands=BANDS):
    """A ramp with steps and a few odd values, extremes of the type among them; the same in every run."""
    rows, columns = np.mgrid[0:height, 0:width]
    out = np.empty((bands, height, width), dtype)
    for band in range(bands):
        wave = (columns // 3 * 5 + rows // 4 * 7 + band * 11) % 60
        if dtype.startswith("float"):
            out[band] = wave / 8 - 2
            out[band, 2, 3:5] = [np.finfo(dtype).max, np.finfo(dtype).min]
            out[band, 3, 3] = np.nan
        else:
            out[band] = wave
            out[band, 2, 3:5] = [np.iinfo(dtype).max, np.iinfo(dtype).min]
    return out


def write(path, data, transform=NORTH_UP, crs="EPSG:32630", nodata=None, tags=None, **options):
    bands, height, width = data.shape
    profile = {"driver": "GTiff", "dtype": str(data.dtype), "count": bands, "height": height, "width": width}
    with rasterio.open(path, "w", **profile, crs=crs, transform=transform, nodata=nodata, **options) as dataset:
        if tags:
            dataset.update_tags(**tags)
        for window, part in blocks_with_data(data, options):
            dataset.write(part, window=window)


def blocks_with_data(data, options):
    """Everything at once, or with SPARSE_OK only the tile in the middle."""
    if "SPARSE_OK" not in options:
        yield None, data
    else:
        yield rasterio.windows.Window(16, 0, 5, 16), data[:, 0:16, 16:21]


def layout(one):
    if one["layout"] == "tiles":
        blocks = {"tiled": True, "blockxsize": 16, "blockysize": 16}
    else:
        blocks = {"tiled": False, "blockysize": 5}
    options = {"interleave": one["interleave"], "compress": one["compress"], **blocks}
    if one["predictor"] > 1:
        options["predictor"] = one["predictor"]
    return {**options, "ENDIANNESS": one["endian"].upper(), "BIGTIFF": "YES" if one["big"] == "bigtiff" else "NO"}


def special(folder):
    """One file for each thing that the combinations do not show."""
    byte = values("uint8")
    write(folder / "bottom-up.tif", byte, transform=Affine(10, 0, 500000, 0, 10, 3990000))
    write(folder / "rotated.tif", byte, transform=Affine(8, 6, 500000, 6, -8, 4000000))
    write(folder / "pixel-is-point.tif", byte, tags={"AREA_OR_POINT": "Point"})
    write(folder / "rotated-point.tif", byte, transform=Affine(8, 6, 500000, 6, -8, 4e6), tags={"AREA_OR_POINT": "Point"})
    write(folder / "geographic.tif", byte, crs="EPSG:4326", transform=Affine(0.25, 0, -180, 0, -0.25, 90))
    write(folder / "no-place.tif", byte, crs=None, transform=None)
    write(folder / "own-crs.tif", byte, crs="+proj=laea +lat_0=10 +lon_0=20 +ellps=sphere")
    write(folder / "nodata-nan.tif", values("float32"), nodata=np.nan, compress="deflate")
    write(folder / "nodata-inf.tif", values("float32"), nodata=-np.inf, compress="deflate")
    write(folder / "nodata-lowest.tif", values("float32"), nodata=float(np.finfo("float32").min), compress="deflate")
    sparse = {"tiled": True, "blockxsize": 16, "blockysize": 16, "SPARSE_OK": "TRUE", "compress": "lzw"}
    write(folder / "sparse.tif", byte, nodata=7, **sparse)
    write(folder / "sparse-band.tif", byte, nodata=7, interleave="band", **sparse)
    write(folder / "sparse-zero.tif", byte, **sparse)
    write(folder / "one-pixel.tif", values("uint16", 6, 6, 1)[:, :1, :1])
    write(folder / "many-bands.tif", values("uint8", 6, 6, 70), compress="lzw")
    write(folder / "one-strip.tif", byte, blockysize=HEIGHT)
    # Changed after it was written: the directory moves to the end.
    write(folder / "directory-last.tif", byte, compress="deflate")
    with rasterio.open(folder / "directory-last.tif", "r+") as dataset:
        dataset.update_tags(NOTE="longer than before " * 5)
        dataset.nodata = 3
    with rasterio.open(folder / "no-place.tif") as plain:
        profile = {**plain.profile, "driver": "COG", "blocksize": 128}
        for name in ("tiled", "interleave", "blockxsize", "blockysize"):
            profile.pop(name, None)
        with rasterio.open(folder / "cloud-optimised.tif", "w", **{**profile, "compress": "deflate"}) as cog:
            cog.write(byte)


def describe(path):
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        rasterio.open(path).close()
    is_placed = not any(issubclass(one.category, NotGeoreferencedWarning) for one in told)
    with rasterio.open(path) as dataset:
        data = np.ascontiguousarray(dataset.read().transpose(1, 2, 0))
        transform = list(dataset.transform)[:6]
        epsg = dataset.crs.to_epsg(confidence_threshold=100) if dataset.crs else None
        block_height, block_width = dataset.block_shapes[0]
        return {
            "width": dataset.width,
            "height": dataset.height,
            "bands": dataset.count,
            "sampleType": dataset.dtypes[0],
            "nodata": None if dataset.nodata is None else str(dataset.nodata),
            "transform": transform if is_placed else None,
            "crs": f"EPSG:{epsg}" if epsg else None,
            "blockWidth": block_width,
            "blockHeight": block_height,
            "sha256": hashlib.sha256(data.tobytes()).hexdigest(),
        }


def pairs(one):
    return {((a, one[a]), (b, one[b])) for a, b in itertools.combinations(FACTORS, 2)}


def choose(combinations):
    """Greedy: the combination that shows most pairs that were not seen yet, until all were."""
    missing = set().union(*(pairs(one) for one in combinations))
    chosen = []
    while missing:
        best = max(combinations, key=lambda one: len(pairs(one) & missing))
        if not pairs(best) & missing:
            break
        missing -= pairs(best)
        chosen.append(best)
    return chosen


def name_of(one):
    return "-".join(str(one[factor]) for factor in FACTORS) + ".tif"


def main():
    every = [dict(zip(FACTORS, one)) for one in itertools.product(*FACTORS.values())]
    every = [one for one in every if possible(one)]
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else HERE
    folder = root / "files"
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.tif"):
        old.unlink()
    special(folder)
    for one in every:
        write(folder / name_of(one), values(one["type"]), **layout(one))
    if root == HERE:
        small = [one for one in every if (folder / name_of(one)).stat().st_size < MOST_BYTES]
        kept = {name_of(one) for one in choose(small)}
        for one in every:
            if name_of(one) not in kept:
                (folder / name_of(one)).unlink()
    answer = {"files": {path.name: describe(path) for path in sorted(folder.glob("*.tif"))}}
    answer["samples"] = {
        f"{kind}/{path.name}": describe(path)
        for kind in ("aef", "rasters")
        for path in sorted((SAMPLES / kind).glob("*.tif"))
    }
    (root / "tiff.json").write_text(json.dumps(answer, indent=1) + "\n")


if __name__ == "__main__":
    main()
