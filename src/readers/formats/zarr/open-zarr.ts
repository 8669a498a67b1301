import { createHash } from 'node:crypto';

import { createShared } from '../../io/share.ts';
import { chunkKey, type ZarrArrayMetadata } from './zarr-metadata.ts';
import { decodeChunk, largestEncoded, withoutChecksum } from './decode-chunk.ts';
import { parseArrayMetadata, parseGroupAttributes } from './parse-metadata.ts';
import { openShards } from './read-shards.ts';
import { DATA_TYPES, HOST_ENDIAN, type ZarrArray, ZarrError, type ZarrValues } from './zarr-array.ts';
import type { Json } from './parse-codecs.ts';
import { withFile, type ZarrStore } from './zarr-store.ts';

/** Longest `zarr.json` that is read, in bytes. */
const MAX_DOCUMENT_BYTES = 4_194_304;

/**
 * Opens the array at `path` of a Zarr v3 store ('' is its root); null when nothing is there. Read are regular chunk
 * grids with the codecs bytes, transpose, gzip, zstd, crc32c and sharding_indexed (index at the start or the end).
 * @throws ZarrError when the array is of another kind or its `zarr.json` is broken, ByteSourceError when it cannot be
 * reached.
 */
export async function openZarrArray(store: ZarrStore, path: string, signal: AbortSignal): Promise<ZarrArray | null> {
  const document = await readDocument(store, path, signal);
  if (document === null) return null;
  const { place, text, version } = document;
  const metadata = parseArrayMetadata(place, text);
  const { shape, chunkShape, sharding } = metadata;
  const chunks = shape.map((size, i) => Math.ceil(size / chunkShape[i]));
  const files = chunkFiles(store, metadata);
  const shared = createShared<ZarrValues | null>();
  const id = `${place}@${hashOf(`${version ?? ''}\n${text}`)}`;

  function locate(index: readonly number[]): { readonly key: string; readonly slot: number } {
    assertIndex(index, chunks);
    if (sharding === null) return { key: below(path, chunkKey(metadata.chunkKeys, index)), slot: 0 };
    const perShard = sharding.shardShape.map((size, i) => size / chunkShape[i]);
    const shard = index.map((place, i) => Math.floor(place / perShard[i]));
    const slot = index.reduce((sum, place, i) => sum * perShard[i] + (place % perShard[i]), 0);
    return { key: below(path, chunkKey(metadata.chunkKeys, shard)), slot };
  }

  return {
    id,
    shape,
    chunkShape,
    dataType: metadata.dataType,
    fillValue: metadata.fillValue,
    dimensionNames: metadata.dimensionNames,
    attributes: metadata.attributes,
    async chunk(index, signal) {
      const { key, slot } = locate(index);
      return shared(`${slot} ${key}`, signal, async (inner) => {
        const encoded = await files.read(key, slot, inner);
        return encoded && decodeChunk(`${id}, chunk ${index.join(', ')}`, metadata, encoded);
      });
    },
    compression: compressionOf(metadata),
    async encoded(index, signal) {
      const { key, slot } = locate(index);
      const bytes = await files.read(key, slot, signal);
      const hasChecksum = metadata.codecs.bytes.at(-1)?.name === 'crc32c';
      return bytes && hasChecksum ? withoutChecksum(`${id}, chunk ${index.join(', ')}`, bytes) : bytes;
    },
    async has(index, signal) {
      const { key, slot } = locate(index);
      return files.has(key, slot, signal);
    },
  };
}

/** Values of one byte, or in this machine's order, that went through zstd and nothing else but a checksum after it. */
function compressionOf({ codecs: { order, endian, bytes }, dataType }: ZarrArrayMetadata): ZarrArray['compression'] {
  const isPlain = order === null && (DATA_TYPES[dataType].bytes === 1 || endian === HOST_ENDIAN);
  const names = bytes.map(({ name }) => name).join(' ');
  return isPlain && (names === 'zstd' || names === 'zstd crc32c') ? 'zstd' : null;
}

/** The attributes of the group at `path`; null when nothing is there. Rejects like `openZarrArray`. */
export async function readZarrGroup(store: ZarrStore, path: string, signal: AbortSignal): Promise<Json | null> {
  const document = await readDocument(store, path, signal);
  return document && parseGroupAttributes(document.place, document.text);
}

/** What the `zarr.json` of an array says, for those who write into it; null when nothing is there. */
export async function readZarrMetadata(
  store: ZarrStore,
  path: string,
  signal: AbortSignal,
): Promise<ZarrArrayMetadata | null> {
  const document = await readDocument(store, path, signal);
  return document && parseArrayMetadata(document.place, document.text);
}

interface Document {
  readonly place: string;
  readonly text: string;
  readonly version: string | null;
}

function readDocument(store: ZarrStore, path: string, signal: AbortSignal): Promise<Document | null> {
  return withFile(store, below(path, 'zarr.json'), async (source) => {
    const info = await source.stat({ signal });
    if (info === null) return null;
    if (info.size > MAX_DOCUMENT_BYTES)
      throw new ZarrError('metadata', source.id, `wanted at most ${MAX_DOCUMENT_BYTES} bytes, got ${info.size}`);
    const bytes = await source.fetch(0, info.size, { signal });
    return bytes && { place: source.id, text: Buffer.from(bytes).toString('utf8'), version: info.version };
  });
}

/** Chunks in shards, or each in a file of its own. */
function chunkFiles(store: ZarrStore, metadata: ZarrArrayMetadata): ReturnType<typeof openShards> {
  const { sharding } = metadata;
  if (sharding !== null) return openShards(store, { ...metadata, sharding });
  const largest = largestEncoded(metadata);
  return {
    read: (key, _slot, signal) =>
      withFile(store, key, async (source) => {
        const info = await source.stat({ signal });
        if (info === null) return null;
        if (info.size > largest)
          throw new ZarrError('damaged', source.id, `wanted a chunk of at most ${largest} bytes, got ${info.size}`);
        return source.fetch(0, info.size, { signal });
      }),
    has: (key, _slot, signal) => withFile(store, key, async (source) => (await source.stat({ signal })) !== null),
  };
}

function assertIndex(index: readonly number[], chunks: readonly number[]): void {
  const isInside = (place: number, i: number): boolean => Number.isInteger(place) && place >= 0 && place < chunks[i];
  if (index.length === chunks.length && index.every(isInside)) return;
  throw new RangeError(`wanted a chunk of ${chunks.join(' x ')}, got ${index.join(', ')}`);
}

function below(path: string, key: string): string {
  return path === '' ? key : `${path}/${key}`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
