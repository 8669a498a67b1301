/** Side of a block, in pixels. Every layout is cut into such blocks when it is read. */
export const BLOCK = 256;

/**
 * The pixels of one raster file or array in blocks of 256 x 256 x 64 codes, row, column, band, north-up, counted from the
 * upper left corner. Blocks at the right and lower edge are filled up with -128.
 */
export interface CodeBlocks {
  /** Names the bytes and their version, for cache keys. Holds no secret. */
  readonly id: string;
  /** Pixels in a row. */
  readonly width: number;
  readonly height: number;
  /**
   * The 4,194,304 codes of the block in column `bx`, row `by`; null when all of it is nodata. Shared with other callers:
   * do not write into them. Rejects when the bytes cannot be read or decoded, never guesses.
   *
   * A reader whose files hold larger blocks may read these down to the last of `rows` only. It gives the other code blocks that it has
   * decoded to `also`, one after the other and after this one, whose promise does not wait for them. Other readers ignore both.
   */
  block(bx: number, by: number, signal: AbortSignal, options?: BlockOptions): Promise<Int8Array | null>;
  /**
   * As `block`, for a caller that is done with the codes when `take` returns: their memory may then be used for another
   * block. Absent where nothing keeps blocks.
   */
  use?<T>(
    bx: number,
    by: number,
    signal: AbortSignal,
    take: (codes: Int8Array | null) => T,
    rows?: BlockRows,
  ): Promise<T>;
  /**
   * Takes back the memory of a block that nobody will read any more. Only whoever got the block from `block`, and knows that nobody
   * else did, may call it. Absent where memory is not used again.
   */
  release?(codes: Int8Array): void;
}

interface BlockOptions {
  readonly also?: AlsoRead;
  /** Those that are requested at the same time, this one included; absent: who knows. */
  readonly rows?: BlockRows | undefined;
}

/** First and last of some rows of code blocks. */
export interface BlockRows {
  readonly first: number;
  readonly last: number;
}

/** Takes blocks that came along with the requested one. */
export interface AlsoRead {
  /** Whether the block is of any use. */
  wants(bx: number, by: number): boolean;
  /** Resolves when the next one may come, and this one's memory is no longer needed; must not reject. */
  take(bx: number, by: number, codes: Int8Array | null): Promise<void>;
}
