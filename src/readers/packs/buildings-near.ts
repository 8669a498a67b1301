import { buildBuiltUpGrid, builtUpAround, builtUpOrder, type BuiltUp } from '../../geo/features/built-up.ts';
import { FootprintSums } from '../../geo/features/footprint-sums.ts';
import { gatherWithin } from '../../geo/features/gather-within.ts';
import { windowsAround } from '../../geo/features/windows-around.ts';
import { createHits } from '../../geo/packed-tree.ts';
import type { LonLat, Shape } from '../../geo/shape.ts';
import { decodeValues, planColumns, type Values } from '../flatgeobuf/decode-feature.ts';
import { visitWithin } from '../flatgeobuf/search-file.ts';
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
  await visitWithin(await file(signal), probeOf(shape), withinM, { columns }, signal, (distanceM, values) => {
    footprints.push(Math.fround(Number(values[3] ?? 0)));
    if (Number(values[2] ?? 0) === 1) industrial = true;
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

async function builtUpOnDisk(layer: PackLayer, at: LonLat, radiusM: number, signal: AbortSignal): Promise<BuiltUp> {
  const [lon, lat] = at;
  const file = await layer.file(signal);
  const { header } = file;
  const plan = planColumns(header.columns, [layer.columns[3]]);
  const values: Values = [null];
  const sums = new FootprintSums();
  // A little more, so that cells at the edge have all their buildings.
  const leaves = await file.search(windowsAround([lon, lat, lon, lat], radiusM + 50), signal);
  await file.read(leaves, signal, (view, place, index) => {
    decodeValues(view, place, header.columns, plan, values);
    sums.add(builtUpOrder(middleCell(leaves[index].box)), Number(values[0] ?? 0));
  });
  const grid = buildBuiltUpGrid(sums.finish());
  return grid === null ? NOTHING : builtUpAround(grid, lon, lat, radiusM);
}
