import { buildBuiltUpGrid, builtUpAround, builtUpOrder, type BuiltUp } from '../../geo/features/built-up.ts';
import { FootprintSums } from '../../geo/features/footprint-sums.ts';
import { gatherWithin } from '../../geo/features/gather-within.ts';
import { windowsAround } from '../../geo/features/windows-around.ts';
import { createHits } from '../../geo/packed-tree.ts';
import type { Bbox, LonLat, Shape } from '../../geo/shape.ts';
import { decodeValues, planColumns, type Values } from '../flatgeobuf/decode-feature.ts';
import { withLeaves } from '../flatgeobuf/leaves.ts';
import { searchWithin, visitWithin } from '../flatgeobuf/search-file.ts';
import { middleCell } from './layer-memory.ts';
import { probeOf, type MaybePromise, type PackLayer } from './pack-layer.ts';

/** The buildings of a layer around a shape. */
export interface BuildingsFound {
  /** Square metres, largest first. */
  readonly footprintsM2: readonly number[];
  readonly industrial: boolean;
  /** Metres to the nearest one; null when there is none. */
  readonly nearestM: number | null;
}

/** Every building within so many metres of a shape, by the distance to its outline. */
export function buildingsNear(
  layer: PackLayer,
  shape: Shape,
  withinM: number,
  signal: AbortSignal,
): MaybePromise<BuildingsFound> {
  const { memory } = layer;
  if (memory === null) return buildingsOnDisk(layer, shape, withinM, signal);
  if (memory.set === null) return NO_BUILDINGS;
  const nearestM = gatherWithin(memory.set, probeOf(shape), withinM, hits);
  if (hits.count === 0) return NO_BUILDINGS;
  let industrial = false;
  const footprints = new Float64Array(hits.count);
  for (let i = 0; i < hits.count; i++) {
    footprints[i] = memory.areas[hits.ids[i]];
    if (memory.industrial[hits.ids[i]] === 1) industrial = true;
  }
  return { footprintsM2: descending(footprints), industrial, nearestM };
}

const hits = createHits();
const NO_BUILDINGS: BuildingsFound = { footprintsM2: [], industrial: false, nearestM: null };

/** Sorts in place, then copies: far faster than sorting a list with a comparison. */
function descending(values: Float64Array): readonly number[] {
  values.sort();
  const list: number[] = [];
  for (let i = values.length - 1; i >= 0; i--) list.push(values[i]);
  return list;
}

async function buildingsOnDisk(
  { file, columns }: PackLayer,
  shape: Shape,
  withinM: number,
  signal: AbortSignal,
): Promise<BuildingsFound> {
  const footprints: number[] = [];
  let industrial = false;
  let nearestM = Infinity;
  const search = { columns: columns.slice(2) };
  await visitWithin(await file(signal), probeOf(shape), withinM, search, signal, (distanceM, [use, area]) => {
    footprints.push(Math.fround(Number(area ?? 0)));
    if (Number(use ?? 0) === 1) industrial = true;
    if (distanceM < nearestM) nearestM = distanceM;
  });
  return {
    footprintsM2: descending(Float64Array.from(footprints)),
    industrial,
    nearestM: nearestM === Infinity ? null : nearestM,
  };
}

/** How much of the ground around a place is built up. */
export function builtUpNear(layer: PackLayer, at: LonLat, radiusM: number, signal: AbortSignal): MaybePromise<BuiltUp> {
  const { memory } = layer;
  if (memory === null) return builtUpOnDisk(layer, at, radiusM, signal);
  return memory.grid === null ? NOTHING : builtUpAround(memory.grid, at[0], at[1], radiusM);
}

const NOTHING: BuiltUp = { share: 0, any: false };

function builtUpOnDisk(layer: PackLayer, [lon, lat]: LonLat, radiusM: number, signal: AbortSignal): Promise<BuiltUp> {
  return withLeaves(async (leaves) => {
    const file = await layer.file(signal);
    const { columns } = file.header;
    const plan = planColumns(columns, [layer.columns[3]]);
    const values: Values = [null];
    const sums = new FootprintSums();
    const box: Bbox = [lon, lat, lon, lat];
    // A little more, so that cells at the edge have all their buildings.
    const place = { box, windows: (withinM: number) => windowsAround(box, withinM) };
    await searchWithin(file, place, radiusM + 50, signal, leaves);
    await file.read(leaves, signal, (view, at, index) => {
      decodeValues(view, at, columns, plan, values);
      sums.add(builtUpOrder(middleCell(boxAt(leaves.boxes, index * 4))), Number(values[0] ?? 0));
    });
    const grid = buildBuiltUpGrid(sums.finish());
    return grid === null ? NOTHING : builtUpAround(grid, lon, lat, radiusM);
  });
}

function boxAt(boxes: Float64Array, at: number): Bbox {
  return [boxes[at], boxes[at + 1], boxes[at + 2], boxes[at + 3]];
}
