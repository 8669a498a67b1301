/** The reader of this service for `window-reads.ts`: `window-reads-ours.ts THREADS SIZE`. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHostGates } from '../src/readers/io/concurrency.ts';
import { fileSource, isFileSource } from '../src/readers/io/file-source.ts';
import { remoteSource } from '../src/readers/io/remote.ts';
import type { ByteSource } from '../src/readers/io/byte-source.ts';
import { openDiskCache } from '../src/readers/io/disk-cache-folder.ts';
import { createBlockMemory, withBlockCache } from '../src/readers/embeddings/blocks/block-cache.ts';
import { blockWindow } from '../src/readers/embeddings/blocks/block-window.ts';
import type { CodeBlocks } from '../src/readers/embeddings/cog/code-blocks.ts';
import { createDecoder } from '../src/readers/embeddings/decode/decoder.ts';
import { tiffCodeBlocks } from '../src/readers/embeddings/cog/tiff-blocks.ts';
import { openTiff } from '../src/readers/formats/tiff/open-tiff.ts';
import { inflatedBy } from './inflating.ts';
import type { Question, Reading, Row } from './window-reads.ts';

/** Requests at the same time to one host, as the service has it. */
const PER_HOST = 32;
const PATIENCE_MS = 60_000;

const [threads, size] = process.argv.slice(2).map(Number);
const counted = createDecoder({ threads });
let inflated = 0;
const decoder: typeof counted = {
  ...counted,
  run(job, input, signal) {
    inflated += inflatedBy(job);
    return counted.run(job, input, signal);
  },
};
const folder = await mkdtemp(join(tmpdir(), 'bench-blocks-'));
const disk = await openDiskCache(folder, { maxBytes: 4e9 });
const kept = new Map<string, CodeBlocks>();
let rounds = 0;

process.on('message', ({ row, place }: Question) => void read(row, place).then((reading) => process.send?.(reading)));
process.on('disconnect', () => void rm(folder, { recursive: true }).finally(() => process.exit()));
process.send?.('ready');

async function blocksOf(row: Row, source: ByteSource, version: string, signal: AbortSignal) {
  const image = await openTiff(source, signal);
  const blocks = tiffCodeBlocks(source, image, { version, decoder });
  if (row.state === 'dropped' || row.state === 'cold') return { blocks, settled: async () => {} };
  const cached = withBlockCache(blocks, {
    memory: createBlockMemory(),
    disk: row.state === 'restarted' ? disk : null,
  });
  return { blocks: cached, settled: () => cached.settled() };
}

/** The window of a row, put together as for a lookup. */
async function read(row: Row, place: string): Promise<Reading> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const isFresh = row.state === 'dropped' || row.state === 'cold';
  // Another version each time, so that what was decoded is not found again, while its memory is.
  const version = isFresh ? `round ${rounds++}` : 'same';
  // As the peers, which take the memory of what they decode from the system while the clock runs.
  if (isFresh) decoder.memory.clear();
  inflated = 0;
  const [start, spent] = [performance.now(), process.cpuUsage()];
  const out = new Int8Array(size * size * 64);
  const before = kept.get(place);
  const source = withVersion(sourceOf(row, place), version);
  const { blocks, settled } = before
    ? { blocks: before, settled: async () => {} }
    : await blocksOf(row, source, version, signal);
  const window = await blockWindow(blocks, row.x, row.y, size, size, signal);
  for (let y = 0; y < size; y++) window.copyRow(y, out.subarray(y * size * 64, (y + 1) * size * 64));
  const { user, system } = process.cpuUsage(spent);
  const cost = { ms: performance.now() - start, cpuMs: (user + system) / 1000 };
  await settled();
  if (row.state === 'restarted') decoder.memory.clear();
  if (row.state === 'warm') kept.set(place, blocks);
  else if (isFileSource(source)) await source[Symbol.asyncDispose]();
  return { ...cost, sum: sumOf(out), inflated };
}

function sumOf(codes: Int8Array): number {
  let sum = 0;
  for (let i = 0; i < codes.length; i++) sum += codes[i];
  return sum;
}

function sourceOf({ delayMs }: Row, place: string): ByteSource {
  return delayMs === null ? fileSource(place) : remoteSource(place, { gateOf: createHostGates(PER_HOST), cache: null });
}

function withVersion(source: ByteSource, version: string): ByteSource {
  return {
    ...source,
    async stat(options) {
      const info = await source.stat(options);
      return info === null ? null : { ...info, version };
    },
  };
}
