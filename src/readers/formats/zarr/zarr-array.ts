import { faultsOf } from '../../io/source-fault.ts';

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
  /** The one codec by which `encoded` gives the values of a chunk in C order; null where there are other steps. */
  readonly compression: 'zstd' | null;
  /** The stored bytes of a chunk without their checksum, for who decodes them elsewhere; null when it is not stored. Rejects like `chunk`, but for decoding. */
  encoded(index: readonly number[], signal: AbortSignal): Promise<Uint8Array | null>;
  /** Whether the chunk at `index` is stored. Reads no more than its shard's index, which is kept. Rejects like `chunk`. */
  has(index: readonly number[], signal: AbortSignal): Promise<boolean>;
}

interface DataType {
  /** Bytes of a value. */
  readonly bytes: 1 | 2 | 4 | 8;
  /** Smallest and largest value; null for floating point. */
  readonly range: readonly [lowest: number, highest: number] | null;
  /** Values over the first `length` values of `buffer`, in the byte order of this machine. */
  readonly view: (buffer: ArrayBuffer, length: number) => ZarrValues;
}

export const DATA_TYPES = {
  int8: { bytes: 1, range: [-128, 127], view: (buffer, length) => new Int8Array(buffer, 0, length) },
  uint8: { bytes: 1, range: [0, 255], view: (buffer, length) => new Uint8Array(buffer, 0, length) },
  int16: { bytes: 2, range: [-32_768, 32_767], view: (buffer, length) => new Int16Array(buffer, 0, length) },
  uint16: { bytes: 2, range: [0, 65_535], view: (buffer, length) => new Uint16Array(buffer, 0, length) },
  int32: { bytes: 4, range: [-(2 ** 31), 2 ** 31 - 1], view: (buffer, length) => new Int32Array(buffer, 0, length) },
  uint32: { bytes: 4, range: [0, 2 ** 32 - 1], view: (buffer, length) => new Uint32Array(buffer, 0, length) },
  float32: { bytes: 4, range: null, view: (buffer, length) => new Float32Array(buffer, 0, length) },
  float64: { bytes: 8, range: null, view: (buffer, length) => new Float64Array(buffer, 0, length) },
} as const satisfies Readonly<Record<ZarrDataType, DataType>>;

/** The byte order of this machine. */
export const HOST_ENDIAN: 'little' | 'big' = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 'little' : 'big';

/** Reverses the bytes of every value, in place. */
export function swapBytes(out: Uint8Array, bytesOfValue: 1 | 2 | 4 | 8): void {
  const buffer = Buffer.from(out.buffer, out.byteOffset, out.byteLength);
  if (bytesOfValue === 2) buffer.swap16();
  else if (bytesOfValue === 4) buffer.swap32();
  else if (bytesOfValue === 8) buffer.swap64();
}

/** What is wrong with a store, and with it what can be done. */
const ZARR_FAULTS = {
  metadata: 'correct zarr.json; it breaks the rules of Zarr v3',
  unsupported: 'write the array with the codecs and types that are read',
  damaged: 'fetch the file again or build it again; its bytes are not what they should be',
} as const satisfies Readonly<Record<string, string>>;

export type ZarrFault = keyof typeof ZARR_FAULTS;

/** A Zarr store that cannot be read. `place` is the id of the file, without secrets. */
export class ZarrError extends faultsOf('ZarrError', ZARR_FAULTS) {}
