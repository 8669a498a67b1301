import type { ZarrArray } from '../formats/zarr/zarr-array.ts';

/** The chunks of the two arrays of one raster and year. */
export interface LabelChunks {
  /** Cells a side of a chunk. */
  readonly size: number;
  /** Chunks in a row, and rows of them. */
  readonly across: number;
  readonly down: number;
  /** The labels of a chunk, null when none is stored. Do not write into them. */
  labels(cx: number, cy: number, signal: AbortSignal): Promise<Uint32Array | null>;
  /** The states of a chunk, null when nothing was built there. */
  status(cx: number, cy: number, signal: AbortSignal): Promise<Uint8Array | null>;
  /** Whether anything was built in a chunk. */
  isBuilt(cx: number, cy: number, signal: AbortSignal): Promise<boolean>;
}

/** Decoded chunks, the latest used; shared by all arrays of a store. */
export interface ChunkCache {
  get(key: string): Uint32Array | Uint8Array | undefined;
  set(key: string, values: Uint32Array | Uint8Array): void;
}

/** A cache of at most `maxBytes`. */
export function createChunkCache(maxBytes: number): ChunkCache {
  const kept = new Map<string, Uint32Array | Uint8Array>();
  let bytes = 0;
  return {
    get(key) {
      const values = kept.get(key);
      if (values === undefined) return undefined;
      kept.delete(key);
      kept.set(key, values);
      return values;
    },
    set(key, values) {
      bytes += values.byteLength - (kept.get(key)?.byteLength ?? 0);
      kept.delete(key);
      kept.set(key, values);
      for (const [oldest, old] of kept) {
        if (bytes <= maxBytes) break;
        kept.delete(oldest);
        bytes -= old.byteLength;
      }
    },
  };
}

/**
 * Reads the chunks of a pair of arrays through a cache. That a chunk is missing is not kept: it may be built meanwhile.
 * @throws Error when the arrays are not a store's pair.
 */
export function openLabelChunks(labels: ZarrArray, status: ZarrArray, cache: ChunkCache): LabelChunks {
  const [size] = labels.chunkShape;
  assertPair(labels, status);
  const [height, width] = labels.shape;
  const read = async (array: ZarrArray, cx: number, cy: number, signal: AbortSignal) => {
    const key = `${array.id} ${cx} ${cy}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const values = (await array.chunk([cy, cx], signal)) as Uint32Array | Uint8Array | null;
    if (values !== null) cache.set(key, values);
    return values;
  };
  return {
    size,
    across: Math.ceil(width / size),
    down: Math.ceil(height / size),
    labels: (cx, cy, signal) => read(labels, cx, cy, signal) as Promise<Uint32Array | null>,
    status: (cx, cy, signal) => read(status, cx, cy, signal) as Promise<Uint8Array | null>,
    isBuilt: (cx, cy, signal) => status.has([cy, cx], signal),
  };
}

function assertPair(labels: ZarrArray, status: ZarrArray): void {
  const isSame = (a: readonly number[], b: readonly number[]): boolean =>
    a.length === 2 && b.length === 2 && a[0] === b[0] && a[1] === b[1];
  const isPair =
    labels.dataType === 'uint32' &&
    status.dataType === 'uint8' &&
    isSame(labels.shape, status.shape) &&
    isSame(labels.chunkShape, status.chunkShape) &&
    labels.chunkShape[0] === labels.chunkShape[1];
  if (isPair) return;
  const got = [labels, status].map(({ dataType, shape, chunkShape }) => `${dataType} ${shape} in ${chunkShape}`);
  throw new Error(
    `${labels.id}: wanted uint32 labels and uint8 states in the same square chunks, got ${got.join('; ')}`,
  );
}
