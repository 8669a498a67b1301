import type { SampleType } from './tiff-image.ts';

/** Values of one sample type, in this machine's byte order. */
export type SampleArray =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array;

interface SampleTypeInfo {
  /** Bytes of a sample. */
  readonly bytes: 1 | 2 | 4 | 8;
  /** Value of the TIFF tag SampleFormat. */
  readonly format: 1 | 2 | 3;
  readonly make: {
    new (length: number): SampleArray;
    new (buffer: ArrayBufferLike, byteOffset: number, length: number): SampleArray;
  };
}

export const SAMPLE_TYPES = {
  int8: { bytes: 1, format: 2, make: Int8Array },
  uint8: { bytes: 1, format: 1, make: Uint8Array },
  int16: { bytes: 2, format: 2, make: Int16Array },
  uint16: { bytes: 2, format: 1, make: Uint16Array },
  int32: { bytes: 4, format: 2, make: Int32Array },
  uint32: { bytes: 4, format: 1, make: Uint32Array },
  float32: { bytes: 4, format: 3, make: Float32Array },
  float64: { bytes: 8, format: 3, make: Float64Array },
} as const satisfies Readonly<Record<SampleType, SampleTypeInfo>>;

/** The type of samples with so many bits and such a SampleFormat (4, "undefined", is taken as unsigned); null: not read. */
export function findSampleType(bits: number, format: number): SampleType | null {
  const wanted = format === 4 ? 1 : format;
  for (const [name, { bytes, format }] of Object.entries(SAMPLE_TYPES)) {
    if (bytes * 8 === bits && format === wanted) return name as SampleType;
  }
  return null;
}

/** Whether a value of the type can be equal to the number; NaN only where the type knows it. */
export function isSample(type: SampleType, value: number): boolean {
  const one = new SAMPLE_TYPES[type].make(1);
  one[0] = value;
  if (type === 'float32') return Number.isNaN(value) || !Number.isFinite(value) || Number.isFinite(one[0]);
  return Object.is(one[0], value) || one[0] === value;
}
