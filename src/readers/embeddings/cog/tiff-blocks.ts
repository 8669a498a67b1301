import { BANDS, NODATA } from '../../../geo/segmentation/grid.ts';
import { createGate } from '../../io/concurrency.ts';
import { ByteSourceError } from '../../io/byte-error.ts';
import { isFileSource } from '../../io/file-source.ts';
import { createShared } from '../../io/share.ts';
import type { ByteSource } from '../../io/byte-source.ts';
import { blockFormat } from '../../formats/tiff/decode-block.ts';
import { isBottomUp, TiffError, type TiffImage } from '../../formats/tiff/tiff-image.ts';
import { blockRange, fetchBlock } from '../../formats/tiff/read-block.ts';
import { BLOCK, type AlsoRead, type BlockRows, type CodeBlocks } from './code-blocks.ts';
import type { NumberedMemory } from '../decode/decode-job.ts';
import type { DecodeInput } from '../decode/decode-threads.ts';
import type { Decoder } from '../decode/decoder.ts';
import { decodeGroup } from './tiff-decode-group.ts';
import {
  blocksInside,
  isReadByRows,
  layOutGroups,
  partsOfBlock,
  type GroupLayout,
  type GroupPart,
} from './tiff-decode-groups.ts';

interface TiffBlocksOptions {
  /** Version of the bytes, as `source.stat` gives it; reads fail as `changed` when it is another one later. */
  readonly version: string | null;
  readonly decoder: Decoder;
  /** Time for one block, fetching included; default 120,000 ms. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 120_000;
/** Blocks that are read at once from a file whose blocks are the code blocks; each takes up to 8 MB meanwhile. */
const DIRECT_READS = 16;

/**
 * The blocks of a GeoTIFF of 64 bands of int8, of any block size, interleave and compression; bottom-up files are turned
 * north-up. Every file block is fetched and decoded once for all code blocks it touches, as long as they are requested
 * while it is still in the decoder's memory, or taken by `also`. Where a caller says which rows it reads, a large file block is
 * fetched and decoded down to the last of them: half of it, as a rule. The second time that does not suffice all of it is.
 * @throws TiffError for an image that holds no embeddings.
 */
export function tiffCodeBlocks(source: ByteSource, image: TiffImage, options: TiffBlocksOptions): CodeBlocks {
  const { version, decoder, deadlineMs = DEADLINE_MS } = options;
  const place = source.id;
  const layout = layOutGroups(image);
  assertEmbeddings(place, image, layout, decoder.memory.maxBytes);
  const id = JSON.stringify([place, version]);
  const isDirect = isBlockwise(image);
  const directReads = createGate(DIRECT_READS);
  const shared = createShared<Int8Array | null>();
  const isByRows = isReadByRows(image, layout);
  /** How many rows of a group the last load of it decoded. */
  const decodedRows = new Map<string, number>();
  /** Groups whose blocks are being handed to `also`. */
  const handedOver = new Set<string>();

  async function assertSameVersion(signal: AbortSignal): Promise<void> {
    const info = await source.stat({ signal });
    if (info?.version !== version)
      throw new ByteSourceError('changed', place, 'the file was replaced while it was read; open it again');
  }

  /** Uses the bytes of a file block, or where they are read from a local file; null for one that was left out. */
  async function withBlockInput<T>(
    index: number,
    signal: AbortSignal,
    use: (input: DecodeInput | null) => Promise<T>,
  ): Promise<T> {
    const range = blockRange(place, image, index);
    const file = isFileSource(source) ? await source.openFile() : null;
    if (range === null) return use(null);
    if (file !== null) return use({ file, ranges: [range] });
    return decoder.withInput(range.length, async (input) => {
      const bytes = await fetchBlock(source, image, index, signal, input?.bytes);
      if (bytes === null) return use(null);
      return use(input !== null && bytes.buffer === input.memory ? input : [bytes]);
    });
  }

  /** A file block that is a code block: decoded straight into it. */
  async function readDirect(bx: number, by: number, signal: AbortSignal): Promise<Int8Array | null> {
    return withBlockInput(by * image.blocksAcross + bx, signal, async (input) => {
      await assertSameVersion(signal);
      if (input === null) return null;
      const out = decoder.block();
      const width = Math.min(BLOCK, image.width - bx * BLOCK);
      const height = Math.min(BLOCK, image.height - by * BLOCK);
      const job = { kind: 'whole', place, format: blockFormat(image), width, height, out } as const;
      return withData(out, await decoder.run(job, input, signal));
    });
  }

  async function cut(
    parts: readonly GroupPart[],
    signal: AbortSignal,
    inGroup: <T>(part: GroupPart, use: (memory: NumberedMemory) => Promise<T>) => Promise<T>,
  ): Promise<Int8Array | null> {
    const out = decoder.block();
    const covered = parts.reduce((sum, { width, height }) => sum + width * height, 0);
    if (covered < BLOCK * BLOCK) new Int8Array(out).fill(NODATA);
    const { rowBytes, planeBytes } = layout;
    const cuts = await Promise.allSettled(
      parts.map((part) =>
        inGroup(part, (memory) =>
          decoder.run({ kind: 'cut', place, memory, rowBytes, planeBytes, out, ...part }, [], signal),
        ),
      ),
    );
    const held = cuts.map((one) => {
      if (one.status === 'rejected') throw one.reason;
      return one.value;
    });
    return withData(out, held.includes(true));
  }

  /** The codes of a block whose jobs have all succeeded; null, and its memory given back, for one without data. */
  function withData(out: SharedArrayBuffer, holds: boolean): Int8Array | null {
    if (!holds) decoder.release(out);
    return holds ? new Int8Array(out) : null;
  }

  /** How many rows of a group are to be decoded for callers that read it down to `down`. */
  function rowsToDecode({ gx, gy }: GroupPart, down: number): number {
    if (!isByRows) return layout.height;
    const key = `${gx} ${gy}`;
    const before = decodedRows.get(key) ?? 0;
    const rows = down <= before ? before : before === 0 ? down : layout.height;
    decodedRows.set(key, rows);
    return rows;
  }

  /** The row of a part's group down to which code blocks of `rows`, all in one column, need it. */
  function downIn({ gx, gy }: GroupPart, bx: number, { first, last }: BlockRows): number {
    let down = 0;
    for (let by = first; by <= last; by++)
      for (const one of partsOfBlock(image, layout, bx, by))
        if (one.gx === gx && one.gy === gy) down = Math.max(down, one.down);
    return down;
  }

  function withGroup<T>(
    part: GroupPart,
    down: number,
    signal: AbortSignal,
    use: (memory: NumberedMemory, rows: number) => Promise<T>,
  ): Promise<T> {
    const { gx, gy } = part;
    const rows = rowsToDecode(part, down);
    return decoder.memory.with(
      {
        key: `${id} ${gx} ${gy} ${rows}`,
        bytes: layout.memoryBytes,
        signal,
        async load(memory, inner) {
          await decodeGroup(source, image, layout, { gx, gy, rows }, memory, decoder, inner);
          await assertSameVersion(inner);
        },
      },
      (memory) => use(memory, rows),
    );
  }

  async function readBlock(
    bx: number,
    by: number,
    signal: AbortSignal,
    { also, rows }: { readonly also?: AlsoRead; readonly rows?: BlockRows | undefined },
  ): Promise<Int8Array | null> {
    const parts = partsOfBlock(image, layout, bx, by);
    const downOf = (one: GroupPart): number => (rows === undefined ? layout.height : downIn(one, bx, rows));
    const [part] = parts;
    if (parts.length > 1 || also === undefined)
      return cut(parts, signal, (one, use) => withGroup(one, downOf(one), signal, use));
    const { promise, resolve, reject } = Promise.withResolvers<Int8Array | null>();
    withGroup(part, downOf(part), signal, async (memory, decoded) => {
      resolve(await cut(parts, signal, (_, use) => use(memory)));
      await handOver(part, decoded, memory, also);
    }).catch(reject);
    return promise;
  }

  /** The caller has left by now, so this has a deadline of its own. */
  async function handOver({ gx, gy }: GroupPart, rows: number, memory: NumberedMemory, also: AlsoRead): Promise<void> {
    const key = `${gx} ${gy}`;
    if (handedOver.has(key)) return;
    handedOver.add(key);
    const signal = AbortSignal.timeout(deadlineMs);
    try {
      for (const [bx, by] of blocksInside(image, layout, gx, gy)) {
        if (signal.aborted || !also.wants(bx, by)) continue;
        const parts = partsOfBlock(image, layout, bx, by);
        if (parts[0].down > rows) continue;
        await also.take(bx, by, await cut(parts, signal, (_, use) => use(memory)));
      }
    } finally {
      handedOver.delete(key);
    }
  }

  return {
    id,
    width: image.width,
    height: image.height,
    release: ({ buffer }) => {
      if (buffer instanceof SharedArrayBuffer) decoder.release(buffer);
    },
    async block(bx, by, signal, options = {}) {
      assertBlock(image, bx, by);
      const deadline = AbortSignal.timeout(deadlineMs);
      const either = AbortSignal.any([signal, deadline]);
      try {
        return await shared(`${bx} ${by}`, either, (inner) =>
          isDirect ? directReads.run(inner, () => readDirect(bx, by, inner)) : readBlock(bx, by, inner, options),
        );
      } catch (error) {
        if (signal.aborted || !deadline.aborted) throw error;
        throw new ByteSourceError('timeout', place, `no block within ${deadlineMs} ms`, { cause: error });
      }
    },
  };
}

/** Whether the file's blocks are the code blocks. */
function isBlockwise(image: TiffImage): boolean {
  const { interleave, blockWidth, blockHeight } = image;
  return interleave === 'pixel' && blockWidth === BLOCK && blockHeight === BLOCK && !isBottomUp(image);
}

function assertBlock({ width, height }: TiffImage, bx: number, by: number): void {
  const across = Math.ceil(width / BLOCK);
  const down = Math.ceil(height / BLOCK);
  if (!(Number.isInteger(bx) && Number.isInteger(by) && bx >= 0 && by >= 0 && bx < across && by < down))
    throw new RangeError(`wanted a block of ${across} x ${down}, got ${bx}, ${by}`);
}

function assertEmbeddings(place: string, image: TiffImage, layout: GroupLayout, maxBytes: number): void {
  const { bands, sampleType, nodata, transform } = image;
  const refuse = (detail: string) => new TiffError('unsupported', place, `wanted AEF embeddings, ${detail}`);
  if (bands !== BANDS || sampleType !== 'int8') throw refuse(`${BANDS} bands of int8, got ${bands} of ${sampleType}`);
  if (nodata !== null && nodata !== NODATA) throw refuse(`with nodata ${NODATA}, got ${nodata}`);
  if (transform !== null && (transform[1] !== 0 || transform[3] !== 0 || transform[0] < 0))
    throw refuse(`in rows that run east, got the transform ${transform.join(', ')}`);
  if (layout.memoryBytes > maxBytes)
    throw new TiffError(
      'too_large',
      place,
      `wanted blocks that decode to at most ${maxBytes} bytes for all bands, got ${layout.memoryBytes}`,
    );
}
