/**
 * Segments cut from a mosaic in degrees compared with those cut from the UTM raster it was made from, by what is done about its
 * oblong pixels. 500 forest points of the sample raster; depths are those at which each way does best.
 *
 *     node bench/mosaic.ts
 *
 * Needs the sample rasters. Prints the table of docs/decisions/2026-11-21-mosaic.md; every run finds the same.
 */
import { windowOfGrid } from '../src/geo/segmentation/code-window.ts';
import { BANDS, type Grid, NODATA, SQUARES } from '../src/geo/segmentation/grid.ts';
import { detectBlockPhase } from '../src/geo/segmentation/detect-block-phase.ts';
import { type EdgeImage, edgeStrength } from '../src/geo/segmentation/kernels/edge-kernel.ts';
import weights from '../src/geo/segmentation/forest-gate.json' with { type: 'json' };
import { type Segmentation, segmentEdges } from '../src/geo/segmentation/segment-edges.ts';
import { latticeProjection } from '../src/geo/outline/lattice.ts';
import { MOSAIC, sampleGrid } from '../test/contracts/embeddings/mosaic.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { saveResult } from './results.ts';

const POINTS = 500;
const DEPTH = 0.005;
/** Samples across a pixel on which segments are compared. */
const FINE = 2;
const AREA_KM2 = 54.8;

const sample = sampleGrid('wisconsin_west');
if (sample === null) throw new Error('the sample raster wisconsin_west.tif is not there');

const truth = truthOf(sample);
const mosaic = toMosaic(sample);
const cos = Math.cos((44.3 * Math.PI) / 180);
console.log(`UTM: ${(truth.cut.markers.length / AREA_KM2).toFixed(1)} segments a km2`);
console.log(`block confidence: UTM ${confidenceOf(sample)}, mosaic ${confidenceOf(mosaic)}`);
const cells = pool(mosaic, 2, 0);
const unweighted = report('2 x 2 pixels, unweighted', mosaic, 2, edges(cells, 1), DEPTH);
const weighted = report('2 x 2, east-west weight 1 / cos', mosaic, 2, edges(cells, 1 / cos), DEPTH);
report('2 x 2, east-west weight 1 / sqrt cos', mosaic, 2, edges(cells, cos ** -0.5), DEPTH);
report('2 x 2, east-west weight cos', mosaic, 2, edges(cells, cos), DEPTH);
const wide = pool(mosaic, 3, 0);
report('3 x 2 pixels, unweighted', mosaic, 3, edges(wide, 1), DEPTH);
report('3 x 2 pixels, weighted', mosaic, 3, edges(wide, 2 / (3 * cos)), DEPTH);
const shared = pool(mosaic, 2, 0.4);
report('2 x 2 and 0.4 of the pixels next to it', mosaic, 2, edges(shared, 1), 0.0035);
report('2 x 2, Gaussian sigma 0.5 cells', mosaic, 2, edges(smooth(cells, 0.5), 1), 0.003);
report('2 x 2, Gaussian sigma 1 cell', mosaic, 2, edges(smooth(cells, 1), 1), 0.001);
const back = toUtm(mosaic, sample);
console.log(`block confidence: read back to UTM ${confidenceOf(back)}`);
const readBack = report('read back to UTM, 2 x 2', back, 2, edgeStrength(windowOfGrid(back)), DEPTH);
const mixed = toMosaic(sample, 'EPSG:32615');
const mixedUnweighted = report('two zones averaged: 2 x 2 unweighted', mixed, 2, edges(pool(mixed, 2, 0), 1), DEPTH);
const mixedBack = toUtm(mixed, sample);
const mixedReadBack = report(
  'two zones averaged: read back',
  mixedBack,
  2,
  edgeStrength(windowOfGrid(mixedBack)),
  DEPTH,
);
const elsewhere: { readonly unweighted: number; readonly readBack: number }[] = [];
for (const northing of [30_010, 3_320_010, 6_100_010, 7_210_010]) {
  for (const easting of [270_030, 500_030]) {
    // The same codes, as if they lay elsewhere in the zone.
    const moved: Grid = { ...sample, transform: [10, 0, easting, 0, -10, northing] };
    const degrees = toMosaic(moved);
    const place = `${easting / 1000} km east, ${northing / 1000} km north`;
    const plain = report(`${place}: 2 x 2 unweighted`, degrees, 2, edges(pool(degrees, 2, 0), 1), DEPTH, moved);
    const again = toUtm(degrees, moved);
    const found = report(`${place}: read back`, again, 2, edgeStrength(windowOfGrid(again)), DEPTH, moved);
    elsewhere.push({ unweighted: plain, readBack: found });
  }
}
const least = (of: (one: (typeof elsewhere)[number]) => number): string => Math.min(...elsewhere.map(of)).toFixed(3);
const WHAT = `segments of the public mosaic in degrees, read back to UTM as lookups do, compared with those of the UTM file: intersection over union, median of ${POINTS} forest points`;
saveResult(
  'mosaic',
  [
    {
      what: WHAT,
      ours: `${readBack.toFixed(3)}; cut in degrees ${unweighted.toFixed(3)}, weighted east to west ${weighted.toFixed(3)}`,
    },
    {
      what: 'the same where the mosaic averages two zones',
      ours: `${mixedReadBack.toFixed(3)}; cut in degrees ${mixedUnweighted.toFixed(3)}`,
    },
    {
      what: `the same codes at ${elsewhere.length} other places of a zone, the least of them`,
      ours: `${least((one) => one.readBack)}; cut in degrees ${least((one) => one.unweighted)}`,
    },
  ],
  1,
);

/** Segments of the raster itself, on fine samples, and the points that are looked at. */
function truthOf(grid: Grid) {
  const cut = segmentEdges(edgeStrength(windowOfGrid(grid)), DEPTH);
  const width = grid.width * FINE;
  const height = grid.height * FINE;
  const labels = Int32Array.from({ length: width * height }, (_, i) => {
    const row = Math.floor(Math.floor(i / width) / (2 * FINE));
    return cut.labels[row * cut.width + Math.floor((i % width) / (2 * FINE))];
  });
  const isEdge = new Set<number>();
  labels.forEach((label, i) => {
    const [x, y] = [i % width, Math.floor(i / width)];
    if (x === 0 || y === 0 || x === width - 1 || y === height - 1) isEdge.add(label);
  });
  const forest = forestLabels(grid, cut);
  const random = seededRandom(7);
  const points: number[] = [];
  while (points.length < POINTS) {
    const at = Math.floor(random() * labels.length);
    if (forest.has(labels[at]) && !isEdge.has(labels[at])) points.push(at);
  }
  return { cut, width, height, labels, points };
}

/** Labels whose mean probability of forest is at least one half. */
function forestLabels(grid: Grid, cut: Segmentation): Set<number> {
  const { units } = pool(grid, 2, 0);
  const sums = new Map<number, number>();
  cut.labels.forEach((label, cell) => {
    let logit = weights.bias;
    for (let band = 0; band < BANDS; band++) logit += weights.weights[band] * units[cell * BANDS + band];
    sums.set(label, (sums.get(label) ?? 0) + 1 / (1 + Math.exp(-logit)) - 0.5);
  });
  return new Set([...sums].filter(([, sum]) => sum >= 0).map(([label]) => label));
}

/** The median overlap with the segments of the UTM raster. */
function report(
  name: string,
  grid: Grid,
  cellWidth: number,
  image: EdgeImage,
  depth: number,
  utm = sample as Grid,
): number {
  const cut = segmentEdges(image, depth);
  const labels = labelsOnSamples(cut, grid, cellWidth, utm);
  const sizes = count(labels);
  const wanted = count(truth.labels);
  const both = new Map<string, number>();
  labels.forEach((label, i) => {
    const pair = `${truth.labels[i]} ${label}`;
    both.set(pair, (both.get(pair) ?? 0) + 1);
  });
  const overlaps = truth.points.map((at) => {
    const [a, b] = [truth.labels[at], labels[at]];
    const shared = b === 0 ? 0 : (both.get(`${a} ${b}`) ?? 0);
    return shared / ((wanted.get(a) ?? 0) + (sizes.get(b) ?? 0) - shared);
  });
  overlaps.sort((a, b) => a - b);
  const above = (limit: number) => `${Math.round((100 * overlaps.filter((one) => one > limit).length) / POINTS)} %`;
  const numbers = [overlaps[POINTS / 2].toFixed(3), overlaps[POINTS / 10].toFixed(3), above(0.5), above(0.7)];
  console.log(`| ${name} | ${(cut.markers.length / AREA_KM2).toFixed(0)} | ${numbers.join(' | ')} |`);
  return overlaps[POINTS / 2];
}

/** The label under each fine sample of the UTM raster; 0 for none. */
function labelsOnSamples(cut: Segmentation, grid: Grid, cellWidth: number, utm: Grid): Int32Array {
  const from = latticeProjection(utm.crs);
  const to = latticeProjection(grid.crs);
  const [a, , c, , e, f] = grid.transform;
  const out = new Float64Array(2);
  return truth.labels.map((_, i) => {
    const x = utm.transform[2] + (10 * ((i % truth.width) + 0.5)) / FINE;
    const y = utm.transform[5] - (10 * (Math.floor(i / truth.width) + 0.5)) / FINE;
    from.toLonLat(x, y, out, 0);
    to.toXY(out[0], out[1], out, 0);
    const column = Math.floor((out[0] - c) / a / cellWidth);
    const row = Math.floor((out[1] - f) / e / 2);
    const isInside = column >= 0 && row >= 0 && column < cut.width && row < cut.height;
    return isInside ? cut.labels[row * cut.width + column] : 0;
  });
}

function count(labels: Int32Array): Map<number, number> {
  const counts = new Map<number, number>();
  for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  return counts;
}

function confidenceOf(grid: Grid): string {
  return detectBlockPhase(windowOfGrid(grid, 150, 150, 256, 256)).confidence.toFixed(2);
}

/** The part of the mosaic that a grid makes; with a second zone, the mean of its codes and those of that zone's blocks. */
function toMosaic(grid: Grid, secondZone: string | null = null): Grid {
  const { west, north, pixel } = MOSAIC;
  const projection = latticeProjection(grid.crs);
  const second = secondZone === null ? null : latticeProjection(secondZone);
  const [a, , c, , e, f] = grid.transform;
  const out = new Float64Array(8);
  for (let i = 0; i < 4; i++)
    projection.toLonLat(c + (i & 1) * a * grid.width, f + (i >> 1) * e * grid.height, out, 2 * i);
  const left = Math.floor((Math.min(out[0], out[4]) - west) / pixel) & ~1;
  const top = Math.floor((north - Math.max(out[1], out[3])) / pixel) & ~1;
  const width = Math.ceil((Math.max(out[2], out[6]) - west) / pixel / 12 + 1) * 12 - Math.floor(left / 12) * 12;
  const height = (Math.ceil((north - Math.min(out[5], out[7])) / pixel) - top + 2) & ~1;
  const codes = new Int8Array(width * height * BANDS).fill(NODATA);
  for (let i = 0; i < width * height; i++) {
    const lon = west + (left + (i % width) + 0.5) * pixel;
    const lat = north - (top + Math.floor(i / width) + 0.5) * pixel;
    projection.toXY(lon, lat, out, 0);
    const own = pixelOf(grid, out[0], out[1]);
    if (own < 0) continue;
    codes.set(grid.codes.subarray(own, own + BANDS), i * BANDS);
    if (second === null) continue;
    second.toXY(lon, lat, out, 0);
    second.toLonLat(Math.floor((out[0] - 10) / 20) * 20 + 20, Math.floor((out[1] - 10) / 20) * 20 + 20, out, 0);
    projection.toXY(out[0], out[1], out, 0);
    const other = pixelOf(grid, out[0], out[1]);
    if (other < 0) continue;
    for (let band = 0; band < BANDS; band++)
      codes[i * BANDS + band] = Math.round((codes[i * BANDS + band] + grid.codes[other + band]) / 2);
  }
  return {
    width,
    height,
    codes,
    transform: [pixel, 0, west + left * pixel, 0, -pixel, north - top * pixel],
    crs: 'EPSG:4326',
  };
}

/** A mosaic's pixels on the lattice of a UTM raster. */
function toUtm(from: Grid, like: Grid): Grid {
  const projection = latticeProjection(like.crs);
  const [a, , c, , e, f] = like.transform;
  const out = new Float64Array(2);
  const codes = new Int8Array(like.codes.length).fill(NODATA);
  for (let i = 0; i < like.width * like.height; i++) {
    projection.toLonLat(c + a * ((i % like.width) + 0.5), f + e * (Math.floor(i / like.width) + 0.5), out, 0);
    const at = pixelOf(from, out[0], out[1]);
    if (at >= 0) codes.set(from.codes.subarray(at, at + BANDS), i * BANDS);
  }
  return { ...like, codes };
}

/** Where the codes of the pixel that holds x, y begin; -1 outside. */
function pixelOf({ width, height, transform: [a, , c, , e, f] }: Grid, x: number, y: number): number {
  const column = Math.floor((x - c) / a);
  const row = Math.floor((y - f) / e);
  return column < 0 || row < 0 || column >= width || row >= height ? -1 : (row * width + column) * BANDS;
}

interface Cells {
  readonly width: number;
  readonly height: number;
  readonly units: Float32Array;
}

/** Cells of `across` x 2 pixels; `flank` is the weight of the pixels next to a cell on its left and right. */
function pool(grid: Grid, across: number, flank: number): Cells {
  const width = Math.floor(grid.width / across);
  const height = Math.floor(grid.height / 2);
  const units = new Float32Array(width * height * BANDS);
  for (let cell = 0; cell < width * height; cell++) {
    const left = (cell % width) * across;
    const at = cell * BANDS;
    for (let y = 2 * Math.floor(cell / width), end = y + 2; y < end; y++) {
      for (let x = Math.max(0, left - 1); x <= Math.min(left + across, grid.width - 1); x++) {
        const weight = x < left || x === left + across ? flank : 1;
        const from = (y * grid.width + x) * BANDS;
        if (weight === 0 || grid.codes[from] === NODATA) continue;
        for (let band = 0; band < BANDS; band++) units[at + band] += weight * SQUARES[grid.codes[from + band] & 255];
      }
    }
    normalise(units, at);
  }
  return { width, height, units };
}

function normalise(out: Float32Array, at: number): void {
  let sum = 0;
  for (let band = at; band < at + BANDS; band++) sum += out[band] ** 2;
  if (sum === 0) return;
  for (let band = at; band < at + BANDS; band++) out[band] /= Math.sqrt(sum);
}

function smooth({ width, height, units }: Cells, sigma: number): Cells {
  const reach = Math.ceil(3 * sigma);
  let from = units;
  for (const [dx, dy] of [
    [1, 0],
    [0, 1],
  ]) {
    const out = new Float32Array(units.length);
    for (let cell = 0; cell < width * height; cell++) {
      if (isEmpty(units, cell)) continue;
      for (let step = -reach; step <= reach; step++) {
        const x = (cell % width) + dx * step;
        const y = Math.floor(cell / width) + dy * step;
        if (x < 0 || y < 0 || x >= width || y >= height) continue;
        const weight = Math.exp(-(step ** 2) / (2 * sigma ** 2));
        for (let band = 0; band < BANDS; band++)
          out[cell * BANDS + band] += weight * from[(y * width + x) * BANDS + band];
      }
      if (dy === 1) normalise(out, cell * BANDS);
    }
    from = out;
  }
  return { width, height, units: from };
}

/** Mean of 1 - cosine over the neighbours, those east and west with a weight. */
function edges({ width, height, units }: Cells, weight: number): EdgeImage {
  const values = new Float32Array(width * height);
  for (let cell = 0; cell < values.length; cell++) {
    if (isEmpty(units, cell)) {
      values[cell] = Number.NaN;
      continue;
    }
    let sum = 0;
    let total = 0;
    const add = (neighbour: number, isInside: boolean, share: number): void => {
      if (!isInside || isEmpty(units, neighbour)) return;
      let dot = 0;
      for (let band = 0; band < BANDS; band++) dot += units[cell * BANDS + band] * units[neighbour * BANDS + band];
      sum += share * (1 - dot);
      total += share;
    };
    add(cell - 1, cell % width > 0, weight);
    add(cell + 1, cell % width < width - 1, weight);
    add(cell - width, cell >= width, 1);
    add(cell + width, cell < width * (height - 1), 1);
    values[cell] = total === 0 ? 0 : Math.max(0, sum / total);
  }
  return { width, height, values };
}

function isEmpty(units: Float32Array, cell: number): boolean {
  return units.subarray(cell * BANDS, (cell + 1) * BANDS).every((value) => value === 0);
}
