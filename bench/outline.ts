/**
 * Outlines compared with rasterio, numpy and shapely, taking turns in one run: the median of 7 rounds each and their ratio.
 *
 * Run: node bench/outline.ts   (the peer needs /usr/bin/python3 with rasterio, shapely, pyproj)
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { placeOnLattice } from '../src/geo/outline/lattice.ts';
import { outlineSegment } from '../src/geo/outline/outline.ts';
import { type LabelImage, ringsOf, traceLabels } from '../src/geo/outline/trace-labels.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { startPeer } from './python-peer.ts';
import { type BenchRow, saveResult } from './results.ts';
import { costOf, Costs, median, ms, ROUNDS } from './rounds.ts';

const SIDE = 1024;
const CELL = 20;
const [WEST, NORTH, EPSG] = [500_000, 4_900_000, 32615];
const WARM_UP = 30;
const QUERIES = 300;
const PLACE = placeOnLattice([CELL, 0, WEST, 0, -CELL, NORTH], `EPSG:${EPSG}`);

interface Answer {
  readonly ms: number;
  readonly cpuMs: number;
  readonly p50?: number;
  readonly p99?: number;
  readonly polygons?: number;
  readonly vertices?: number;
}

const image = stands(SIDE, 1700, 7);
const boxes = segmentBoxes(image, QUERIES);
const folder = mkdtempSync(join(tmpdir(), 'firstmile-bench-'));
const file = join(folder, 'labels.i32');
writeFileSync(file, image.labels);

const peer = startPeer('outline.py', file, SIDE, EPSG, WEST, NORTH, CELL);
const PEER = {
  trace: 'rasterio.features.shapes',
  outlines: 'rasterio traces, numpy smooths, pyproj projects, shapely checks',
} as const;
const ALL = `all segments of a label image of ${SIDE} x ${SIDE}`;
const tasks = [
  { what: `trace ${ALL}, flat rings`, command: 'trace', peer: PEER.trace, goal: '10 times', ours: traceAll },
  { what: `trace ${ALL}, nested arrays`, command: 'trace', peer: PEER.trace, goal: '10 times', ours: traceNested },
  { what: `trace, smooth, project, check ${ALL}`, command: 'outlines', peer: PEER.outlines, ours: outlineAll },
  {
    what: `the same of one segment of ${QUERIES}`,
    command: `one ${boxes.flat().join(' ')}`,
    peer: PEER.outlines,
    ours: outlineOne,
  },
];
const rows: BenchRow[] = [];
for (const { what, command, peer: name, goal, ours } of tasks) {
  const costs = new Costs();
  const [mine, theirs]: [Partial<Answer>[], Answer[]] = [[], []];
  // Compiled code is reached after some calls; the peer has no such stage.
  for (let call = 0; call < WARM_UP; call++) ours();
  for (let round = 0; round <= ROUNDS; round++) {
    costs.begin();
    const [cost, answer] = await costOf<Partial<Answer>>(ours);
    costs.add('ours', cost);
    const answered = await peer.send<Answer>(command);
    costs.add('peer', answered);
    mine.push(answer);
    theirs.push(answered);
  }
  rows.push(rowOf(what, name, costs, mine, theirs, goal));
}
peer.stop();
rmSync(folder, { recursive: true });
saveResult('outline', rows);

function traceAll() {
  const traced = traceLabels(image);
  return { polygons: traced.labels.length, vertices: traced.coords.length / 2 };
}

/** What a caller of rasterio gets: an array of positions for every ring. */
function traceNested() {
  const traced = traceLabels(image);
  const polygons: number[][][][] = [];
  for (let p = 0; p < traced.labels.length; p++) {
    const rings: number[][][] = [];
    for (let r = traced.polygonStart[p]; r < traced.polygonStart[p + 1]; r++) {
      const [start, end] = [traced.ringStart[r], traced.ringEnd[r]];
      const ring = Array.from<number[]>({ length: (end - start) / 2 });
      for (let i = start, v = 0; i < end; i += 2, v++) ring[v] = [traced.coords[i], traced.coords[i + 1]];
      rings.push(ring);
    }
    polygons.push(rings);
  }
  return { polygons: polygons.length, vertices: traced.coords.length / 2 };
}

function outlineAll() {
  const traced = traceLabels(image);
  let vertices = 0;
  for (let p = 0; p < traced.labels.length; p++) {
    const { polygon } = outlineSegment(ringsOf(traced, p, PLACE.column, PLACE.row), PLACE.lattice, null);
    for (const ring of polygon.coordinates) vertices += ring.length - 1;
  }
  return { polygons: traced.labels.length, vertices };
}

function outlineOne() {
  const times: number[] = [];
  for (const [column, row, height, width, label] of boxes) {
    const start = performance.now();
    const mask = new Uint8Array(height * width);
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++)
        mask[y * width + x] = image.labels[(row + y) * SIDE + column + x] === label ? 1 : 0;
    }
    const corners = ringsOf(traceLabels({ width, height, labels: mask }), 0, PLACE.column + column, PLACE.row + row);
    outlineSegment(corners, PLACE.lattice, null);
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  return { p50: times[times.length >> 1], p99: times[Math.floor(times.length * 0.99)] };
}

function rowOf(
  what: string,
  name: string,
  costs: Costs,
  mine: readonly Partial<Answer>[],
  theirs: readonly Answer[],
  goal = '',
): BenchRow {
  const own = costs.median('ours');
  const ratio = costs.ratio('peer', 'ours');
  const at = (answers: readonly Partial<Answer>[], key: 'p50' | 'p99'): number =>
    median(answers.slice(1).map((answer) => answer[key] ?? Number.NaN));
  const isOne = mine[0].p50 !== undefined;
  const counts = ({ polygons, vertices }: Partial<Answer>): string => `${polygons} polygons, ${vertices} vertices`;
  const row = {
    what,
    ours: isOne
      ? `p50 ${ms(at(mine, 'p50'))}, p99 ${ms(at(mine, 'p99'))} ms`
      : `${ms(own.ms)} ms, ${ms(own.cpuMs)} of processor`,
    peers: [
      {
        name: isOne ? `${name}; p50` : name,
        strongest: true,
        ...ratio,
        ...(isOne && { times: at(theirs, 'p50') / at(mine, 'p50') }),
      },
    ],
    ...(goal !== '' && { goal }),
  };
  console.log(`${what}: ${row.ours}, peer ${ratio.times.toFixed(1)} and ${ratio.processor.toFixed(1)} times`);
  if (!isOne) console.log(`  ours ${counts(mine[0])}; python ${counts(theirs[0])}`);
  return row;
}

/** Stands as a warped Voronoi diagram: about 4-connected regions with ragged edges, some enclosing others. */
function stands(side: number, count: number, seed: number): LabelImage {
  const random = seededRandom(seed);
  const x = Float64Array.from({ length: count }, () => random() * side);
  const y = Float64Array.from({ length: count }, () => random() * side);
  const grid = 32;
  const bins: number[][] = Array.from({ length: grid * grid }, () => []);
  for (let i = 0; i < count; i++) bins[(((y[i] / side) * grid) | 0) * grid + (((x[i] / side) * grid) | 0)]?.push(i);
  const labels = new Int32Array(side * side);
  for (let row = 0; row < side; row++) {
    for (let column = 0; column < side; column++) {
      const u = column + 5 * Math.sin(row / 11) + 2.5 * Math.sin(column / 4 + row / 5);
      const v = row + 5 * Math.cos(column / 13) + 2.5 * Math.cos(row / 3 - column / 7);
      let nearest = Infinity;
      for (let by = ((v / side) * grid - 2) | 0; by <= (v / side) * grid + 2; by++) {
        for (let bx = ((u / side) * grid - 2) | 0; bx <= (u / side) * grid + 2; bx++) {
          if (bx < 0 || by < 0 || bx >= grid || by >= grid) continue;
          for (const i of bins[by * grid + bx] ?? []) {
            const distance = (x[i] - u) ** 2 + (y[i] - v) ** 2;
            if (distance < nearest) {
              nearest = distance;
              labels[row * side + column] = i + 1;
            }
          }
        }
      }
    }
  }
  // Clearings: holes of one pixel.
  for (let k = 0; k < 400; k++) labels[Math.floor(random() * side * side)] = 0;
  return { width: side, height: side, labels };
}

/** Bounding boxes [column, row, height, width, label] of segments, drawn by area as queries are. */
function segmentBoxes({ width, labels }: LabelImage, count: number): number[][] {
  const random = seededRandom(11);
  const found: number[][] = [];
  while (found.length < count) {
    const label = labels[Math.floor(random() * labels.length)] ?? 0;
    if (label === 0) continue;
    let [west, north, east, south] = [width, width, -1, -1];
    for (let p = 0; p < labels.length; p++) {
      if (labels[p] !== label) continue;
      const [column, row] = [p % width, Math.floor(p / width)];
      west = Math.min(west, column);
      east = Math.max(east, column);
      north = Math.min(north, row);
      south = Math.max(south, row);
    }
    found.push([west, north, south - north + 1, east - west + 1, label]);
  }
  return found;
}
