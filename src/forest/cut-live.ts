import { cellMetres, placeOnLattice } from '../geo/outline/lattice.ts';
import { traceSegment } from '../geo/outline/trace-segment.ts';
import type { CellMemory } from '../geo/segmentation/cell-memory.ts';
import { cellsOf, type CodeSource } from '../geo/segmentation/code-window.ts';
import { ALGORITHM, cutSegment, DEFAULT_SIDES, readCodes } from '../geo/segmentation/find-segment.ts';
import { FOREST_FROM, forestGate, gateOf, pixelForest } from '../geo/segmentation/forest-gate.ts';
import { BANDS } from '../geo/segmentation/grid.ts';
import type { LonLat } from '../geo/shapes/shape.ts';
import type { Answer, CutPlace, LiveAnswer, LiveCut } from './answer.ts';
import type { PatchOrigin } from './patch.ts';
import { rasterKey, type SharedWork } from './shared-work.ts';
import type { PatchEmbeddings } from './sources.ts';
import { forestWarning } from './warnings.ts';

/**
 * What a live segmentation of embeddings says of a place (Tier 2): the segment is cut in a growing window and passed
 * through the forest gate. Null where the dataset does not cover the place.
 *
 * @param shared what other lookups of the request have cut.
 * @param memory what other lookups have computed of cells.
 */
export async function cutLive(
  source: PatchEmbeddings,
  point: LonLat,
  signal: AbortSignal,
  shared: SharedWork | null = null,
  memory: CellMemory | null = null,
): Promise<LiveAnswer | null> {
  const place = await source.at(point[0], point[1], signal);
  if (place === null) return null;
  const { raster } = place;
  const [x, y] = [Math.floor(place.x), Math.floor(place.y)];
  if (!raster.covers(x, y)) return null;
  const phase = await raster.phase(signal);
  const cutPlace = { dataset: source.dataset, raster, phase, x, y };
  const known = shared?.cutAt(cutPlace) ?? null;
  if (known !== null) return { answer: await withPixel(known, cutPlace, signal), cut: null };
  const { answer, cut } = await cutAlone(cutPlace, signal, memory);
  shared?.keepCut(cutPlace, { answer, cut });
  return { answer: await withPixel(answer, cutPlace, signal), cut };
}

/** Where the segment is no forest, the words that say so of this pixel: by itself it may well pass for forest. */
async function withPixel(answer: Answer, { raster, x, y }: CutPlace, signal: AbortSignal): Promise<Answer> {
  if (!('warning' in answer) || answer.meanForest === undefined) return answer;
  const codes = new Int8Array(BANDS);
  (await raster.window(x, y, 1, 1, signal)).copyRow(0, codes);
  const own = pixelForest(codes);
  const wanted = `its mean probability of forest is ${answer.meanForest.toFixed(2)}, wanted ${FOREST_FROM} or more`;
  const pixel =
    own === null
      ? ''
      : own >= FOREST_FROM
        ? `; the pixel at the point has ${own.toFixed(2)} and would pass by itself`
        : `; the pixel at the point has ${own.toFixed(2)}`;
  return { ...answer, warning: forestWarning('background', { detail: `: ${wanted}${pixel}` }) };
}

async function cutAlone(place: CutPlace, signal: AbortSignal, memory: CellMemory | null): Promise<LiveAnswer> {
  const { dataset, raster, phase, x, y } = place;
  const origin: PatchOrigin = { source: 'aef-watershed', year: raster.year, dataset };
  const window = (x0: number, y0: number, width: number, height: number) =>
    raster.window(x0, y0, width, height, signal);
  const source = { phase, window, ...(memory !== null && { cells: knownCells(place, memory, signal) }) };
  const found = await cutSegment(source, x, y, { signal });
  if (found === null)
    return { answer: { origin, warning: forestWarning('nodata', { dataset: dataset.id }) }, cut: null };
  const known = (await cellsOf(source, found, signal))?.meanProbability(found) ?? null;
  const { probability, isForest } =
    known === null ? forestGate({ ...found, codes: await readCodes(source, found, signal) }) : gateOf(known);
  const cut = { raster, phase, found, probability };
  if (!isForest) return { answer: { origin, warning: forestWarning('background'), meanForest: probability }, cut };
  return { answer: { origin, ...traceCut(cut, x, y), algorithm: ALGORITHM }, cut };
}

/** The cells of a window that were computed of the same bytes: none of a file that was replaced. */
function knownCells(place: CutPlace, memory: CellMemory, signal: AbortSignal): NonNullable<CodeSource['cells']> {
  const { raster, phase } = place;
  const key = rasterKey(place);
  return async (x0, y0, width, height) => {
    const version = await raster.version?.(x0, y0, width, height, signal);
    if (version === undefined) return null;
    const cells = memory.of(`${key} ${version}`);
    await cells.load({ column: (x0 - phase.x) / 2, row: (y0 - phase.y) / 2, width: width / 2, height: height / 2 });
    return cells;
  };
}

/** The corners of the segment that holds the pixel `x`, `y`, on the raster's own lattice of cells. */
function traceCut({ raster, phase, found }: LiveCut, x: number, y: number) {
  const [a, , c, , e, f] = raster.transform;
  // A cell is a block of 2 x 2 pixels, and the first one begins at the phase.
  const { lattice, column, row } = placeOnLattice([2 * a, 0, c + phase.x * a, 0, 2 * e, f + phase.y * e], raster.crs);
  const maskColumn = Math.floor((x - phase.x) / 2) - found.column;
  const maskRow = Math.floor((y - phase.y) / 2) - found.row;
  const image = { width: found.width, height: found.height, labels: found.mask };
  const traced = traceSegment(image, maskColumn, maskRow, found.column + column, found.row + row);
  if (traced === null) throw new Error('the segment does not hold the cell it was found for');
  const corners = traced.rings;
  const km = ((DEFAULT_SIDES.at(-1) ?? 0) * cellMetres(lattice, corners.coords[1] ?? 0).height) / 1000;
  return { corners, lattice, truncatedAt: found.truncated ? `${km.toFixed(1)} km` : null };
}
