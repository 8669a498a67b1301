import { BANDS, NODATA } from '../../../geo/segmentation/grid.ts';
import { openZarrArray, readZarrGroup } from '../../formats/zarr/open-zarr.ts';
import { type ZarrArray, ZarrError } from '../../formats/zarr/zarr-array.ts';
import type { ZarrStore } from '../../formats/zarr/zarr-store.ts';
import { BLOCK } from '../cog/code-blocks.ts';

/** Where the pixels of a mosaic lie. */
export interface MosaicGrid {
  /** Pixels in a row. */
  readonly width: number;
  readonly height: number;
  /** Longitude of the left edge of the first column, latitude of the upper edge of the first row, in degrees. */
  readonly west: number;
  readonly north: number;
  /** Size of a pixel in degrees. */
  readonly pixelWidth: number;
  readonly pixelHeight: number;
}

/** A mosaic that is open. */
export interface MosaicLayout extends MosaicGrid {
  readonly array: ZarrArray;
  /** Year of each step of the first dimension. */
  readonly years: readonly number[];
}

/** The array of the public mosaic in its group. */
const ARRAY = 'embeddings';

/** What the public mosaic documents of itself, for a store that says nothing. */
const DOCUMENTED = {
  transform: [8.983111749910169e-5, 0, -180, 0, -8.983111749910169e-5, 83.68570533713473],
  crs: 'EPSG:4326',
  firstYear: 2017,
} as const;

/**
 * Reads what a mosaic says of itself, from the attributes of its array or its group (`spatial:transform`, `proj:code`,
 * `years`) and, for the years, from its coordinate `time`; null when there is no mosaic.
 * @throws ZarrError for an array that is no mosaic of AEF codes in degrees.
 */
export async function openMosaicLayout(store: ZarrStore, signal: AbortSignal): Promise<MosaicLayout | null> {
  const array = await openZarrArray(store, ARRAY, signal);
  if (array === null) return null;
  assertCodes(array);
  const attributes = { ...(await readZarrGroup(store, '', signal)), ...array.attributes };
  const crs = attributes['proj:code'] ?? attributes['crs'] ?? DOCUMENTED.crs;
  if (crs !== DOCUMENTED.crs) throw wrong(array, 'proj:code', `"${DOCUMENTED.crs}"`, crs);
  const [pixelWidth, , west, , step, north] = transformOf(array, attributes);
  const [steps, , height, width] = array.shape;
  const years = yearsOf(array, attributes, steps) ?? (await yearsOfCoordinate(store, array, steps, signal));
  return { array, years, width, height, west, north, pixelWidth, pixelHeight: -step };
}

function assertCodes(array: ZarrArray): void {
  const { shape, chunkShape, dataType, fillValue, dimensionNames } = array;
  if (dataType !== 'int8' || fillValue !== NODATA)
    throw wrong(array, 'data_type', `int8 with fill value ${NODATA}`, `${dataType} with fill value ${fillValue}`);
  if (shape.length !== 4 || shape[1] !== BANDS) throw wrong(array, 'shape', `time, ${BANDS} bands, y, x`, shape);
  const wanted = [1, BANDS, BLOCK, BLOCK];
  if (!wanted.every((size, i) => chunkShape[i] === size)) throw wrong(array, 'chunk_shape', String(wanted), chunkShape);
  const [first = null, , third = null, fourth = null] = dimensionNames ?? [];
  const isInOrder = (first ?? 'time') === 'time' && (third ?? 'y') === 'y' && (fourth ?? 'x') === 'x';
  if (!isInOrder) throw wrong(array, 'dimension_names', 'time, band, y, x', dimensionNames);
}

type Attributes = Readonly<Record<string, unknown>>;

function transformOf(array: ZarrArray, attributes: Attributes): readonly number[] {
  const transform = attributes['spatial:transform'] ?? attributes['transform'] ?? DOCUMENTED.transform;
  const isTransform = Array.isArray(transform) && transform.length >= 6 && transform.every(Number.isFinite);
  if (isTransform) {
    const [a, b, , d, e] = transform as number[];
    if (a > 0 && b === 0 && d === 0 && e < 0) return transform as number[];
  }
  throw wrong(array, 'spatial:transform', 'a north-up transform [+, 0, x, 0, -, y]', transform);
}

/** Years by `years`, or by `start_year`; null when neither is there. */
function yearsOf(array: ZarrArray, attributes: Attributes, steps: number): readonly number[] | null {
  const { years, start_year: start } = attributes;
  if (years === undefined && start === undefined) return null;
  const listed = years ?? Array.from({ length: steps }, (_, i) => Number(start) + i);
  if (Array.isArray(listed) && isYears(listed, steps)) return listed;
  throw wrong(array, 'years', `${steps} different years`, years ?? start);
}

async function yearsOfCoordinate(
  store: ZarrStore,
  array: ZarrArray,
  steps: number,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const time = await openZarrArray(store, 'time', signal);
  if (time === null) return Array.from({ length: steps }, (_, i) => DOCUMENTED.firstYear + i);
  const isShort = time.shape.length === 1 && time.shape[0] === steps && time.chunkShape[0] >= steps;
  const values = isShort ? await time.chunk([0], signal) : null;
  const years = values === null ? [] : [...values.subarray(0, steps)];
  if (isYears(years, steps)) return years;
  throw wrong(array, 'time', `${steps} different years`, years);
}

function isYears(years: readonly unknown[], steps: number): years is readonly number[] {
  const isYear = (year: unknown): boolean => Number.isInteger(year) && Number(year) >= 2000 && Number(year) <= 2100;
  return years.length === steps && years.every(isYear) && new Set(years).size === steps;
}

function wrong({ id }: ZarrArray, field: string, wanted: string, got: unknown): ZarrError {
  return new ZarrError('metadata', id, `${field}: wanted ${wanted}, got ${JSON.stringify(got).slice(0, 200)}`);
}
