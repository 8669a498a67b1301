#!/usr/bin/python3
"""Has rasterio (GDAL) read what `encode-tiff.ts` writes, in every compression, and stores the files' SHA-256.

    node test/oracles/tiff/written.ts FOLDER
    make-written-oracle.py FOLDER          writes written.json beside this script; fails when a file is not as intended

The sums of files without compression depend on nothing but the writer, so a test can compare them without GDAL.
"""
import hashlib
import json
import pathlib
import sys
import warnings

import numpy as np
import rasterio
from rasterio.transform import Affine

warnings.simplefilter("ignore")
EXPECTED = {
    "north-up": ("uint8", 3, Affine(10, 0, 5e5, 0, -10, 4e6), 32630, None),
    "bottom-up": ("int8", 3, Affine(10, 0, 5e5, 0, 10, 3.99e6), 32630, -128),
    "rotated": ("float64", 3, Affine(8, 6, 5e5, 6, -8, 4e6), 32630, None),
    "geographic": ("float32", 3, Affine(0.25, 0, -180, 0, -0.25, 90), 4326, np.nan),
    "many-bands": ("int8", 64, Affine(10, 0, 5e5, 0, -10, 4e6), 32630, -128),
    "unsigned": ("uint32", 1, Affine(10, 0, 5e5, 0, -10, 4e6), 32630, 0),
    "unplaced": ("int16", 3, Affine.identity(), None, None),
}


def check(path):
    dtype, bands, transform, epsg, nodata = EXPECTED[path.name.split(".")[0]]
    with rasterio.open(path) as dataset:
        assert set(dataset.dtypes) == {dtype}, (path, dataset.dtypes)
        assert dataset.count == bands, (path, dataset.count)
        assert dataset.transform == transform, (path, dataset.transform)
        assert (dataset.crs.to_epsg() if dataset.crs else None) == epsg, (path, dataset.crs)
        same = dataset.nodata == nodata or (nodata is not None and np.isnan(nodata) and np.isnan(dataset.nodata))
        assert same, (path, dataset.nodata)
        data = dataset.read().transpose(1, 2, 0)
        assert np.array_equal(data.ravel(), (np.arange(data.size) * 7 % 101).astype(dtype)), path


def main():
    folder = pathlib.Path(sys.argv[1])
    paths = sorted(folder.glob("*.tif"))
    assert len(paths) == 3 * len(EXPECTED), paths
    for path in paths:
        check(path)
    sums = {name: {"file": hashlib.sha256((folder / f"{name}.tif").read_bytes()).hexdigest()} for name in EXPECTED}
    (pathlib.Path(__file__).parent / "written.json").write_text(json.dumps(sums, indent=1) + "\n")


if __name__ == "__main__":
    main()
