import { resolve } from 'node:path';
import { type Bbox, WORLD } from '../../geo/shapes/shape.ts';
import { DATASET_KINDS, DATASET_ROLES, type Coverage, type Dataset, type DatasetKind } from './dataset.ts';
import { isRecord } from '../../is-record.ts';
import { nameOf, parseContract } from './contract.ts';

/** An entry as far as it could be read: the dataset, or what is wrong, field by field. */
type ParsedEntry =
  | { readonly id: string; readonly dataset: Dataset; readonly faults: readonly [] }
  | { readonly id: string | null; readonly dataset: null; readonly faults: readonly string[] };

const FIELDS = [
  'id',
  'role',
  'kind',
  'url',
  'path',
  'package',
  'coverage',
  'version',
  'date',
  'licence',
  'attribution',
  'synthetic',
  'options',
  'contract',
];
/** Kinds of the operator's entries; `package` is for data that ships with the service. */
const OPERATOR_KINDS = DATASET_KINDS.filter((kind) => kind !== 'package');

type Json = Readonly<Record<string, unknown>>;
type Parser<T> = (value: unknown) => T;

/** Reads one entry of a catalogue file; relative paths are taken from `folder`. */
export function parseDataset(entry: unknown, folder: string): ParsedEntry {
  if (!isRecord(entry)) return { id: null, dataset: null, faults: [`wanted an object, got ${nameOf(entry)}`] };
  const faults: string[] = [];
  const read = <T>(field: string, parse: Parser<T>): T => {
    try {
      return parse(entry[field]);
    } catch (error) {
      faults.push(`${field}: ${(error as Error).message}`);
      // Never used: an entry with faults is not returned.
      return undefined as T;
    }
  };
  for (const field of Object.keys(entry))
    if (!FIELDS.includes(field)) faults.push(`${field}: wanted one of ${FIELDS.join(', ')}`);
  const kind = read('kind', oneOf(OPERATOR_KINDS));
  const place = readPlace(entry, kind, folder, faults);
  const contract = read('contract', (value) => (value === undefined ? null : parseContract(value, place.url)));
  const dataset: Dataset = {
    id: read('id', identifier),
    role: read('role', oneOf(DATASET_ROLES)),
    kind,
    ...place,
    coverage: read('coverage', coverageOf),
    version: read('version', text),
    date: read('date', dateOrNull),
    licence: read('licence', text),
    attribution: read('attribution', text),
    synthetic: read('synthetic', (value) => (value === undefined ? false : truth(value))),
    options: read('options', (value) => (value === undefined ? {} : object(value))),
    ...(contract ? { contract } : {}),
  };
  if (faults.length === 0) return { id: dataset.id, dataset, faults: [] };
  return { id: typeof entry['id'] === 'string' ? entry['id'] : null, dataset: null, faults };
}

function readPlace(entry: Json, kind: DatasetKind, folder: string, faults: string[]): Pick<Dataset, 'url' | 'path'> {
  const { url, path } = entry;
  if (entry['package'] !== undefined)
    faults.push('package: only data that ships with the service comes from one; wanted url or path');
  if ((url === undefined) === (path === undefined)) {
    faults.push(`url: wanted exactly one of url and path, got ${url === undefined ? 'neither' : 'both'}`);
    return {};
  }
  if (path !== undefined) {
    if (kind === 'service') faults.push('path: a service is reached by url');
    if (typeof path === 'string' && path !== '') return { path: resolve(folder, path) };
    faults.push(`path: wanted a file or folder, got ${nameOf(path)}`);
    return {};
  }
  if (typeof url === 'string' && /^https?:$/.test(URL.parse(url)?.protocol ?? '')) return { url };
  faults.push(`url: wanted an http or https address, got ${nameOf(url)}`);
  return {};
}

function identifier(value: unknown): string {
  if (typeof value === 'string' && /^[a-z0-9][a-z0-9._-]{0,99}$/.test(value)) return value;
  throw new Error(
    `wanted up to 100 of a-z, 0-9, ".", "_" and "-", beginning with a letter or digit, got ${nameOf(value)}`,
  );
}

function text(value: unknown): string {
  if (typeof value === 'string' && value.trim() !== '' && value.length <= 2000) return value;
  throw new Error(`wanted a text of 1 to 2,000 characters, got ${nameOf(value)}`);
}

function truth(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new Error(`wanted true or false, got ${nameOf(value)}`);
}

function object(value: unknown): Json {
  if (isRecord(value)) return value;
  throw new Error(`wanted an object, got ${nameOf(value)}`);
}

function dateOrNull(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' && /^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$/.test(value)) return value;
  throw new Error(`wanted a year, month or day such as 2024, 2024-05 or 2024-05-31, got ${nameOf(value)}`);
}

function oneOf<const T extends string>(choices: readonly T[]): Parser<T> {
  return (value) => {
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined) throw new Error(`wanted one of ${choices.join(', ')}, got ${nameOf(value)}`);
    return choice;
  };
}

/** A box `[west, south, east, north]`, a Polygon or MultiPolygon of GeoJSON, or nothing for the whole world. */
function coverageOf(value: unknown): Coverage {
  if (value === undefined) return { bbox: WORLD };
  if (Array.isArray(value)) return { bbox: boxOf(value) };
  if (isRecord(value) && value['type'] === 'Polygon') return { polygons: [polygonOf(value['coordinates'])] };
  if (isRecord(value) && value['type'] === 'MultiPolygon')
    return { polygons: listOf(value['coordinates'], 'polygons').map(polygonOf) };
  throw new Error(`wanted [west, south, east, north] or a GeoJSON Polygon or MultiPolygon, got ${nameOf(value)}`);
}

function boxOf(value: readonly unknown[]): Bbox {
  const [west, south, east, north] = value;
  const inWorld = isDegrees(west, 180) && isDegrees(south, 90) && isDegrees(east, 180) && isDegrees(north, 90);
  if (value.length === 4 && inWorld && west <= east && south <= north) return [west, south, east, north];
  throw new Error(
    `wanted [west, south, east, north] in degrees with west <= east and south <= north, got ${nameOf(value)}`,
  );
}

function polygonOf(value: unknown): Float64Array[] {
  return listOf(value, 'rings').map((ring) => {
    const positions = listOf(ring, 'positions');
    const flat = positions.flatMap((position) => {
      const [lon, lat] = listOf(position, 'numbers');
      if (!isDegrees(lon, 180) || !isDegrees(lat, 90))
        throw new Error(`wanted a longitude and a latitude in degrees, got ${nameOf(position)}`);
      return [lon, lat];
    });
    const closed = flat[0] === flat[flat.length - 2] && flat[1] === flat[flat.length - 1];
    if (positions.length < 4 || !closed)
      throw new Error(`wanted rings of at least 4 positions that end where they begin, got ${nameOf(ring)}`);
    return Float64Array.from(flat);
  });
}

function listOf(value: unknown, what: string): readonly unknown[] {
  if (Array.isArray(value) && value.length > 0) return value;
  throw new Error(`wanted a list of ${what}, got ${nameOf(value)}`);
}

function isDegrees(value: unknown, limit: number): value is number {
  return typeof value === 'number' && Number.isFinite(value) && Math.abs(value) <= limit;
}
