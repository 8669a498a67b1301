import type { LonLat } from '../../geo/shapes/shape.ts';

/** What the files of a dataset look like. What is left out may be anything. */
export interface ContractExpectation {
  /** Bands of a raster, at least. */
  readonly bands?: number;
  /** What a sample is stored as, such as `uint8`. */
  readonly sampleType?: string;
  /** Coordinate system of a raster, such as `EPSG:4326`. */
  readonly crs?: string;
  /** Columns of a table. */
  readonly columns?: readonly string[];
}

/** Where the versions of a dataset are listed. */
interface ContractListing {
  /** A page or folder listing that names the files. */
  readonly listing: string;
  /** Regular expression with one group, the number of the version, that matches in the listing and in the dataset's `url`. */
  readonly pattern: string;
}

/** What an outside dataset is relied on for, so that it is noticed when the world has moved. */
export interface Contract {
  /** Other addresses of the same bytes, in the order in which they are used after `url`. */
  readonly mirrors: readonly string[];
  /** What is known to exist: a place in degrees on a tile, or a file below the base address; null: the address itself. */
  readonly sentinel: LonLat | string | null;
  readonly expect: ContractExpectation;
  /** How the newest version is found: it never changes, it replaces the one at this address, or a listing names it. */
  readonly newest: 'fixed' | 'in-place' | ContractListing;
}

/** The contract of an entry that states none: its address answers with something of its kind. */
export const PLAIN_CONTRACT: Contract = { mirrors: [], sentinel: null, expect: {}, newest: 'fixed' };

const MOST_MIRRORS = 8;
const FIELDS = ['mirrors', 'sentinel', 'expect', 'newest'];
const EXPECTED = ['bands', 'sampleType', 'crs', 'columns'];
const SAMPLE_TYPES = ['int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'float32', 'float64'];

/**
 * Reads the contract of an entry whose data is at `url`.
 * @throws Error that names the field, what was wanted and what came.
 */
export function parseContract(value: unknown, url: string | undefined): Contract {
  if (url === undefined) throw new Error('only data at an address has one; wanted url in place of path');
  const entry = objectWith(value, FIELDS, '');
  return {
    mirrors: mirrorsOf(entry['mirrors'], url),
    sentinel: sentinelOf(entry['sentinel']),
    expect: expectationOf(entry['expect']),
    newest: newestOf(entry['newest'], url),
  };
}

/**
 * The beginning of `url` and what a mirror has in its place: the two end alike, and of a template all of `{names}` lie in that
 * end. Null: they do not.
 */
export function mirrorPrefixes(url: string, mirror: string): readonly [own: string, other: string] | null {
  const [own, other] = [trimmed(url).split('/'), trimmed(mirror).split('/')];
  // Protocol and host are what a mirror is about.
  while (own.length > 3 && other.length > 3 && own.at(-1) === other.at(-1)) {
    own.pop();
    other.pop();
  }
  const [ownPrefix, otherPrefix] = [own.join('/'), other.join('/')];
  return ownPrefix.includes('{') || otherPrefix.includes('{') ? null : [ownPrefix, otherPrefix];
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '');
}

function mirrorsOf(value: unknown, url: string): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || value.length > MOST_MIRRORS)
    throw new Error(`mirrors: wanted a list of up to ${MOST_MIRRORS} addresses, got ${nameOf(value)}`);
  return value.map((mirror: unknown) => {
    if (typeof mirror !== 'string' || !isHttp(mirror))
      throw new Error(`mirrors: wanted an http or https address, got ${nameOf(mirror)}`);
    if (mirrorPrefixes(url, mirror) === null)
      throw new Error(
        `mirrors: wanted an address that ends like url from the folder or file with the first "{" on, got ${nameOf(mirror)}`,
      );
    return mirror;
  });
}

function sentinelOf(value: unknown): Contract['sentinel'] {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && /^[\w][\w./-]{0,499}$/.test(value) && !value.includes('..')) return value;
  if (Array.isArray(value) && value.length === 2 && isWithin(value[0], 180) && isWithin(value[1], 90))
    return [value[0], value[1]];
  throw new Error(
    `sentinel: wanted [longitude, latitude] of a place on a tile that exists, or a file below the address, got ${nameOf(value)}`,
  );
}

function expectationOf(value: unknown): ContractExpectation {
  if (value === undefined) return {};
  const { bands, sampleType, crs, columns } = objectWith(value, EXPECTED, 'expect.');
  if (bands !== undefined && !(Number.isInteger(bands) && (bands as number) >= 1))
    throw new Error(`expect.bands: wanted a whole number from 1, got ${nameOf(bands)}`);
  if (sampleType !== undefined && !SAMPLE_TYPES.includes(sampleType as string))
    throw new Error(`expect.sampleType: wanted one of ${SAMPLE_TYPES.join(', ')}, got ${nameOf(sampleType)}`);
  if (crs !== undefined && !(typeof crs === 'string' && /^EPSG:\d{4,6}$/.test(crs)))
    throw new Error(`expect.crs: wanted a code such as EPSG:4326, got ${nameOf(crs)}`);
  if (columns !== undefined && !(Array.isArray(columns) && columns.every((name) => typeof name === 'string')))
    throw new Error(`expect.columns: wanted a list of names, got ${nameOf(columns)}`);
  return { ...(value as ContractExpectation) };
}

function newestOf(value: unknown, url: string): Contract['newest'] {
  if (value === undefined || value === 'fixed') return 'fixed';
  if (value === 'in-place') return 'in-place';
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`newest: wanted "fixed", "in-place" or a listing with a pattern, got ${nameOf(value)}`);
  const { listing, pattern } = objectWith(value, ['listing', 'pattern'], 'newest.');
  if (typeof listing !== 'string' || !isHttp(listing))
    throw new Error(`newest.listing: wanted an http or https address, got ${nameOf(listing)}`);
  if (typeof pattern !== 'string' || pattern.length > 200 || versionIn(url, pattern) === null)
    throw new Error(
      `newest.pattern: wanted a regular expression with one group, the number of the version, that matches in url, got ${nameOf(pattern)}`,
    );
  return { listing, pattern };
}

/** The greatest version that a pattern finds in a text; null: none, or the pattern is none. */
export function versionIn(text: string, pattern: string): number | null {
  try {
    const found = [...text.matchAll(new RegExp(pattern, 'g'))].map(([, version]) => Number(version));
    const versions = found.filter((version) => Number.isFinite(version));
    return versions.length === 0 ? null : Math.max(...versions);
  } catch {
    return null;
  }
}

function objectWith(value: unknown, fields: readonly string[], where: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${where === '' ? '' : `${where.slice(0, -1)}: `}wanted an object, got ${nameOf(value)}`);
  const odd = Object.keys(value).find((field) => !fields.includes(field));
  if (odd !== undefined) throw new Error(`${where}${odd}: wanted one of ${fields.join(', ')}`);
  return value as Readonly<Record<string, unknown>>;
}

function isHttp(address: string): boolean {
  return /^https?:$/.test(URL.parse(address)?.protocol ?? '');
}

function isWithin(value: unknown, limit: number): value is number {
  return typeof value === 'number' && Math.abs(value) <= limit;
}

/** What came, short enough for a message. */
export function nameOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  const written = JSON.stringify(value);
  return written.length > 80 ? `${written.slice(0, 80)}…` : written;
}
