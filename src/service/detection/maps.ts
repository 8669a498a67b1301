import { ConfigError } from '../../config/settings.ts';
import { CatalogueError, covers } from '../../readers/catalogue/catalogue.ts';
import { COMMODITIES } from '../../facilities/commodity/commodities.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';
import type { Coverage, Dataset, DatasetRole } from '../../readers/catalogue/dataset.ts';
import { rasterPlace, type RasterPlace } from '../../readers/rasters/raster-spec.ts';
import { BUILT_UP, PLANTATION } from './heads.ts';

/** A raster of the catalogue that says where a commodity grows, where plantations are, or what is built on. */
export interface CommodityMap {
  /** Its entry in the catalogue. */
  readonly entry: Dataset;
  readonly dataset: { readonly id: string; readonly version: string; readonly synthetic: boolean };
  /** A commodity, `plantation` or `built-up`. */
  readonly subject: string;
  readonly coverage: Coverage;
  /** Where it is: one file or address, or tiles. */
  readonly place: RasterPlace;
  /** Counted from 0. */
  readonly band: number;
  /** A pixel counts from this value on; null when classes decide. */
  readonly threshold: number | null;
  /** A pixel counts when its value is one of these. */
  readonly classes: readonly number[];
  /** What the file's "no data" means: the commodity is not there, or nobody knows; null: the file must have none. */
  readonly nodata: 'absent' | 'unknown' | null;
  /** The value that stands for "no data" where the file does not say it; null: what the file says. */
  readonly nodataValue: number | null;
  readonly date: string | null;
}

/** What rasters of classes or shares are used for, in addition to commodities by their name. */
const SUBJECTS: Readonly<Partial<Record<DatasetRole, string>>> = {
  'plantation-mask': PLANTATION,
  'built-up': BUILT_UP,
};

/** The roles of such rasters. */
export const MAP_ROLES: readonly DatasetRole[] = ['commodity-map', 'plantation-mask', 'built-up'];

/** The maps of a catalogue, in its order; throws a `ConfigError` that names the entry and what it should say. */
export function commodityMaps(datasets: readonly Dataset[]): readonly CommodityMap[] {
  return datasets.filter(({ role, kind }) => kind === 'cog' && MAP_ROLES.includes(role)).map(readMap);
}

/** Those of a subject that cover a place. */
export function mapsAt(maps: readonly CommodityMap[], subject: string, at: LonLat): readonly CommodityMap[] {
  return maps.filter((map) => map.subject === subject && covers(map.coverage, at[0], at[1]));
}

function readMap(dataset: Dataset): CommodityMap {
  const { id, version, synthetic, role, coverage, date, options } = dataset;
  const { commodity, threshold, classes = [], band = 1, nodata = null, nodataValue = null } = options;
  const fault = (what: string, wanted: string): ConfigError =>
    new ConfigError(`CATALOGUE: ${id}: options.${what}: wanted ${wanted}, got ${JSON.stringify(options[what])}`);
  const isKnown = COMMODITIES.some((name) => name === commodity);
  if (role === 'commodity-map' && !isKnown) throw fault('commodity', `one of ${COMMODITIES.join(', ')}`);
  if (threshold !== undefined && (typeof threshold !== 'number' || !Number.isFinite(threshold)))
    throw fault('threshold', 'a number');
  if (!Array.isArray(classes) || !classes.every((value) => typeof value === 'number'))
    throw fault('classes', 'a list of numbers');
  if ((threshold === undefined) === (classes.length === 0)) throw fault('threshold', 'either a threshold or classes');
  if (typeof band !== 'number' || !Number.isInteger(band) || band < 1) throw fault('band', 'a number from 1 on');
  if (nodata !== null && nodata !== 'absent' && nodata !== 'unknown') throw fault('nodata', '"absent" or "unknown"');
  if (nodataValue !== null && (typeof nodataValue !== 'number' || nodata === null))
    throw fault('nodataValue', 'a number, and options.nodata with it');
  return {
    entry: dataset,
    dataset: { id, version, synthetic },
    subject: SUBJECTS[role] ?? (commodity as string),
    coverage,
    place: placeOf(dataset),
    band: band - 1,
    threshold: threshold ?? null,
    classes: classes as number[],
    nodata,
    nodataValue,
    date,
  };
}

function placeOf(dataset: Dataset): RasterPlace {
  try {
    return rasterPlace(dataset);
  } catch (error) {
    if (error instanceof CatalogueError) throw new ConfigError(`CATALOGUE: ${error.message}`, { cause: error });
    throw error;
  }
}
