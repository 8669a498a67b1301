/** Types of Zarr v3 that are read and written. */
export type ZarrDataType = 'int8' | 'uint8' | 'int16' | 'uint16' | 'int32' | 'uint32' | 'float32' | 'float64';

export type ZarrValues =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array;

/** An array of a Zarr v3 store, open for reading. Chunks are the inner ones where the array is sharded. */
export interface ZarrArray {
  /** Names the array and its version in cache keys. Holds no secret. */
  readonly id: string;
  readonly shape: readonly number[];
  /** Size of a chunk, which is what one read decodes. */
  readonly chunkShape: readonly number[];
  readonly dataType: ZarrDataType;
  readonly fillValue: number;
  /** Names of the dimensions, null for one without; null when the array names none. */
  readonly dimensionNames: readonly (string | null)[] | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  /**
   * The values of the chunk at `index` (one number a dimension) in C order, filled up at the array's edge; null when it
   * is not stored, which means fill value. Shared with other callers: do not write into them. Rejects when the bytes
   * cannot be read, fail their checksum or do not decode.
   */
  chunk(index: readonly number[], signal: AbortSignal): Promise<ZarrValues | null>;
  /** Whether the chunk at `index` is stored. Reads no more than its shard's index, which is kept. Rejects like `chunk`. */
  has(index: readonly number[], signal: AbortSignal): Promise<boolean>;
}
