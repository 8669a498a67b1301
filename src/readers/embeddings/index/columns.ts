/** What is taken from an index, and the names its columns go by; the first that is there counts. */
const NAMES = {
  path: ['path', 'location', 'filename', 'file'],
  year: ['year'],
  crs: ['crs', 'proj:code', 'epsg'],
  zone: ['utm_zone', 'zone'],
  west: ['utm_west'],
  south: ['utm_south'],
  east: ['utm_east'],
  north: ['utm_north'],
  wgs84West: ['wgs84_west'],
  wgs84South: ['wgs84_south'],
  wgs84East: ['wgs84_east'],
  wgs84North: ['wgs84_north'],
} as const satisfies Record<string, readonly string[]>;

type IndexField = keyof typeof NAMES;

const NEEDED = ['path', 'year', 'west', 'south', 'east', 'north'] as const satisfies readonly IndexField[];
const FOOTPRINT = ['wgs84West', 'wgs84South', 'wgs84East', 'wgs84North'] as const satisfies readonly IndexField[];

/** The column of each field that is there; the footprint in degrees is there whole or not at all. */
export type IndexColumns = Readonly<Partial<Record<IndexField, string>>>;

/** Finds the columns of an index, or says what is missing. */
export function findIndexColumns(names: readonly string[]): IndexColumns | { readonly missing: string } {
  const found: Partial<Record<IndexField, string>> = {};
  for (const field of Object.keys(NAMES) as IndexField[]) {
    const name = NAMES[field].find((candidate) => names.includes(candidate));
    if (name !== undefined) found[field] = name;
  }
  if (FOOTPRINT.some((field) => found[field] === undefined)) for (const field of FOOTPRINT) delete found[field];
  const missing = NEEDED.filter((field) => found[field] === undefined).map((field) => NAMES[field].join(' or '));
  if (found.crs === undefined && found.zone === undefined) missing.push('crs or utm_zone');
  if (missing.length === 0) return found;
  return { missing: `wanted the columns ${missing.join(', ')}, got ${names.slice(0, 40).join(', ') || 'none'}` };
}
