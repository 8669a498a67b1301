/**
 * The readers of a checkout, open as in a thread of its service that decodes in one more thread; a process of its own of
 * `cold-lookups.ts`, so that two versions share neither memory nor compiled code.
 *
 *     cold-lookups-service.ts TREE FOLDER    answers each `LookupTask` with a `LookupAnswer`; FOLDER is for what it keeps
 */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type * as CellMemories from '../src/geo/segmentation/cell-memory.ts';
import type * as BlockCaches from '../src/readers/embeddings/blocks/block-cache.ts';
import type * as TiffSources from '../src/readers/embeddings/cog/tiff-source.ts';
import type * as Decoders from '../src/readers/embeddings/decode/decoder.ts';
import type * as Gates from '../src/readers/io/concurrency.ts';
import type * as Caches from '../src/readers/io/disk-cache-folder.ts';
import type * as Remotes from '../src/readers/io/remote.ts';
import { datasetOf } from './bench-embeddings.ts';
import { inflatedBy } from './inflating.ts';
import { costOf } from './rounds.ts';
import type * as Patches from './tier2-patch.ts';

export interface LookupTask {
  /** Address of the file, local or remote. */
  readonly place: string;
  readonly lon: number;
  readonly lat: number;
  /** Whether cells are taken from the cache on disk and written to it. */
  readonly onDisk: boolean;
}

/** What one lookup took, all threads together; what is done for it after the answer counts as processor time. */
export interface LookupAnswer {
  readonly ms: number;
  readonly cpuMs: number;
  /** Cells of the segment. */
  readonly area: number;
  /** Bytes that were inflated for it. */
  readonly inflated: number;
}

/** Of a thread of the service, in bytes: see `src/service/forest/sources.ts`. */
const ROOM = { decoder: 68_000_000, blocks: 32_000_000, cells: 4_000_000 };
const PER_HOST = 32;
/** Long enough for memory to be made ready for the next lookup. */
const REST_MS = 50;

const [, , tree, folder] = process.argv;
const load = <T>(path: string): Promise<T> => import(join(tree, path)) as Promise<T>;
const { createBlockMemory, withBlockCache } = await load<typeof BlockCaches>(
  'src/readers/embeddings/blocks/block-cache.ts',
);
const { createDecoder } = await load<typeof Decoders>('src/readers/embeddings/decode/decoder.ts');
const { openTiffSource } = await load<typeof TiffSources>('src/readers/embeddings/cog/tiff-source.ts');
const { createCellMemory } = await load<typeof CellMemories>('src/geo/segmentation/cell-memory.ts');
const { createHostGates } = await load<typeof Gates>('src/readers/io/concurrency.ts');
const { remoteSource } = await load<typeof Remotes>('src/readers/io/remote.ts');
const { openDiskCache } = await load<typeof Caches>('src/readers/io/disk-cache-folder.ts');
const { livePatch } = await load<typeof Patches>('bench/tier2-patch.ts');

let inflated = 0;
const counted = createDecoder({ threads: 1, memoryBytes: ROOM.decoder });
const decoder: typeof counted = {
  ...counted,
  run(job, input, signal) {
    inflated += inflatedBy(job);
    return counted.run(job, input, signal);
  },
};
const memory = createBlockMemory(ROOM.blocks);
const gateOf = createHostGates(PER_HOST);
const disk = await openDiskCache(mkdtempSync(join(folder, 'cache-')), { maxBytes: 4e9 });

process.on('message', (task: LookupTask) => void answer(task));
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function answer(task: LookupTask): Promise<void> {
  inflated = 0;
  const before = process.cpuUsage();
  const [{ ms }, area] = await costOf(() => lookUp(task));
  await sleep(REST_MS);
  const { user, system } = process.cpuUsage(before);
  process.send?.({ ms, cpuMs: (user + system) / 1000, area, inflated } satisfies LookupAnswer);
}

async function lookUp({ place, lon, lat, onDisk }: LookupTask): Promise<number> {
  const signal = AbortSignal.timeout(60_000);
  const cells = createCellMemory(ROOM.cells, onDisk ? disk : null);
  const source = openTiffSource(datasetOf(place), {
    dataDir: folder,
    remote: (url) => remoteSource(url, { gateOf, cache: null }),
    decoder,
    cached: (blocks) => withBlockCache(blocks, { memory, disk: null }),
  });
  const found = await source.at(lon, lat, signal);
  if (found === null) throw new Error('the file does not cover its own pixel');
  const patch = await livePatch(found.raster, cells, Math.floor(found.x), Math.floor(found.y), signal);
  if (onDisk) await cells.save();
  await source.close();
  return patch.found.area;
}
