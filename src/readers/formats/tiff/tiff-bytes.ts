import { ByteSourceError } from '../../io/byte-error.ts';
import { planRanges, type ByteRange } from '../../io/plan.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { TiffError } from './tiff-image.ts';

/** What has been read of a file so far, in pieces, and the way to more of it. */
export interface TiffBytes {
  readonly place: string;
  /** Length of the whole file. */
  readonly size: number;
  /** Bytes that were loaded before. Throws `truncated` for a range that leaves the file. */
  view(offset: number, length: number): DataView;
  /** Throws `truncated` for a range that leaves the file. */
  assertInside(offset: number, length: number): void;
  /** Reads the ranges that are not there yet, near ones in one request, all at once. */
  load(ranges: readonly ByteRange[]): Promise<void>;
}

/** Bytes of the first read: the header of nearly every cloud-optimised file lies in them. */
export const FIRST_BYTES = 65_536;
/** Tables that lie closer together than this come in one request. */
const LIMITS = { maxGap: 65_536, maxBytes: 8_388_608 } as const;

/** Opens a file for its header: its first 64 KiB, and its size, which comes with them. */
export async function openTiffBytes(source: ByteSource, signal: AbortSignal): Promise<TiffBytes> {
  const place = source.id;
  const first = await readFirst(source, signal);
  // After the first read, because it gives the size of most sources.
  const info = await source.stat({ signal });
  if (info === null) throw new TiffError('missing', place, 'wanted a TIFF file, there is nothing');
  const { size } = info;
  const pieces = first === null ? [] : [{ offset: 0, bytes: first }];

  function assertInside(offset: number, length: number): void {
    if (!Number.isSafeInteger(offset) || offset < 0 || offset + length > size)
      throw new TiffError('truncated', place, `wanted bytes ${offset} to ${offset + length} of ${size}`);
  }

  function pieceOf(offset: number, length: number) {
    return pieces.find((piece) => offset >= piece.offset && offset + length <= piece.offset + piece.bytes.length);
  }

  async function load(ranges: readonly ByteRange[]): Promise<void> {
    for (const { offset, length } of ranges) assertInside(offset, length);
    const missing = ranges.filter(({ offset, length }) => pieceOf(offset, length) === undefined);
    await Promise.all(
      planRanges(missing, LIMITS).map(async ({ offset, length }) => {
        const bytes = await source.fetch(offset, length, { signal });
        if (bytes === null) throw new TiffError('missing', place, 'the file went away while it was opened');
        pieces.push({ offset, bytes });
      }),
    );
  }

  await load([{ offset: 0, length: Math.min(FIRST_BYTES, size) }]);
  return {
    place,
    size,
    assertInside,
    load,
    view(offset, length) {
      assertInside(offset, length);
      const piece = pieceOf(offset, length);
      if (piece === undefined) throw new Error(`bytes ${offset} to ${offset + length} were not loaded`);
      return new DataView(piece.bytes.buffer, piece.bytes.byteOffset + offset - piece.offset, length);
    },
  };
}

/** Null for a file that has less, or is not there. */
async function readFirst(source: ByteSource, signal: AbortSignal): Promise<Uint8Array | null> {
  try {
    return await source.fetch(0, FIRST_BYTES, { signal });
  } catch (error) {
    if (error instanceof ByteSourceError && error.kind === 'past_end') return null;
    throw error;
  }
}
