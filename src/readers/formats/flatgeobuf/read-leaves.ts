import { FlatGeobufError } from './layout.ts';
import type { Leaves } from './leaves.ts';
import type { PagedBytes } from './paged-bytes.ts';

/** The features of a file, behind its index. */
interface FlatFeatures {
  readonly place: string;
  /** Where they begin in the file. */
  readonly start: number;
  /** Bytes of the file. */
  readonly size: number;
  /** Bytes of most features, the length in front of each with them. */
  readonly usual: number;
  readonly paged: PagedBytes;
}

/** A view, where a feature's FlatBuffer begins in it behind the length, and which of the leaves it is; the view is good until it returns. */
export type FeatureVisitor = (view: DataView, at: number, index: number) => void;

/** Largest feature that is read: 2 million vertices. */
export const MAX_FEATURE_BYTES = 64_000_000;

/** Calls `visit` with the feature of each leaf in turn. */
export async function readLeaves(
  { place, start, size, usual, paged }: FlatFeatures,
  { offsets, length: count }: Leaves,
  signal: AbortSignal,
  visit: FeatureVisitor,
): Promise<void> {
  const pages: number[] = [];
  /** Loads `bytes` of a feature and what most of the next ones need; gives the first that was left out. */
  async function loadFrom(first: number, bytes: number): Promise<number> {
    let i = first;
    for (let wanted = bytes; i < count && pages.length < paged.atOnce; wanted = usual) {
      const at = start + offsets[i++];
      paged.missing(at, Math.max(4, Math.min(wanted, size - at)), pages);
    }
    if (pages.length > 0) await paged.load(pages, signal);
    pages.length = 0;
    return i;
  }

  let loaded = 0;
  for (let i = 0; i < count; i++) {
    const at = start + offsets[i];
    if (i === loaded) loaded = await loadFrom(i, usual);
    const head = paged.find(at, 4);
    const length = head < 0 ? (await paged.read(at, 4, signal)).getUint32(0, true) : paged.view.getUint32(head, true);
    if (length > MAX_FEATURE_BYTES || at + 4 + length > size)
      throw new FlatGeobufError(place, `a feature claims ${length} bytes; the file is damaged`);
    let found = paged.find(at, 4 + length);
    if (found < 0 && length <= paged.pageBytes * paged.atOnce) {
      loaded = await loadFrom(i, 4 + length);
      found = paged.find(at, 4 + length);
    }
    if (found >= 0) visit(paged.view, found + 4, i);
    else visit(await paged.read(at, 4 + length, signal), 4, i);
  }
}
