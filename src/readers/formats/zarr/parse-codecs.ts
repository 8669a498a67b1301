import { DATA_TYPES, type ZarrDataType, ZarrError } from './zarr-array.ts';
import { type BytesCodec, type ChunkCodecs, countOf, type Sharding, type ZarrArrayMetadata } from './zarr-metadata.ts';
import { isRecord } from '../../../is-record.ts';

/** Largest chunk that is decoded, in bytes. */
const MAX_CHUNK_BYTES = 268_435_456;

/** Most chunks in a shard: an index of 16 MiB. */
const MAX_CHUNKS_OF_SHARD = 1_048_576;

/** Most codecs in one list. */
const MAX_CODECS = 16;

type Layout = Pick<ZarrArrayMetadata, 'chunkShape' | 'codecs' | 'sharding'>;

/**
 * Reads the codecs of an array whose chunk grid has cells of `gridShape`: those of a chunk, or one `sharding_indexed`
 * with the codecs of its inner chunks. Anything else is refused by name.
 */
export function parseCodecs(
  place: string,
  value: unknown,
  gridShape: readonly number[],
  dataType: ZarrDataType,
): Layout {
  const codecs = listOf(place, 'codecs', value);
  const layout: Layout = codecs.some(({ name }) => name === 'sharding_indexed')
    ? shardedLayout(place, codecs, gridShape, dataType)
    : { chunkShape: gridShape, codecs: chunkCodecs(place, codecs, gridShape.length, dataType), sharding: null };
  const bytes = countOf(layout.chunkShape) * DATA_TYPES[dataType].bytes;
  if (bytes > MAX_CHUNK_BYTES)
    throw new ZarrError('unsupported', place, `wanted chunks of at most ${MAX_CHUNK_BYTES} bytes, got ${bytes}`);
  return layout;
}

interface NamedCodec {
  readonly name: string;
  readonly configuration: Json;
}

function listOf(place: string, field: string, value: unknown): readonly NamedCodec[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_CODECS)
    throw new ZarrError('metadata', place, `${field}: wanted a list of 1 to ${MAX_CODECS}, got ${said(value)}`);
  return value.map((codec) => namedConfiguration(place, field, codec));
}

function shardedLayout(
  place: string,
  codecs: readonly NamedCodec[],
  shardShape: readonly number[],
  dataType: ZarrDataType,
): Layout {
  const other = codecs.find(({ name }) => name !== 'sharding_indexed');
  if (codecs.length > 1)
    throw new ZarrError(
      'unsupported',
      place,
      `codecs: "${other?.name ?? 'sharding_indexed'}" next to sharding_indexed`,
    );
  const { configuration } = codecs[0];
  const chunkShape = sizesOf(place, 'chunk_shape of sharding_indexed', configuration['chunk_shape'], 1);
  const isWhole = chunkShape.every((size, i) => Number.isInteger(shardShape[i] / size));
  if (chunkShape.length !== shardShape.length || !isWhole)
    throw new ZarrError('metadata', place, `wanted a shard of whole chunks, got ${shardShape} of ${chunkShape}`);
  const chunks = countOf(shardShape.map((size, i) => size / chunkShape[i]));
  if (chunks > MAX_CHUNKS_OF_SHARD)
    throw new ZarrError('unsupported', place, `wanted at most ${MAX_CHUNKS_OF_SHARD} chunks in a shard, got ${chunks}`);
  const inner = listOf(place, 'codecs of sharding_indexed', configuration['codecs']);
  return {
    chunkShape,
    codecs: chunkCodecs(place, inner, chunkShape.length, dataType),
    sharding: {
      shardShape,
      indexAt: indexLocation(place, configuration['index_location'] ?? 'end'),
      indexChecksum: indexChecksum(place, listOf(place, 'index_codecs', configuration['index_codecs'])),
    },
  };
}

function indexLocation(place: string, value: unknown): Sharding['indexAt'] {
  if (value === 'start' || value === 'end') return value;
  throw new ZarrError('metadata', place, `index_location: wanted "start" or "end", got ${said(value)}`);
}

function indexChecksum(place: string, codecs: readonly NamedCodec[]): boolean {
  const [first, second, third] = codecs;
  const isPlain = first.name === 'bytes' && first.configuration['endian'] === 'little';
  if (isPlain && third === undefined && (second === undefined || second.name === 'crc32c')) return second !== undefined;
  const got = codecs.map(({ name }) => name).join(', ');
  throw new ZarrError('unsupported', place, `index_codecs: wanted bytes (little) and crc32c, got ${got}`);
}

/** Array to array, then array to bytes, then bytes to bytes, as the specification orders them. */
function chunkCodecs(
  place: string,
  codecs: readonly NamedCodec[],
  dimensions: number,
  dataType: ZarrDataType,
): ChunkCodecs {
  const at = codecs.findIndex(({ name }) => name === 'bytes');
  const before = at < 0 ? codecs : codecs.slice(0, at);
  let order: readonly number[] | null = null;
  for (const codec of before) {
    if (codec.name !== 'transpose')
      throw new ZarrError('unsupported', place, `codecs: wanted transpose or bytes, got "${codec.name}"`);
    const next = permutation(place, codec.configuration['order'], dimensions);
    order = order === null ? next : next.map((dimension) => (order as readonly number[])[dimension]);
  }
  if (at < 0) throw new ZarrError('metadata', place, 'codecs: wanted bytes among them');
  const bytes = codecs.slice(at + 1).map((codec) => bytesCodec(place, codec));
  return { order, endian: endianOf(place, codecs[at].configuration['endian'], dataType), bytes };
}

function permutation(place: string, value: unknown, dimensions: number): readonly number[] {
  const order = sizesOf(place, 'order of transpose', value, 0);
  const isWhole = order.length === dimensions && new Set(order).size === dimensions;
  if (isWhole && Math.max(...order) < dimensions) return order;
  throw new ZarrError('metadata', place, `transpose: wanted each of ${dimensions} dimensions once, got ${said(value)}`);
}

function endianOf(place: string, value: unknown, dataType: ZarrDataType): 'little' | 'big' {
  if (value === 'little' || value === 'big') return value;
  if (value === undefined && DATA_TYPES[dataType].bytes === 1) return 'little';
  throw new ZarrError('metadata', place, `endian: wanted "little" or "big", got ${said(value)}`);
}

function bytesCodec(place: string, { name, configuration }: NamedCodec): BytesCodec {
  const { level, checksum } = configuration;
  const levelOr = (otherwise: number): number => (Number.isSafeInteger(level) ? (level as number) : otherwise);
  if (name === 'zstd') return { name, level: levelOr(3), checksum: checksum === true };
  if (name === 'gzip') return { name, level: levelOr(6) };
  if (name === 'crc32c') return { name };
  throw new ZarrError('unsupported', place, `codecs: wanted zstd, gzip or crc32c after bytes, got "${name}"`);
}

export type Json = Readonly<Record<string, unknown>>;

/** What came, short enough for a message. */
export function said(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** An extension point of Zarr v3: an object with `name` and `configuration`, or the name alone. */
export function namedConfiguration(
  place: string,
  field: string,
  value: unknown,
): { readonly name: string; readonly configuration: Json } {
  if (typeof value === 'string') return { name: value, configuration: {} };
  if (isRecord(value) && typeof value['name'] === 'string') {
    const configuration = value['configuration'] ?? {};
    if (isRecord(configuration)) return { name: value['name'], configuration };
  }
  throw new ZarrError('metadata', place, `${field}: wanted an object with a name, got ${said(value)}`);
}

/** A list of whole numbers from `least`, each exact as a double. */
export function sizesOf(place: string, field: string, value: unknown, least: number): readonly number[] {
  const isSize = (size: unknown): size is number => Number.isSafeInteger(size) && (size as number) >= least;
  if (Array.isArray(value) && value.every(isSize)) return value;
  throw new ZarrError('metadata', place, `${field}: wanted whole numbers from ${least}, got ${said(value)}`);
}
