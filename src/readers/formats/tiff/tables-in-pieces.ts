import type { ByteSource } from '../../io/byte-source.ts';
import { createShared } from '../../io/share.ts';
import type { DeferredTable } from './tiff-directory.ts';
import { TiffError, type TiffImage } from './tiff-image.ts';

/** Entries of a table that are read together: 32 to 128 KiB. */
const PIECE = 16_384;

/**
 * Tables of blocks that are read where they are needed: those of a file of half a million strips take megabytes, of which a plot
 * needs a few entries. The arrays are as long as the whole tables, but take memory only where they were written.
 */
export function tablesInPieces(
  source: ByteSource,
  offsetTable: DeferredTable,
  lengthTable: DeferredTable,
): Required<Pick<TiffImage, 'offsets' | 'lengths' | 'tables'>> {
  const { count } = offsetTable;
  const [offsets, lengths] = [new Float64Array(count), new Float64Array(count)];
  const read = new Set<number>();
  const shared = createShared<void>();

  async function readInto(table: DeferredTable, piece: number, out: Float64Array, signal: AbortSignal): Promise<void> {
    const [first, end] = [piece * PIECE, Math.min(count, (piece + 1) * PIECE)];
    const { offset, length } = table.range(first, end);
    const bytes = await source.fetch(offset, length, { signal });
    if (bytes === null) throw new TiffError('missing', source.id, 'the file went away while it was read');
    table.decode(bytes, first, end, out);
  }

  async function readPiece(piece: number, signal: AbortSignal): Promise<void> {
    const halves = await Promise.allSettled([
      readInto(offsetTable, piece, offsets, signal),
      readInto(lengthTable, piece, lengths, signal),
    ]);
    for (const half of halves) if (half.status === 'rejected') throw half.reason;
    read.add(piece);
  }

  return {
    offsets,
    lengths,
    tables: {
      has: (index) => read.has(Math.floor(index / PIECE)),
      async read(indexes, signal) {
        const pieces = new Set<number>();
        for (const index of indexes) pieces.add(Math.floor(index / PIECE));
        const missing = [...pieces].filter((piece) => !read.has(piece));
        const settled = await Promise.allSettled(
          missing.map((piece) => shared(String(piece), signal, (inner) => readPiece(piece, inner))),
        );
        for (const one of settled) if (one.status === 'rejected') throw one.reason;
      },
    },
  };
}
