import { resolve } from 'node:path';
import { CatalogueError } from '../catalogue/catalogue.ts';
import type { Coverage, Dataset } from '../catalogue/dataset.ts';
import { isTileTemplate, templateFault, type TileScheme } from './tile-template.ts';

/** Where the files of a raster are: one file, or tiles. */
export type RasterPlace = { readonly isRemote: boolean } & (
  | { readonly address: string; readonly scheme: null }
  | { readonly address: null; readonly scheme: TileScheme }
);

/** A raster of the catalogue that plots are measured on. */
export interface RasterSpec {
  readonly dataset: { readonly dataset: string; readonly version: string; readonly synthetic: boolean };
  readonly coverage: Coverage;
  /** By the year of the map; one entry with the dataset's year, or 0, where there is one map. */
  readonly places: ReadonlyMap<number, RasterPlace>;
  /** Counted from 0. */
  readonly band: number;
  /** What the file's "no data" means: a value of 0, or that nobody knows. */
  readonly nodata: 'absent' | 'unknown';
  /** Milliseconds that reading it may take for one batch of plots. */
  readonly deadlineMs: number;
}

export interface ForestMaskSpec extends RasterSpec {
  /** A pixel is forest from this value on; null when classes decide. */
  readonly threshold: number | null;
  readonly classes: readonly number[];
  /** A dataset of losses whose losses up to 2020 are taken off, for a map of an earlier year; null: none. */
  readonly lessLossOf: string | null;
}

export interface LossYearSpec extends RasterSpec {
  /** A pixel's value plus this is the year of its loss; 0 is none. */
  readonly baseYear: number;
  /** Years the dataset covers, inclusive. */
  readonly years: readonly [first: number, last: number];
}

/** Alerts of disturbance by their status. */
export interface AlertSpec extends RasterSpec {
  /** Id of the dataset that has the day of each. */
  readonly dates: string;
}

/** The days on which alerts were seen first. */
export interface AlertDatesSpec extends RasterSpec {
  /** Midnight UTC of the day that a value of 0 stands for, in milliseconds since 1970. */
  readonly epochMs: number;
}

/** A map of land cover by class. */
export interface LandCoverSpec extends RasterSpec {
  /** The values of its pixels and what each stands for. */
  readonly legend: readonly (readonly [value: number, name: string])[];
}

/** Legends that `options.legend` may name. */
const LEGENDS = {
  // ESA WorldCover 10 m 2020 v100, Product User Manual, table 3.
  'esa-worldcover': [
    [10, 'tree_cover'],
    [20, 'shrubland'],
    [30, 'grassland'],
    [40, 'cropland'],
    [50, 'built_up'],
    [60, 'bare_or_sparse_vegetation'],
    [70, 'snow_and_ice'],
    [80, 'permanent_water'],
    [90, 'herbaceous_wetland'],
    [95, 'mangroves'],
    [100, 'moss_and_lichen'],
  ],
} as const satisfies Readonly<Record<string, LandCoverSpec['legend']>>;

/** Values of biomass (Mg/ha) or canopy height (m). */
export interface ValueSpec extends RasterSpec {
  /** Value of a pixel = stored value * scale. */
  readonly scale: number;
  /** A value that stands for "no data" where the file does not say it; null: what the file says. */
  readonly nodataValue: number | null;
  /** Hectares of the largest plot that is measured on it; null: any. */
  readonly largestHa: number | null;
}

/** Time for reading one dataset for one batch of plots, unless `options.deadlineMs` says otherwise. */
export const DEFAULT_RASTER_DEADLINE_MS = 120_000;

/** The roles of rasters that plots are measured on. */
export const RASTER_ROLES = ['forest-mask', 'loss-year', 'alerts', 'alert-dates', 'biomass', 'canopy-height'] as const;

/** Reads an entry of the role `forest-mask`. @throws CatalogueError that names entry and option. */
export function forestMask(dataset: Dataset): ForestMaskSpec {
  const option = optionsOf(dataset);
  const threshold = option('threshold', 'a number', isNumber, null);
  const classes = option('classes', 'a list of numbers', isNumbers, []);
  if ((threshold === null) === (classes.length === 0))
    throw fault(dataset, 'threshold', 'either a threshold or classes');
  const lessLossOf = option('lessLossOf', 'the id of a dataset of the role loss-year', isText, null);
  return { ...commonSpec(dataset), threshold, classes, lessLossOf };
}

/** Reads an entry of any role as a map of land cover; null where it names no legend. @throws CatalogueError that names entry and option. */
export function landCover(dataset: Dataset): LandCoverSpec | null {
  const name = optionsOf(dataset)('legend', `one of ${Object.keys(LEGENDS).join(', ')}`, isLegend, null);
  return name === null ? null : { ...commonSpec(dataset), legend: LEGENDS[name] };
}

/** Reads an entry of the role `loss-year`. @throws CatalogueError that names entry and option. */
export function lossYear(dataset: Dataset): LossYearSpec {
  const option = optionsOf(dataset);
  const baseYear = option('baseYear', 'a whole number', isWhole, 2000);
  const first = option('firstYear', 'a year', isYear, baseYear === 0 ? null : baseYear + 1);
  const last = option('lastYear', 'a year', isYear, null);
  if (last === null) throw fault(dataset, 'lastYear', 'the last year the dataset covers');
  if (first === null) throw fault(dataset, 'firstYear', 'the first year the dataset covers');
  if (last < first || last - first > 250) throw fault(dataset, 'lastYear', `a year from ${first} to ${first + 250}`);
  return { ...commonSpec(dataset), baseYear, years: [first, last] };
}

/** Reads an entry of the role `alerts`. @throws CatalogueError that names entry and option. */
export function alertRaster(dataset: Dataset): AlertSpec {
  const dates = optionsOf(dataset)('dates', 'the id of a dataset of the role alert-dates', isText, null);
  if (dates === null) throw fault(dataset, 'dates', 'the id of a dataset of the role alert-dates');
  return { ...commonSpec(dataset), dates };
}

/** Reads an entry of the role `alert-dates`. @throws CatalogueError that names entry and option. */
export function alertDates(dataset: Dataset): AlertDatesSpec {
  const wanted = 'the day that 0 stands for, such as 2020-12-31';
  const epoch = optionsOf(dataset)('epoch', wanted, isDay, null);
  if (epoch === null) throw fault(dataset, 'epoch', wanted);
  return { ...commonSpec(dataset), epochMs: Date.parse(epoch) };
}

/** Reads an entry of the roles `biomass` and `canopy-height`. @throws CatalogueError that names entry and option. */
export function valueRaster(dataset: Dataset): ValueSpec {
  const scale = optionsOf(dataset)('scale', 'a number above 0', isAboveZero, 1);
  const nodataValue = optionsOf(dataset)('nodataValue', 'a number', isNumber, null);
  const largestHa = optionsOf(dataset)('largestHa', 'hectares above 0', isAboveZero, null);
  return { ...commonSpec(dataset), scale, nodataValue, largestHa };
}

/** What every entry of a raster says. @throws CatalogueError that names entry and option. */
export function commonSpec(dataset: Dataset): RasterSpec {
  const { id, version, synthetic, coverage, kind } = dataset;
  if (kind !== 'cog') throw new CatalogueError(`${id}: kind: wanted cog for a dataset of this role, got ${kind}`);
  const option = optionsOf(dataset);
  return {
    dataset: { dataset: id, version, synthetic },
    coverage,
    places: placesOf(dataset),
    band: option('band', 'a whole number from 1', isBand, 1) - 1,
    nodata: option('nodata', '"absent" or "unknown"', isNodata, 'unknown'),
    deadlineMs: option('deadlineMs', 'milliseconds above 0', isBand, DEFAULT_RASTER_DEADLINE_MS),
  };
}

/**
 * `options.years` with a `{year}` in url or path, `options.maps` from year to a file next to it, or else one map of the
 * dataset's date.
 */
function placesOf(dataset: Dataset): ReadonlyMap<number, RasterPlace> {
  const { path, url, date } = dataset;
  const base = path ?? url ?? '';
  const option = optionsOf(dataset);
  const years = option('years', 'a list of years', isYears, null);
  const maps = option('maps', 'an object from year to file', isMaps, null);
  const place = (address: string): RasterPlace => placeOf(dataset, address, path === undefined);
  if (maps !== null) {
    const sibling = (file: string): string => (path === undefined ? new URL(file, url).href : resolve(path, file));
    return new Map(Object.entries(maps).map(([year, file]) => [Number(year), place(unescaped(sibling(file)))]));
  }
  if (base.includes('{year}') !== (years !== null))
    throw fault(dataset, 'years', years === null ? 'the years that {year} stands for' : '{year} in url or path');
  if (years !== null) return new Map(years.map((year) => [year, place(base.replaceAll('{year}', String(year)))]));
  return new Map([[date === null ? 0 : Number(date.slice(0, 4)), place(base)]]);
}

/** Where an entry of one map is, for the other roles of rasters. @throws CatalogueError that names entry and option. */
export function rasterPlace(dataset: Dataset): RasterPlace {
  return placeOf(dataset, dataset.path ?? dataset.url ?? '', dataset.path === undefined);
}

/** Braces of templates, which the rules of addresses escape. */
function unescaped(address: string): string {
  return address.replaceAll('%7B', '{').replaceAll('%7D', '}');
}

function placeOf(dataset: Dataset, address: string, isRemote: boolean): RasterPlace {
  if (!isTileTemplate(address)) return { isRemote, address, scheme: null };
  const wrong = templateFault(address);
  if (wrong !== null) throw new CatalogueError(`${dataset.id}: ${isRemote ? 'url' : 'path'}: ${wrong}`);
  const option = optionsOf(dataset);
  const zoom = address.includes('{quadkey}') ? option('tileZoom', 'a zoom from 1 to 24', isZoom, 10) : null;
  const degrees = option('tileDegrees', 'degrees from 1 to 90', isDegrees, 10);
  const isCorner = (value: unknown): value is TileScheme['corner'] => value === 'upper-left' || value === 'lower-left';
  const corner = option('tileCorner', '"upper-left" or "lower-left"', isCorner, 'upper-left');
  const listed = option('tiles', 'a list of the names of all tiles', isNames, null);
  const scheme = {
    template: address,
    degrees,
    corner,
    ...(zoom === null ? {} : { zoom }),
    ...(listed === null ? {} : { listed: new Set(listed) }),
  };
  return { isRemote, address: null, scheme };
}

type Is<T> = (value: unknown) => value is T;

function optionsOf(dataset: Dataset) {
  return <T, A extends T | null>(name: string, wanted: string, is: Is<T>, absent: A): T | A => {
    const value = dataset.options[name];
    if (value === undefined || value === null) return absent;
    if (!is(value)) throw fault(dataset, name, wanted);
    return value;
  };
}

function fault({ id, options }: Dataset, name: string, wanted: string): CatalogueError {
  return new CatalogueError(
    `${id}: options.${name}: wanted ${wanted}, got ${JSON.stringify(options[name]) ?? 'nothing'}`,
  );
}

function isLegend(value: unknown): value is keyof typeof LEGENDS {
  return typeof value === 'string' && Object.hasOwn(LEGENDS, value);
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isAboveZero(value: unknown): value is number {
  return isNumber(value) && value > 0;
}

function isBand(value: unknown): value is number {
  return isWhole(value) && value >= 1;
}

function isDegrees(value: unknown): value is number {
  return isWhole(value) && value >= 1 && value <= 90;
}

function isZoom(value: unknown): value is number {
  return isWhole(value) && value >= 1 && value <= 24;
}

function isNodata(value: unknown): value is 'absent' | 'unknown' {
  return value === 'absent' || value === 'unknown';
}

function isNumbers(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every(isNumber);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isText);
}

function isWhole(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isDay(value: unknown): value is string {
  return isText(value) && /^\d{4}-\d\d-\d\d$/.test(value) && Number.isFinite(Date.parse(value));
}

function isYear(value: unknown): value is number {
  return isWhole(value) && value >= 1900 && value <= 2200;
}

function isYears(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.length <= 100 && value.every(isYear);
}

function isMaps(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length > 0 && entries.length <= 100 && entries.every(([year, file]) => isYear(Number(year)) && isText(file))
  );
}
