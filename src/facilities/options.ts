import type { Commodity } from './commodity/commodities.ts';
import { commodityOption } from './commodity/commodity-names.ts';

/** What the caller requested. Values are already checked. */
export interface FacilityOptions {
  /** One of the seven, or null for the generic plantation mask. */
  readonly commodity: Commodity | null;
  /** The commodity as the caller wrote it, null when absent; named in messages when it is none of the seven. */
  readonly commodityText: string | null;
  /** Metres around the facility in which the commodity is looked for. */
  readonly commodityRadiusM: number;
  readonly checkWater: boolean;
  readonly checkPort: boolean;
  readonly checkRoad: boolean;
  /** Milliseconds each check has; one that misses them is unknown. */
  readonly checkTimeoutMs: number;
}

/** What a facility's own properties say that the checks use. */
export interface InputProperties {
  readonly name: string | null;
  /** The country as written. */
  readonly country: string | null;
  /** The commodity as written. */
  readonly commodity: string | null;
}

/** Names of properties, folded: best first. */
const NAME_KEYS = rank(['facilityname', 'name', 'companyname', 'supplier']);
const COUNTRY_KEYS = rank([
  'country',
  'countryname',
  'countrycode',
  'iso',
  'iso2',
  'isoa2',
  'countryiso',
  'countryiso2',
  'iso3',
  'isoa3',
  'countryiso3',
  'producercountry',
]);

const COMMODITY_KEYS = rank(['commoditytype', 'commodity', 'commodityname', 'croptype', 'crop']);

/**
 * Finds the facility's name, country and commodity in its properties, whatever the case and with spaces, underscores or hyphens in
 * the property's name. An empty text counts as absent; of several the first in the order of the lists above wins.
 */
export function readInputProperties(properties: Readonly<Record<string, unknown>>): InputProperties {
  let [name, nameRank] = [null as string | null, Infinity];
  let [country, countryRank] = [null as string | null, Infinity];
  let [commodity, commodityRank] = [null as string | null, Infinity];
  for (const key in properties) {
    const folded = fold(key);
    const asName = NAME_KEYS.get(folded) ?? Infinity;
    const asCountry = COUNTRY_KEYS.get(folded) ?? Infinity;
    const asCommodity = COMMODITY_KEYS.get(folded) ?? Infinity;
    if (asName >= nameRank && asCountry >= countryRank && asCommodity >= commodityRank) continue;
    const value = properties[key];
    // A commodity may be a code of the customs tariff.
    const isCode = typeof value === 'number' && asCommodity < commodityRank;
    const text = isCode ? String(value) : typeof value === 'string' ? value.trim() : '';
    if (text === '') continue;
    if (asName < nameRank) [name, nameRank] = [text, asName];
    if (asCountry < countryRank) [country, countryRank] = [text, asCountry];
    if (asCommodity < commodityRank) [commodity, commodityRank] = [text, asCommodity];
  }
  return { name, country, commodity };
}

/** The facility's own commodity counts where the request gives none. */
export function withOwnCommodity(options: FacilityOptions, { commodity }: InputProperties): FacilityOptions {
  return options.commodityText !== null || commodity === null ? options : { ...options, ...commodityOption(commodity) };
}

function fold(key: string): string {
  if (key.length > 30) return '';
  let known = folded.get(key);
  if (known !== undefined) return known;
  if (folded.size >= MOST_NAMES) folded.clear();
  known = key.toLowerCase().replaceAll(/[\s_-]+/g, '');
  folded.set(key, known);
  return known;
}

/** Names of properties: the features of a file have the same. */
const MOST_NAMES = 1_000;
const folded = new Map<string, string>();

function rank(keys: readonly string[]): ReadonlyMap<string, number> {
  return new Map(keys.map((key, i) => [key, i]));
}
