import { DATA_TYPES, type ZarrDataType, ZarrError } from './zarr-array.ts';
import { type Json, namedConfiguration, parseCodecs, said, sizesOf } from './parse-codecs.ts';
import type { ChunkKeys, ZarrArrayMetadata } from './zarr-metadata.ts';
import { isRecord } from '../../../is-record.ts';

/** Most dimensions an array may have. */
const MAX_DIMENSIONS = 8;

const ARRAY_FIELDS: ReadonlySet<string> = new Set([
  'zarr_format',
  'node_type',
  'shape',
  'data_type',
  'chunk_grid',
  'chunk_key_encoding',
  'fill_value',
  'codecs',
  'attributes',
  'storage_transformers',
  'dimension_names',
]);
const GROUP_FIELDS: ReadonlySet<string> = new Set(['zarr_format', 'node_type', 'attributes', 'consolidated_metadata']);

/**
 * Reads the `zarr.json` of an array (Zarr v3 core specification, "Array metadata").
 * @throws ZarrError `metadata` when it breaks the rules, `unsupported` when it names what is not read.
 */
export function parseArrayMetadata(place: string, text: string): ZarrArrayMetadata {
  const json = parseNode(place, text, 'array', ARRAY_FIELDS);
  const wrong = (detail: string): ZarrError => new ZarrError('metadata', place, detail);
  const shape = sizesOf(place, 'shape', json['shape'], 0);
  if (shape.length < 1 || shape.length > MAX_DIMENSIONS)
    throw wrong(`shape: wanted 1 to ${MAX_DIMENSIONS} dimensions, got ${shape.length}`);
  const transformers = json['storage_transformers'];
  if (transformers !== undefined && !(Array.isArray(transformers) && transformers.length === 0))
    throw new ZarrError('unsupported', place, `storage_transformers: wanted none, got ${said(transformers)}`);
  const dataType = dataTypeOf(place, json['data_type']);
  const grid = namedConfiguration(place, 'chunk_grid', json['chunk_grid']);
  if (grid.name !== 'regular')
    throw new ZarrError('unsupported', place, `chunk_grid: wanted "regular", got "${grid.name}"`);
  const gridShape = sizesOf(place, 'chunk_shape', grid.configuration['chunk_shape'], 1);
  if (gridShape.length !== shape.length)
    throw wrong(`chunk_shape: wanted ${shape.length} dimensions as in shape, got ${gridShape.length}`);
  return {
    shape,
    dataType,
    fillValue: parseFillValue(place, json['fill_value'], dataType),
    chunkKeys: chunkKeysOf(place, json['chunk_key_encoding']),
    dimensionNames: dimensionNamesOf(place, json['dimension_names'], shape.length),
    attributes: attributesOf(place, json['attributes']),
    ...parseCodecs(place, json['codecs'], gridShape, dataType),
  };
}

/** The attributes of a group. @throws ZarrError like `parseArrayMetadata`. */
export function parseGroupAttributes(place: string, text: string): Json {
  return attributesOf(place, parseNode(place, text, 'group', GROUP_FIELDS)['attributes']);
}

function parseNode(place: string, text: string, wanted: 'array' | 'group', known: ReadonlySet<string>): Json {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new ZarrError('metadata', place, `wanted JSON: ${(cause as Error).message}`, { cause });
  }
  if (!isRecord(json)) throw new ZarrError('metadata', place, `wanted an object, got ${said(json)}`);
  if (json['zarr_format'] !== 3)
    throw new ZarrError('unsupported', place, `zarr_format: wanted 3, got ${said(json['zarr_format'])}`);
  if (json['node_type'] !== wanted)
    throw new ZarrError('metadata', place, `node_type: wanted "${wanted}", got ${said(json['node_type'])}`);
  for (const [field, value] of Object.entries(json)) {
    if (known.has(field) || (isRecord(value) && value['must_understand'] === false)) continue;
    throw new ZarrError('unsupported', place, `the extension field "${field.slice(0, 80)}" is not understood`);
  }
  return json;
}

function dataTypeOf(place: string, value: unknown): ZarrDataType {
  if (typeof value === 'string' && Object.hasOwn(DATA_TYPES, value)) return value as ZarrDataType;
  const wanted = Object.keys(DATA_TYPES).join(', ');
  throw new ZarrError('unsupported', place, `data_type: wanted one of ${wanted}; got ${said(value)}`);
}

function chunkKeysOf(place: string, value: unknown): ChunkKeys {
  const { name, configuration } = namedConfiguration(place, 'chunk_key_encoding', value);
  if (name !== 'default' && name !== 'v2')
    throw new ZarrError('unsupported', place, `chunk_key_encoding: wanted "default" or "v2", got "${name}"`);
  const separator = configuration['separator'] ?? (name === 'default' ? '/' : '.');
  if (separator !== '/' && separator !== '.')
    throw new ZarrError('metadata', place, `separator: wanted "/" or ".", got ${said(separator)}`);
  return { encoding: name, separator };
}

function dimensionNamesOf(place: string, value: unknown, dimensions: number): readonly (string | null)[] | null {
  if (value === undefined || value === null) return null;
  const isName = (name: unknown): name is string | null => name === null || typeof name === 'string';
  if (Array.isArray(value) && value.length === dimensions && value.every(isName)) return value;
  throw new ZarrError('metadata', place, `dimension_names: wanted ${dimensions} names, got ${said(value)}`);
}

function attributesOf(place: string, value: unknown): Json {
  if (value === undefined) return {};
  if (isRecord(value)) return value;
  throw new ZarrError('metadata', place, `attributes: wanted an object, got ${said(value)}`);
}

const SPECIAL: Readonly<Record<string, number>> = { NaN: Number.NaN, Infinity: Infinity, '-Infinity': -Infinity };

/**
 * The fill value of an array: a number, and for floating point also `NaN`, `Infinity`, `-Infinity` or the bits of the
 * value in hexadecimal (Zarr v3 core specification, "Fill value").
 * @throws ZarrError `metadata` for anything else and for what the type cannot hold.
 */
function parseFillValue(place: string, value: unknown, dataType: ZarrDataType): number {
  const { range, bytes } = DATA_TYPES[dataType];
  if (range !== null && Number.isInteger(value)) {
    const number = value as number;
    if (number >= range[0] && number <= range[1]) return number;
  }
  if (range === null && typeof value === 'number') return value;
  if (range === null && typeof value === 'string') {
    if (Object.hasOwn(SPECIAL, value)) return SPECIAL[value];
    if (new RegExp(`^0x[0-9a-fA-F]{${2 * bytes}}$`).test(value)) return fromBits(BigInt(value), bytes);
  }
  throw new ZarrError('metadata', place, `fill_value: wanted a value of type ${dataType}, got ${said(value)}`);
}

/** How a fill value is written into `zarr.json`. */
export function fillValueAsJson(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}

function fromBits(bits: bigint, bytes: number): number {
  const view = new DataView(new ArrayBuffer(8));
  if (bytes === 8) view.setBigUint64(0, bits);
  else view.setUint32(0, Number(bits));
  return bytes === 8 ? view.getFloat64(0) : view.getFloat32(0);
}
