import type { BlockPhase } from '../../geo/segmentation/detect-block-phase.ts';
import type { CodeWindow } from '../../geo/segmentation/code-window.ts';
import type { Dataset } from '../catalogue/dataset.ts';
import type { ByteSource } from '../io/byte-source.ts';
import { CatalogueError } from '../catalogue/catalogue.ts';
import type { CodeBlocks } from './cog/code-blocks.ts';
import type { Decoder } from './decode/decoder.ts';
import { ByteSourceError } from '../io/byte-error.ts';

/**
 * One lattice of AEF codes of one year: a file, all files of a UTM zone seen as one raster, or a mosaic. Pixels are
 * counted from its upper left corner, rows run south, whatever the files below do.
 */
export interface EmbeddingRaster {
  /** Names the lattice among those of its dataset: `EPSG:32616` for a zone. Holds no secret. */
  readonly id: string;
  /** Year of the embeddings. */
  readonly year: number;
  /** Pixels in a row. */
  readonly width: number;
  readonly height: number;
  /** North-up: `x = a * column + c`, `y = e * row + f` from pixel corners to CRS units, as `[a, 0, c, 0, e, f]`, `e` below 0. */
  readonly transform: readonly [a: number, b: number, c: number, d: number, e: number, f: number];
  /** `EPSG:4326` or a UTM zone on WGS84. */
  readonly crs: string;
  /**
   * Where the 2 x 2 blocks begin and how sure that is; looked up once, at a fixed place, so that every lookup of the
   * raster gets the same answer. Rejects like `window`.
   */
  phase(signal: AbortSignal): Promise<BlockPhase>;
  /** Whether a file holds the pixel. Outside every file is "outside coverage"; -128 inside one is "no data". */
  covers(x: number, y: number): boolean;
  /**
   * `width` x `height` pixels from (`x0`, `y0`), whole numbers, which may lie outside: what no file covers is -128.
   * Rejects with a `ByteSourceError` (or what the file's format refuses) when the source is broken or too slow; never
   * gives zeros or -128 in place of bytes that could not be read.
   */
  window(x0: number, y0: number, width: number, height: number, signal: AbortSignal): Promise<CodeWindow>;
  /**
   * Names the bytes that such a window is made of, with their version, as far as the source has versions: the same bytes as long as the name is the same.
   * Opens files that it touches, and rejects like `window`.
   */
  version(x0: number, y0: number, width: number, height: number, signal: AbortSignal): Promise<string>;
}

/** A place on a raster. */
export interface EmbeddingPlace {
  readonly raster: EmbeddingRaster;
  /** Column and row with their fractions: 0, 0 is the upper left corner of the first pixel. */
  readonly x: number;
  readonly y: number;
}

/** A dataset of AEF embeddings of any layout. */
export interface EmbeddingSource {
  readonly dataset: Dataset;
  /** The newest raster that covers a place in degrees; null outside coverage. A place in two zones is taken from its own. */
  at(lon: number, lat: number, signal: AbortSignal): Promise<EmbeddingPlace | null>;
  /** Every raster of one year (null: the newest there is) that touches a box in degrees, for building a store. */
  rasters(
    bbox: readonly [west: number, south: number, east: number, north: number],
    year: number | null,
    signal: AbortSignal,
  ): Promise<readonly EmbeddingRaster[]>;
  close(): Promise<void>;
}

/** What every embedding source is opened with. */
export interface EmbeddingDeps {
  /** The data folder; slim indexes go to `aef-index` in it. */
  readonly dataDir: string;
  /** The bytes at an http or https address, with retries and limits around them; a cache is of no use below one of blocks. */
  remote(url: string): ByteSource;
  readonly decoder: Decoder;
  /** Blocks through the caches of blocks; `isRemote`: reading them again costs requests, not just a disk. */
  cached(blocks: CodeBlocks, isRemote: boolean): CodeBlocks;
  /** Called with what failed in a dataset without failing a lookup. */
  readonly reportFailure?: (dataset: string, error: unknown) => void;
}

/** `options.deadlineMs` of a dataset: time for one call of its source. */
export function deadlineOf({ id, options }: Dataset): number {
  const { deadlineMs = DEFAULT_DEADLINE_MS } = options;
  if (typeof deadlineMs === 'number' && Number.isInteger(deadlineMs) && deadlineMs >= 1 && deadlineMs <= 3_600_000)
    return deadlineMs;
  throw new CatalogueError(
    `${id}: options.deadlineMs: wanted 1 to 3,600,000 milliseconds, got ${JSON.stringify(deadlineMs)}`,
  );
}

/** A text among the options of a dataset, or null when it is absent. */
export function textOption({ id, options }: Dataset, name: string): string | null {
  const value = options[name];
  if (value === undefined) return null;
  if (typeof value === 'string' && value !== '') return value;
  throw new CatalogueError(`${id}: options.${name}: wanted a text, got ${JSON.stringify(value)}`);
}

/** Time for one call of an embedding source (`at`, `phase`, `window`, `rasters`), all requests of it together, in milliseconds. */
const DEFAULT_DEADLINE_MS = 30_000;

/**
 * Runs a job that must end within `ms`: a `ByteSourceError` of kind `timeout` after that, whether the job heeds its signal
 * or not. Rejects with the caller's reason when the caller aborts.
 */
export async function withinDeadline<T>(
  ms: number,
  place: string,
  signal: AbortSignal,
  job: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const deadline = AbortSignal.timeout(ms);
  const either = AbortSignal.any([signal, deadline]);
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(either.reason);
  either.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([job(either), ended]);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (deadline.aborted) throw new ByteSourceError('timeout', place, `no answer within ${ms} ms`, { cause: error });
    throw error;
  } finally {
    either.removeEventListener('abort', onAbort);
  }
}
