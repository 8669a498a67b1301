import { NODATA } from '../../geo/segmentation/grid.ts';
import { planRanges, type ByteRange } from '../byte-plan.ts';
import type { ByteSource } from '../byte-source.ts';
import { blockFormat } from '../tiff/decode-block.ts';
import { blockRange, blockRows } from '../tiff/read-block.ts';
import { TiffError } from '../tiff/tiff-error.ts';
import type { TiffImage } from '../tiff/tiff-image.ts';
import type { NumberedMemory } from './decode-job.ts';
import type { Decoder } from './decoder.ts';
import { blocksOfGroup, type GroupBlock, type GroupLayout } from './tiff-decode-groups.ts';

/** File blocks that lie close together are fetched in one request. */
const FETCH_LIMITS = { maxGap: 16_384, maxBytes: 1_048_576 } as const;

/**
 * Fetches the file blocks of a group, all at once, and decodes each into the memory as soon as it comes. Blocks that the
 * file leaves out are -128. Nothing writes into the memory any more when the promise settles.
 */
export async function decodeGroup(
  source: ByteSource,
  image: TiffImage,
  layout: GroupLayout,
  [gx, gy]: readonly [gx: number, gy: number],
  memory: NumberedMemory,
  decoder: Decoder,
  signal: AbortSignal,
): Promise<void> {
  const stored: (GroupBlock & ByteRange)[] = [];
  const blocks = blocksOfGroup(image, layout, gx, gy);
  for (const block of blocks) {
    const range = blockRange(source.id, image, block.index);
    if (range !== null) stored.push({ ...block, ...range });
  }
  if (stored.length < blocks.length) new Uint8Array(memory.memory.buffer).fill(NODATA);
  const loads = planRanges(stored, FETCH_LIMITS).map(async ({ offset, length, members }) => {
    const bytes = await source.fetch(offset, length, { signal });
    if (bytes === null) throw new TiffError('missing', source.id, 'the file went away while it was read');
    const parts = members.map((i) => ({
      start: stored[i].offset - offset,
      length: stored[i].length,
      rows: blockRows(image, stored[i].index),
      at: stored[i].at,
    }));
    const job = { place: source.id, format: blockFormat(image), memory, rowBytes: layout.rowBytes, blocks: parts };
    await decoder.run({ kind: 'blocks', ...job }, [bytes], signal);
  });
  for (const load of await Promise.allSettled(loads)) if (load.status === 'rejected') throw load.reason;
}
