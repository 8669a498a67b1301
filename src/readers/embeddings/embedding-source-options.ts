import type { ByteSource } from '../io/byte-source.ts';
import { CatalogueError } from '../catalogue/catalogue.ts';
import type { Dataset } from '../catalogue/dataset.ts';
import type { CodeBlocks } from './cog/code-blocks.ts';
import type { Decoder } from './decode/decoder.ts';
import { DEFAULT_DEADLINE_MS } from './embedding-source-deadline.ts';

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
