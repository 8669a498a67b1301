import { Problem } from '../../../errors.ts';

const WGS84_NAMES = [
  /^(OGC:)?CRS84h?$/i,
  /^WGS ?84$/i,
  /^EPSG:+(4326|4979)$/i,
  /^urn:(ogc|x-ogc):def:crs:OGC:[\d.]*:CRS84h?$/i,
  /^urn:(ogc|x-ogc):def:crs:EPSG:[\d.]*:(4326|4979)$/i,
  /^https?:\/\/www\.opengis\.net\/def\/crs\/(OGC\/[\d.]+\/CRS84h?|EPSG\/[\d.]+\/(4326|4979))$/i,
];

/**
 * The name of the coordinate reference system that a `crs` member (GeoJSON of 2008) states, or null when it is WGS84 in
 * one of its spellings or not stated at all. A member of unknown form is named by its JSON text.
 */
export function foreignCrs(crs: unknown): string | null {
  if (crs === null || crs === undefined) return null;
  const name = crsName(crs);
  return WGS84_NAMES.some((pattern) => pattern.test(name.trim())) ? null : name;
}

function crsName(crs: unknown): string {
  const { type, properties } = crs as { type?: unknown; properties?: Record<string, unknown> | null };
  if (typeof crs === 'string') return crs;
  if (type === 'name' && typeof properties?.name === 'string') return properties.name;
  if (type === 'EPSG' && properties?.code !== undefined) return `EPSG:${String(properties.code)}`;
  if (type === 'link' && typeof properties?.href === 'string') return properties.href;
  return JSON.stringify(crs).slice(0, 200);
}

/**
 * Names of our options that clients write into the root of a GeoJSON file, where nothing reads them, and where each goes
 * instead. Left out are those that files of other programs carry for reasons of their own: `crs`, `country`,
 * `description`, `name`.
 */
export const MISPLACED_OPTIONS: Readonly<Record<string, 'form' | 'query'>> = {
  async_mode: 'query',
  check_port_proximity: 'form',
  check_road_access: 'form',
  check_water_access: 'form',
  collection_name: 'form',
  commodity_radius: 'form',
  commodity_type: 'form',
  crop_type: 'form',
  dry_run: 'form',
  fetch_data: 'form',
  eudr_dds: 'form',
  geocode: 'form',
  location_type: 'form',
  mapping: 'form',
  monitoring_end: 'form',
  monitoring_start: 'form',
  repair: 'form',
  request_data: 'form',
  sheets: 'form',
  stats: 'form',
  validate_locations: 'form',
};

const PLACES = {
  form: (name: string) => `send it as the form field ${name} next to the file`,
  query: (name: string) => `send it in the address: ?${name}=...`,
};

/** Refuses a member of the root of a file that is the name of an option. Any other foreign member is nobody's business. */
export function refuseMisplacedOption(name: string): void {
  if (!Object.hasOwn(MISPLACED_OPTIONS, name)) return;
  const detail = `The GeoJSON has a member "${name}", which is an option and is not read there; ${PLACES[MISPLACED_OPTIONS[name]!](name)}.`;
  throw new Problem('invalid_body', detail, { errors: [{ pointer: `/${name}`, code: 'misplaced', detail }] });
}
