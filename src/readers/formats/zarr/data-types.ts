import type { ZarrDataType, ZarrValues } from './zarr-array.ts';

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
