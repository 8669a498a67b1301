import type { BuildingsNearby } from '../../../facilities/sources.ts';
import { buildBuiltUpGrid, builtUpOrder, type Footprints } from '../../../geo/features/built-up-grid.ts';
import { builtUpAround } from '../../../geo/features/built-up.ts';
import { gatherWithin } from '../../../geo/features/gather-within.ts';
import { localFrame } from '../../../geo/features/local-frame.ts';
import { windowsAround } from '../../../geo/shapes/reach.ts';
import { createHits } from '../../../geo/packed-tree.ts';
import type { Bbox, LonLat, Shape } from '../../../geo/shapes/shape.ts';
import { decodeValues, planColumns, type Values } from '../../formats/flatgeobuf/decode-feature.ts';
import { answerFrom, searchWithin, visitWithin } from '../../formats/flatgeobuf/search-file.ts';
import { middleCell } from '../layer/layer-memory.ts';
import { type PackLayer, probeOf } from '../layer/pack-layer.ts';
import type { MaybePromise } from '../../../maybe-promise.ts';

/** Every building within so many metres of a shape, by the distance to its outline. */
export function buildingsNear(
  layer: PackLayer,
  shape: Shape,
  withinM: number,
  signal: AbortSignal,
): MaybePromise<BuildingsNearby> {
  const { memory } = layer;
  if (memory === null) return buildingsOnDisk(layer, shape, withinM, signal);
  if (memory.set === null) return NO_BUILDINGS;
  const nearestM = gatherWithin(memory.set, probeOf(shape), withinM, hits);
  if (hits.count === 0) return NO_BUILDINGS;
  const { areas, industrial } = memory;
  let largestM2 = 0;
  let togetherM2 = 0;
  let industrialOnes = 0;
  for (let i = 0; i < hits.count; i++) {
    const id = hits.ids[i];
    const area = areas[id];
    if (area > largestM2) largestM2 = area;
    togetherM2 += area;
    industrialOnes |= industrial[id];
  }
  return { count: hits.count, largestM2, togetherM2, industrial: industrialOnes === 1, nearestM };
}

const hits = createHits();

export const NO_BUILDINGS: BuildingsNearby = { count: 0, largestM2: 0, togetherM2: 0, industrial: false };

async function buildingsOnDisk(
  { file, columns }: PackLayer,
  shape: Shape,
  withinM: number,
  signal: AbortSignal,
): Promise<BuildingsNearby> {
  let count = 0;
  let largestM2 = 0;
  let togetherM2 = 0;
  let industrial = false;
  let nearestM = Infinity;
  const search = { columns: columns.slice(2) };
  await visitWithin(await file(signal), probeOf(shape), withinM, search, signal, (distanceM, [use, area]) => {
    const areaM2 = Math.fround(Number(area ?? 0));
    count++;
    largestM2 = Math.max(largestM2, areaM2);
    togetherM2 += areaM2;
    if (Number(use ?? 0) === 1) industrial = true;
    if (distanceM < nearestM) nearestM = distanceM;
  });
  return count === 0 ? NO_BUILDINGS : { count, largestM2, togetherM2, industrial, nearestM };
}

/** The share of the ground around the inside point of a shape that is built up. */
export function builtUpNear(
  layer: PackLayer,
  shape: Shape,
  radiusM: number,
  signal: AbortSignal,
): MaybePromise<number> {
  const { memory } = layer;
  if (memory === null) return builtUpOnDisk(layer, shape.inside, radiusM, signal);
  if (memory.grid === null) return 0;
  // A single point has its frame already.
  const frame = probeOf(shape).frame ?? localFrame(...shape.inside);
  return builtUpAround(memory.grid, frame, radiusM);
}

async function builtUpOnDisk(layer: PackLayer, at: LonLat, radiusM: number, signal: AbortSignal): Promise<number> {
  const [lon, lat] = at;
  const around: Bbox = [lon, lat, lon, lat];
  const place = { box: around, windows: (withinM: number) => windowsAround(around, withinM) };
  return answerFrom(await layer.file(signal), async (file, leaves) => {
    const { columns } = file.header;
    const plan = planColumns(columns, [layer.columns[3]]);
    const values: Values = [null];
    const box: [number, number, number, number] = [0, 0, 0, 0];
    // A little more, so that cells at the edge have all their buildings.
    await searchWithin(file, place, radiusM + 50, signal, leaves);
    const cells = new Float64Array(leaves.length);
    const m2 = new Float64Array(leaves.length);
    await file.read(leaves, signal, (view, start, index) => {
      decodeValues(view, start, columns, plan, values);
      for (let i = 0; i < 4; i++) box[i] = leaves.boxes[index * 4 + i];
      cells[index] = builtUpOrder(middleCell(box));
      m2[index] = Number(values[0] ?? 0);
    });
    const grid = buildBuiltUpGrid(sumByCell(cells, m2));
    return grid === null ? 0 : builtUpAround(grid, localFrame(lon, lat), radiusM);
  });
}

/** Adds up the footprints of each cell in the order given; for cells around one place, whose numbers are close together. */
function sumByCell(cells: Float64Array, m2: Float64Array): Footprints {
  const { length } = cells;
  let least = Infinity;
  for (let i = 0; i < length; i++) if (cells[i] < least) least = cells[i];
  // Cell and place in one number: sorted without a comparison, and far quicker than gathered in a map.
  const order = new Float64Array(length);
  for (let i = 0; i < length; i++) order[i] = (cells[i] - least) * length + i;
  order.sort();
  const out = { cells: new Float64Array(length), m2: new Float64Array(length) };
  let count = 0;
  for (let k = 0; k < length; k++) {
    const i = order[k] % length;
    if (count === 0 || out.cells[count - 1] !== cells[i]) out.cells[count++] = cells[i];
    out.m2[count - 1] += m2[i];
  }
  return { cells: out.cells.subarray(0, count), m2: out.m2.subarray(0, count) };
}
