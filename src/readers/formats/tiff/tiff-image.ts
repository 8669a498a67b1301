import { faultsOf } from '../../io/source-fault.ts';

/** What one sample is stored as. */
export type SampleType = 'int8' | 'uint8' | 'int16' | 'uint16' | 'int32' | 'uint32' | 'float32' | 'float64';

/** How samples were compressed; other codes of the TIFF tag 259 are refused by name. */
export type TiffCompression = 'none' | 'lzw' | 'deflate' | 'packbits' | 'zstd';

/** The first image of a TIFF or BigTIFF file: what it says about itself. Nothing of its pixels is read yet. */
export interface TiffImage {
  /** Pixels in a row. */
  readonly width: number;
  readonly height: number;
  /** Samples of a pixel. */
  readonly bands: number;
  readonly sampleType: SampleType;
  /** Value that stands for "no data" (GDAL_NODATA), or null. */
  readonly nodata: number | null;
  /** `x = a * column + b * row + c`; `y = d * column + e * row + f`, from pixel corners, in the order rows are stored; null: not placed. */
  readonly transform: readonly [a: number, b: number, c: number, d: number, e: number, f: number] | null;
  /** `EPSG:<code>` or null when the file names none. */
  readonly crs: string | null;
  /** Whether the samples of a pixel lie together (`pixel`, PlanarConfiguration 1) or each band apart (`band`, 2). */
  readonly interleave: 'pixel' | 'band';
  readonly compression: TiffCompression;
  /** 1: none; 2: horizontal differences; 3: floating point. */
  readonly predictor: 1 | 2 | 3;
  readonly littleEndian: boolean;
  /** Size of a block: a tile, or a strip of the full width. */
  readonly blockWidth: number;
  readonly blockHeight: number;
  /** Blocks in a row, and rows of blocks (of one band when bands lie apart). */
  readonly blocksAcross: number;
  readonly blocksDown: number;
  /**
   * Where each block begins and its length in bytes, `blocksAcross * blocksDown` of them for each plane in turn;
   * length 0: the block is left out and all of it is nodata (0 where there is none).
   */
  readonly offsets: Float64Array;
  readonly lengths: Float64Array;
  /** Of a file whose tables are long: what has been read of them. Absent: all of it. */
  readonly tables?: BlockTables;
}

/** Tables of blocks of which only pieces are in memory; what was not read is 0. */
interface BlockTables {
  /** Whether offset and length of a block are there. */
  has(index: number): boolean;
  /** Reads those of some blocks. */
  read(indexes: Iterable<number>, signal: AbortSignal): Promise<void>;
}

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

/** Whether the file stores its southern row first, as the public AEF files do. */
export function isBottomUp({ transform }: TiffImage): boolean {
  return transform !== null && transform[4] > 0;
}

/** The image's transform for rows counted from its northern edge; null when the image is not placed. */
export function northUpTransform(image: TiffImage): TiffImage['transform'] {
  if (image.transform === null || !isBottomUp(image)) return image.transform;
  const [a, b, c, d, e, f] = image.transform;
  return [a, -b, c + b * image.height, d, -e, f + e * image.height];
}

/** What is wrong with a TIFF file, or with what was requested of it, and with it what the caller can do. */
const TIFF_FAULTS = {
  missing: 'check the path or address; there is nothing',
  not_tiff: 'give a TIFF or BigTIFF file',
  truncated: 'fetch the file again; it ends early',
  damaged: 'make the file again; what it says of itself cannot be true, or its bytes do not decode',
  unsupported: 'rewrite the file, for example with gdal_translate -co TILED=YES -co COMPRESS=ZSTD',
  too_large: 'rewrite the file with smaller blocks, for example tiles of 512 x 512, or request less at once',
  no_nodata: 'give the file a nodata value, or stay inside its pixels',
} as const satisfies Readonly<Record<string, string>>;

export type TiffFault = keyof typeof TIFF_FAULTS;

/** A TIFF file that cannot be read. `place` is the id of its source; `tag` the TIFF tag that is to blame, if one is. */
export class TiffError extends faultsOf('TiffError', TIFF_FAULTS) {}
