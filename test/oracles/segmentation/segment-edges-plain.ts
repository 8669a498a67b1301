import { assertDepth } from '../../../src/geo/segmentation/kernels/cut-kernel.ts';
import { descend, type Descent } from './descend.ts';
import type { EdgeImage } from '../../../src/geo/segmentation/kernels/edge-kernel.ts';
import { findSaddles } from './find-saddles.ts';
import { floodBasins, type Inlets } from './flood-basins.ts';
import { isLower, makeRelief, type Relief } from './relief.ts';
import type { Segmentation } from '../../../src/geo/segmentation/segment-edges.ts';

/**
 * Cuts an edge image into segments: the watershed of its minima of depth `depth`, 4-connected. Every part of the image
 * that is connected gets at least one segment; masked cells get none.
 *
 * The same partition as flooding with a priority queue (`flood-markers.ts`), without the queue: basins by
 * steepest descent, one spanning tree over the saddles between them, then each place looks for the neighbour that the
 * flood reaches first. Only where strengths are equal can the two differ, by their tie rules. Here the cell that comes
 * first in raster order counts as lower, always; so of minima that are equal and not `depth` apart one is the marker
 * (scikit-image marks all), and the outcome depends on nothing but the strengths and how they lie.
 * @param depth how much higher than its lowest cell a segment's rim must be for it to stand alone, in units of
 * 1 - cosine; above 0.
 * @throws RangeError when `depth` is not above 0.
 */
export function segmentEdgesPlain(image: EdgeImage, depth: number): Segmentation {
  assertDepth(depth);
  const relief = makeRelief(image);
  const descent = descend(relief);
  const saddles = findSaddles(relief, descent);
  const inlets = floodBasins(relief, descent, saddles, depth);
  const sources = findSources(relief, descent, saddles, inlets);
  return label(image, relief, descent, inlets, sources);
}

/**
 * For each place the neighbour from which the flood reaches it; for the bottom of a basin without marker the saddle over
 * which that basin is filled. That is the steepest way down, except at saddles above the water: there the flood may
 * have come up on another side first.
 */
function findSources(relief: Relief, descent: Descent, saddles: Int32Array, inlets: Inlets): Int32Array {
  const { heights, stride } = relief;
  const { basins, bottoms } = descent;
  const sources = descent.next.slice();
  for (let i = 0; i < saddles.length; i++) {
    const place = saddles[i];
    const inlet = inlets[basins[place]];
    if (inlet >= 0 && isLower(heights, place, inlet)) continue;
    sources[place] = firstFlooded(place, heights, stride, basins, inlets);
  }
  for (let basin = 0; basin < bottoms.length; basin++) {
    if (inlets[basin] >= 0) sources[bottoms[basin]] = inlets[basin];
  }
  return sources;
}

/** The neighbour that the rising flood reaches first, by the height at which it does so. */
function firstFlooded(place: number, heights: Int32Array, stride: number, basins: Int32Array, inlets: Inlets): number {
  let first = -1;
  let earliest = -1;
  for (let side = 0; side < 4; side++) {
    const neighbour = place + (side === 0 ? -stride : side === 1 ? -1 : side === 2 ? 1 : stride);
    if (basins[neighbour] < 0) continue;
    const inlet = inlets[basins[neighbour]];
    const reached = inlet >= 0 && isLower(heights, neighbour, inlet) ? inlet : neighbour;
    if (earliest >= 0 && !isLower(heights, reached, earliest)) continue;
    first = neighbour;
    earliest = reached;
  }
  return first;
}

/** Numbers the markers in raster order and hands the numbers down the sources. */
function label(image: EdgeImage, relief: Relief, descent: Descent, inlets: Inlets, sources: Int32Array): Segmentation {
  const { width, height } = image;
  const labels = new Int32Array(relief.heights.length);
  const markers = descent.bottoms.filter((_, basin) => inlets[basin] < 0).sort();
  for (let i = 0; i < markers.length; i++) labels[markers[i]] = i + 1;
  const cells = new Int32Array(width * height);
  for (let row = 0, cell = 0; row < height; row++) {
    let place = (row + 1) * relief.stride + 1;
    for (let column = 0; column < width; column++, cell++, place++) {
      if (sources[place] >= 0) cells[cell] = labels[place] || followSources(place, sources, labels);
    }
  }
  const toCell = (place: number) => place - relief.stride - 1 - 2 * (Math.floor(place / relief.stride) - 1);
  return { width, height, labels: cells, markers: markers.map(toCell) };
}

/** The label at the end of the way, written to every place on it. */
function followSources(place: number, sources: Int32Array, out: Int32Array): number {
  let end = place;
  while (out[end] === 0) end = sources[end];
  const found = out[end];
  for (let at = place; out[at] === 0; at = sources[at]) out[at] = found;
  return found;
}
