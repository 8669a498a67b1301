"""Finds the forest segments of a label store's arrays with scipy, knowing nothing of how the service does it.

Standard input: JSON with `width`, `height`, `column`, `row` (of the first cell among those of the array), and the paths of
raw little-endian files `labels` (uint32) and `status` (uint8). Standard output: JSON with `whole`, the row and column of the
marker of each segment that lies in what was built, and `cut`, how many go on where nothing was built.

A segment is a 4-connected component of equal labels; its marker is the cell whose row and column give its label. States: 0
nothing was built, 3 forest.
"""

import json
import sys

import numpy as np
from scipy import ndimage

request = json.load(sys.stdin)
shape = (request["height"], request["width"])
labels = np.fromfile(request["labels"], "<u4").reshape(shape)
status = np.fromfile(request["status"], "u1").reshape(shape)
chunk = request["chunk"]

# What is next to a chunk that was not built may go on there. Chunks are built as a whole.
built_chunks = status.reshape(shape[0] // chunk, chunk, shape[1] // chunk, chunk).any(axis=(1, 3))
built = np.kron(built_chunks, np.ones((chunk, chunk), bool)).astype(bool)
open_edge = ndimage.binary_dilation(~built) & built

rows, columns = np.indices(shape, dtype=np.int64)
own = (rows + request["row"]) % 65535 * 65536 + (columns + request["column"]) % 65536 + 1

kinds, numbers = np.unique(labels, return_inverse=True)
around = ndimage.find_objects(numbers.reshape(shape) + 1)
is_forest = np.isin(kinds, labels[status == 3])

whole, cut = [], 0
for kind in np.flatnonzero(is_forest):
    (top, left), label = (around[kind][0].start, around[kind][1].start), kinds[kind]
    components, count = ndimage.label(labels[around[kind]] == label)
    for number in range(1, count + 1):
        cells = np.argwhere(components == number) + (top, left)
        ys, xs = cells.T
        if not (status[ys, xs] == 3).all():
            raise SystemExit(f"the label {label} is forest in some of its cells only")
        marker = cells[own[ys, xs] == label]
        if open_edge[ys, xs].any():
            cut += len(marker)
        else:
            [(y, x)] = marker
            whole.append([int(y + request["row"]), int(x + request["column"])])
json.dump({"whole": sorted(whole), "cut": cut}, sys.stdout)
