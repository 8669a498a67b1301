import { BUSINESS_TAGS } from '../../themes/business-kinds.ts';
import type { ColumnValue } from '../flatgeobuf/encode-feature.ts';
import type { ThemeName } from '../../themes/themes.ts';
import type { Tags } from './decode-block.ts';

/** How an object is drawn in a theme: its area or line as it is, or one point of it. */
type Drawing = 'as-is' | 'line' | 'area' | 'point';

export interface Classified {
  readonly theme: ThemeName;
  readonly drawing: Drawing;
  /** Values of the theme's columns after `source_id`; the footprint of a building is filled in once it is known. */
  readonly values: readonly ColumnValue[];
}

/** What an object of OpenStreetMap is to us: one entry for each theme it belongs to. */
export function classify(tags: Tags): readonly Classified[] {
  const found: Classified[] = [];
  const name = tags.get('name') ?? null;
  addRoad(tags, name, found);
  addWater(tags, name, found);
  addBuilding(tags, name, found);
  addIndustrial(tags, name, found);
  addBusiness(tags, name, found);
  addPort(tags, name, found);
  addSettlement(tags, name, found);
  return found;
}

/** Keys without which no rule here can match: most objects are distinguished by them alone. */
export const THEME_KEYS: ReadonlySet<string> = new Set([
  'highway',
  'waterway',
  'natural',
  'landuse',
  'building',
  'man_made',
  'industrial',
  'harbour',
  'port',
  'seamark:type',
  'place',
  'shop',
  'office',
  'craft',
  'amenity',
  ...Object.keys(BUSINESS_TAGS),
]);

function addRoad(tags: Tags, name: string | null, out: Classified[]): void {
  const highway = tags.get('highway');
  if (highway === undefined || tags.get('area') === 'yes') return;
  out.push({ theme: 'roads', drawing: 'line', values: [highway, name ?? tags.get('ref') ?? null] });
}

const WATERWAYS: ReadonlySet<string> = new Set([
  'river',
  'stream',
  'canal',
  'tidal_channel',
  'drain',
  'ditch',
  'brook',
]);
const RESERVOIRS: ReadonlySet<string> = new Set(['reservoir', 'basin', 'pond']);

function addWater(tags: Tags, name: string | null, out: Classified[]): void {
  const waterway = tags.get('waterway');
  const natural = tags.get('natural');
  const landuse = tags.get('landuse');
  const add = (kind: string, drawing: Drawing): void => {
    out.push({ theme: 'water', drawing, values: [kind, name] });
  };
  if (natural === 'coastline') add('sea', 'line');
  else if (natural === 'water') add(tags.get('water') ?? 'water', 'area');
  else if (landuse !== undefined && RESERVOIRS.has(landuse)) add(landuse, 'area');
  else if (waterway === 'riverbank') add('river', 'area');
  else if (waterway !== undefined && WATERWAYS.has(waterway)) add(waterway, 'line');
}

/** Values of `building` in industrial, warehouse or mill use. */
const INDUSTRIAL_BUILDINGS: ReadonlySet<string> = new Set([
  'industrial',
  'warehouse',
  'factory',
  'manufacture',
  'mill',
  'sawmill',
  'works',
  'silo',
  'storage_tank',
]);

function addBuilding(tags: Tags, name: string | null, out: Classified[]): void {
  const building = tags.get('building');
  if (building === undefined || building === 'no') return;
  const isIndustrial =
    INDUSTRIAL_BUILDINGS.has(building) ||
    tags.get('man_made') === 'works' ||
    tags.get('man_made') === 'silo' ||
    tags.get('industrial') !== undefined;
  out.push({ theme: 'buildings', drawing: 'area', values: [building, name, isIndustrial ? 1 : 0, null] });
}

function addIndustrial(tags: Tags, name: string | null, out: Classified[]): void {
  const landuse = tags.get('landuse');
  const kind =
    tags.get('man_made') === 'works' ? 'works' : landuse === 'industrial' || landuse === 'commercial' ? landuse : null;
  if (kind === null) return;
  const detail = tags.get('industrial') ?? tags.get('product') ?? null;
  out.push({ theme: 'industrial', drawing: 'as-is', values: [kind, name ?? detail] });
}

/** Keys that make a place of work, whatever their value. */
const WORK_KEYS = ['shop', 'office', 'craft', 'amenity', 'industrial', 'man_made', 'landuse', 'building'] as const;
const ALWAYS: ReadonlySet<string> = new Set(['shop', 'office', 'craft', 'amenity', 'industrial']);
const NAME_KEYS =
  /^(name|alt_name|old_name|official_name|short_name|loc_name|int_name|operator|brand|owner)(:[a-z-]+)?$/;

function addBusiness(tags: Tags, name: string | null, out: Classified[]): void {
  const kinds = businessKinds(tags);
  if (kinds.length === 0) return;
  const names: string[] = [];
  for (const [key, value] of tags.entries()) if (NAME_KEYS.test(key) && !names.includes(value)) names.push(value);
  const isWork = kinds.some((kind) => ALWAYS.has(kind.slice(0, kind.indexOf('='))));
  if (!isWork && names.length === 0 && !kinds.some(isNamedByRule)) return;
  const values = [kinds[0], name ?? tags.get('operator') ?? null, kinds.join(' '), names.join(';')];
  out.push({ theme: 'businesses', drawing: 'point', values });
}

/** The tags of an object that a rule of the trade may look at, as `key=value`. */
function businessKinds(tags: Tags): string[] {
  const kinds: string[] = [];
  for (const [key, value] of tags.entries()) {
    if (value === 'no') continue;
    const isWork = (WORK_KEYS as readonly string[]).includes(key);
    const rule = BUSINESS_TAGS[key];
    const isRule = rule === '*' || (rule?.includes(value) ?? false);
    if (ALWAYS.has(key) || isRule || (isWork && TRADE.has(`${key}=${value}`)))
      for (const part of value.split(';')) kinds.push(`${key}=${part.trim().replaceAll(' ', '_')}`);
  }
  return kinds;
}

const TRADE: ReadonlySet<string> = new Set([
  'building=industrial',
  'building=warehouse',
  'landuse=industrial',
  'landuse=commercial',
  'man_made=works',
]);

/** Whether a kind alone, without a name, is a business. */
function isNamedByRule(kind: string): boolean {
  const [key, value] = kind.split('=');
  const rule = BUSINESS_TAGS[key];
  return !TRADE.has(kind) && (rule === '*' || (rule?.includes(value) ?? false));
}

const SEAMARKS: ReadonlySet<string> = new Set(['harbour', 'harbour_basin', 'berth', 'terminal']);

function addPort(tags: Tags, name: string | null, out: Classified[]): void {
  const harbour = tags.get('harbour');
  const landuse = tags.get('landuse');
  const kind =
    tags.get('industrial') === 'port' || landuse === 'port' || (tags.get('port') ?? 'no') !== 'no'
      ? 'port'
      : landuse === 'harbour' || (harbour ?? 'no') !== 'no' || SEAMARKS.has(tags.get('seamark:type') ?? '')
        ? 'harbour'
        : tags.get('man_made') === 'quay'
          ? 'quay'
          : tags.get('amenity') === 'ferry_terminal'
            ? 'ferry terminal'
            : null;
  if (kind !== null) out.push({ theme: 'ports', drawing: 'as-is', values: [kind, name] });
}

const PLACES: ReadonlySet<string> = new Set([
  'city',
  'town',
  'village',
  'hamlet',
  'suburb',
  'quarter',
  'isolated_dwelling',
]);

function addSettlement(tags: Tags, name: string | null, out: Classified[]): void {
  const place = tags.get('place');
  if (place === undefined || !PLACES.has(place)) return;
  const population = Number.parseInt((tags.get('population') ?? '').replaceAll(/[\s,.]/g, ''), 10);
  const people = population >= 0 && population < 2e9 ? population : null;
  out.push({ theme: 'settlements', drawing: 'point', values: [place, name, people] });
}
