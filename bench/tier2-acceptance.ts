/**
 * What the live lookup promises, on 500 forest points of the sample raster: a valid polygon (GEOS) that contains the
 * point, its area within 1 % of the segment's, and the same segment from windows that lie elsewhere. Windows are moved in
 * two ways: lookups of other cells of the segment, on another ladder of sizes, each of which grows its own windows until
 * it has its proof; and single windows of a fixed size, which a lookup would not settle for unless they prove the segment.
 *
 *     node bench/tier2-acceptance.ts
 *
 * Every run finds the same. The same as a test: `src/geo/outline/real-raster.test.ts`.
 */
import initGeosJs from 'geos-wasm';
import { geojsonToGeosGeom } from 'geos-wasm/helpers';
import { windowOfGrid } from '../src/geo/segmentation/code-window.ts';
import { DEFAULT_DEPTH, findSegment, type FoundSegment } from '../src/geo/segmentation/find-segment.ts';
import { FOREST_FROM } from '../src/geo/segmentation/forest-gate.ts';
import { segmentInWindow, type SegmentInWindow } from '../src/geo/segmentation/segment-in-window.ts';
import { seededRandom } from '../src/geo/seeded-random.ts';
import { realRaster } from './mirrored-raster.ts';
import { saveResult } from './results.ts';
import { median, quantile } from './rounds.ts';
import { growingPatch, sourceOf, type BenchPatch } from './tier2-patch.ts';

const POINTS = 500;
/** Lookups of other cells of each segment. */
const ELSEWHERE = 4;
const LADDER = [50, 120, 200, 400, 700];
/** Windows of 3.84 km, moved by so many cells east and south of the one around the point. */
const SIDE = 192;
const SHIFTS = [
  [9, 7],
  [-13, 5],
  [31, -40],
  [-60, -60],
];

const raster = realRaster();
const source = sourceOf(raster);
const random = seededRandom(500);
const randomCell = seededRandom(7);
const geos = await initGeosJs();
const counts = { points: 0, notForest: 0, valid: 0, containing: 0, proven: 0, truncated: 0, unsmoothed: 0 };
const changes: number[] = [];
const lookups: number[] = [];
const windows = { proven: [] as number[], unproven: [] as number[], cutOff: 0 };
while (counts.points < POINTS) {
  const x = Math.floor(random() * raster.width);
  const y = Math.floor(random() * raster.height);
  const patch = await growingPatch(source, x, y, raster);
  if (patch.probability < FOREST_FROM) {
    counts.notForest++;
    continue;
  }
  counts.points++;
  if (patch.found.proven) counts.proven++;
  if (patch.found.truncated) counts.truncated++;
  if (patch.outline.smoothingSkipped) counts.unsmoothed++;
  const [valid, contains] = check(patch);
  if (valid) counts.valid++;
  if (contains) counts.containing++;
  changes.push(Math.abs(patch.outline.areaChangePct));
  for (let i = 0; i < ELSEWHERE; i++) {
    const [column, row] = anotherCell(patch.found);
    const again = await findSegment(source, 2 * column, 2 * row, { sides: LADDER });
    if (again === null) throw new Error('a cell of a segment has none');
    lookups.push(intersectionOverUnion(patch.found, again, 0, 0));
  }
  for (const [east, south] of SHIFTS) {
    const left = (x >> 1) - SIDE / 2 + east;
    const top = (y >> 1) - SIDE / 2 + south;
    const window = windowOfGrid(raster, 2 * left, 2 * top, 2 * SIDE, 2 * SIDE);
    const shown = segmentInWindow(window, (x >> 1) - left, (y >> 1) - top, DEFAULT_DEPTH);
    if (shown === null) throw new Error('a window that holds the point has no segment there');
    if (shown.truncated) windows.cutOff++;
    else windows[shown.proven ? 'proven' : 'unproven'].push(intersectionOverUnion(patch.found, shown, left, top));
  }
}
console.log(`${POINTS} forest points (${counts.notForest} others passed over)`);
console.log(`valid by GEOS ${counts.valid}, containing the point ${counts.containing}`);
console.log(`proven ${counts.proven}, truncated ${counts.truncated}, not smoothed ${counts.unsmoothed}`);
console.log(
  `area change, %: median ${median(changes).toFixed(3)}, p99 ${quantile(changes, 0.99).toFixed(3)}, ` +
    `largest ${Math.max(...changes).toFixed(3)}`,
);
showOverlaps(`lookups of ${ELSEWHERE} other cells each`, lookups);
showOverlaps(`windows of ${SIDE} cells elsewhere that prove the segment`, windows.proven);
showOverlaps('those that show it whole without a proof', windows.unproven);
console.log(`those that cut it off: ${windows.cutOff}`);
saveResult(
  'tier2-acceptance',
  [
    {
      what: `polygons of ${POINTS} forest points: valid by GEOS, around their point`,
      ours: `${counts.valid}, ${counts.containing}`,
      goal: 'all',
    },
    {
      what: 'the largest change of area by smoothing',
      ours: `${Math.max(...changes).toFixed(2)} %, median ${median(changes).toFixed(3)} %`,
      goal: '1 %',
    },
    {
      what: `the same segment from ${lookups.length.toLocaleString('en')} other cells of it, whose windows lie elsewhere`,
      ours: `${lookups.filter((overlap) => overlap === 1).length.toLocaleString('en')} identical`,
      goal: 'intersection over union 0.999',
    },
  ],
  1,
);

function showOverlaps(name: string, overlaps: readonly number[]): void {
  const same = overlaps.filter((overlap) => overlap === 1).length;
  const mean = overlaps.reduce((a, b) => a + b, 0) / overlaps.length;
  console.log(
    `${name}: ${overlaps.length}, the same cells ${same}; IoU mean ${mean.toFixed(5)}, least ${Math.min(...overlaps).toFixed(4)}`,
  );
}

/** A cell of the segment, every one as likely. */
function anotherCell({ mask, area, column, row, width }: FoundSegment): [column: number, row: number] {
  let left = Math.floor(randomCell() * area);
  const at = mask.findIndex((value) => value === 1 && left-- === 0);
  return [column + (at % width), row + Math.floor(at / width)];
}

function check({ polygon, point }: BenchPatch): [valid: boolean, contains: boolean] {
  const shape = geojsonToGeosGeom(polygon, geos);
  const place = geojsonToGeosGeom({ type: 'Point', coordinates: [...point] }, geos);
  const answers: [boolean, boolean] = [geos.GEOSisValid(shape) === 1, geos.GEOSContains(shape, place) === 1];
  geos.GEOSGeom_destroy(shape);
  geos.GEOSGeom_destroy(place);
  return answers;
}

/** Of a segment on the lattice, and one in a window whose first cell is at `left`, `top`. */
function intersectionOverUnion(a: FoundSegment, b: FoundSegment | SegmentInWindow, left: number, top: number): number {
  let both = 0;
  for (let i = 0; i < b.mask.length; i++) {
    if (b.mask[i] === 0) continue;
    const column = b.column + left + (i % b.width) - a.column;
    const row = b.row + top + Math.floor(i / b.width) - a.row;
    if (column >= 0 && row >= 0 && column < a.width && row < a.height) both += a.mask[row * a.width + column];
  }
  return both / (a.area + b.area - both);
}
