/** Tags that are read; all others are passed over. */
export const TAG = {
  width: 256,
  height: 257,
  bitsPerSample: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  stripOffsets: 273,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  stripLengths: 279,
  planarConfiguration: 284,
  predictor: 317,
  tileWidth: 322,
  tileHeight: 323,
  tileOffsets: 324,
  tileLengths: 325,
  extraSamples: 338,
  sampleFormat: 339,
  modelPixelScale: 33_550,
  modelTiepoint: 33_922,
  modelTransformation: 34_264,
  geoKeys: 34_735,
  nodata: 42_113,
} as const;

interface FieldType {
  /** Bytes of one value. */
  readonly bytes: number;
  readonly read: (view: DataView, at: number, littleEndian: boolean) => number;
}

/** Types of a directory's fields, by their code. */
export const FIELD_TYPES: Readonly<Record<number, FieldType>> = {
  1: { bytes: 1, read: (view, at) => view.getUint8(at) },
  2: { bytes: 1, read: (view, at) => view.getUint8(at) },
  3: { bytes: 2, read: (view, at, le) => view.getUint16(at, le) },
  4: { bytes: 4, read: (view, at, le) => view.getUint32(at, le) },
  11: { bytes: 4, read: (view, at, le) => view.getFloat32(at, le) },
  12: { bytes: 8, read: (view, at, le) => view.getFloat64(at, le) },
  13: { bytes: 4, read: (view, at, le) => view.getUint32(at, le) },
  // Above 2^53 the number is wrong, but it is larger than any file and refused as such.
  16: { bytes: 8, read: (view, at, le) => Number(view.getBigUint64(at, le)) },
  18: { bytes: 8, read: (view, at, le) => Number(view.getBigUint64(at, le)) },
};
