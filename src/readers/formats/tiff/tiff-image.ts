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
}
