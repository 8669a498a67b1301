import type { Bbox } from '../../../geo/shapes/shape.ts';
import type { FlatHeader } from './header.ts';
import { FlatGeobufError, indexLevels, NODE_BYTES } from './layout.ts';
import { offsetAt, type Leaves } from './leaves.ts';
import type { PagedBytes } from './paged-bytes.ts';

/** The index of a file that has one. */
interface FlatIndex {
  readonly place: string;
  readonly header: Pick<FlatHeader, 'count' | 'nodeSize'>;
  /** Where it begins in the file. */
  readonly start: number;
  readonly paged: PagedBytes;
}

/** Adds every feature whose box touches one of the windows (degrees) to `out`, in the order of the file. */
export async function searchIndex(
  index: FlatIndex,
  windows: readonly Bbox[],
  signal: AbortSignal,
  out: Leaves,
): Promise<void> {
  const { place, header, start, paged } = index;
  const levels = indexLevels(header.count, header.nodeSize);
  const edges = Float64Array.from(windows.flat());
  const missing: number[] = [];
  /** First entries of the nodes to look into. */
  let nodes = levels.length === 0 ? [] : [0];
  for (let depth = 0; depth < levels.length; depth++) {
    const [first, end] = levels[depth];
    const most = depth === 0 ? 1 : header.nodeSize;
    const bytesFrom = (entry: number): number => (Math.min(entry + most, end) - entry) * NODE_BYTES;
    const isLeaf = depth === levels.length - 1;
    const below = isLeaf ? null : levels[depth + 1];
    const next: number[] = [];
    for (let i = 0, loaded = 0; i < nodes.length; i++) {
      if (i === loaded) {
        for (; loaded < nodes.length && missing.length < paged.atOnce; loaded++)
          paged.missing(start + nodes[loaded] * NODE_BYTES, bytesFrom(nodes[loaded]), missing);
        if (missing.length > 0) await paged.load(missing, signal);
        missing.length = 0;
      }
      const entry = nodes[i];
      const bytes = bytesFrom(entry);
      let at = paged.find(start + entry * NODE_BYTES, bytes);
      let { view } = paged;
      if (at < 0) {
        // Given up again meanwhile, others with it.
        loaded = i + 1;
        view = await paged.read(start + entry * NODE_BYTES, bytes, signal);
        at = 0;
      }
      for (let number = entry - first, last = at + bytes; at < last; number++, at += NODE_BYTES) {
        if (!touches(view, at, edges)) continue;
        if (below === null) {
          out.addEntry(number, view, at);
          continue;
        }
        const offset = offsetAt(view, at);
        if (offset < below[0] || offset >= below[1])
          throw new FlatGeobufError(place, `a node of the index points to entry ${offset}; the file is damaged`);
        next.push(offset);
      }
    }
    nodes = next;
  }
}

function touches(view: DataView, at: number, edges: Float64Array): boolean {
  for (let i = 0; i < edges.length; i += 4)
    if (
      view.getFloat64(at, true) <= edges[i + 2] &&
      view.getFloat64(at + 16, true) >= edges[i] &&
      view.getFloat64(at + 8, true) <= edges[i + 3] &&
      view.getFloat64(at + 24, true) >= edges[i + 1]
    )
      return true;
  return false;
}
