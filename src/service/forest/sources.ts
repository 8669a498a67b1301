import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import type { PatchSources } from '../../forest/sources.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { openDiskCache } from '../../readers/io/disk-cache-folder.ts';
import { createCellMemory } from '../../geo/segmentation/cell-memory.ts';
import { createBlockMemory, withBlockCache } from '../../readers/embeddings/blocks/block-cache.ts';
import { createDecoder } from '../../readers/embeddings/decode/decoder.ts';
import type { EmbeddingSource } from '../../readers/embeddings/embedding-source.ts';
import { openEmbeddings } from '../../readers/embeddings/open-embeddings.ts';
import { remoteStore } from '../../readers/formats/zarr/zarr-store.ts';
import { openOutside } from '../outside/open-outside.ts';
import { underContract } from '../outside/under-contract.ts';
import { guardSource } from './guard.ts';
import { openLabelStores } from '../labels/label-store.ts';
import { withSampleDistrict as prepared } from '../sample-district/sample-district.ts';

/** Where lookups look, open until it is closed. */
export interface OpenedForestSources {
  /** As of now: with the label stores that have been built since. Call once per request. */
  current(): Promise<PatchSources>;
  /** The embeddings among them, which can be queried for a year too. */
  readonly embeddings: readonly EmbeddingSource[];
  close(): Promise<void>;
}

/** Requests to one host at the same time. */
const PER_HOST = 32;
/** A block of the public files takes 67 MB once it is decoded, before it is cut. */
const DECODER_BYTES = 68_000_000;
/** How often what was computed of cells is written to the cache on disk: a square once for many lookups in it. */
const SAVE_MS = 2_000;
/** Seven blocks of 256 x 256 pixels: the windows of most lookups. */
const BLOCK_BYTES = 32_000_000;

/**
 * Opens the label stores and embeddings of a catalogue for one thread. Nothing of them is read yet, so that a service
 * without network starts. Throws a `CatalogueError` for an entry that no reader can read.
 */
export async function openForestSources(
  datasets: readonly Dataset[],
  config: Pick<Config, 'dataDir' | 'cacheMaxMb' | 'forestMemoryMb' | 'forestThreads' | 'taskConcurrency'>,
  reportFailure: NonNullable<PatchSources['reportFailure']> = () => {},
): Promise<OpenedForestSources> {
  const { dataDir } = config;
  const maxBytes = config.cacheMaxMb * 1e6;
  const disk = maxBytes === 0 ? null : await openDiskCache(join(dataDir, 'cache'), { maxBytes });
  const { remote, contracts } = openOutside(datasets, config, { perHost: PER_HOST });
  const room = memoryOf(config);
  const memory = createBlockMemory(room.blocks);
  const cells = createCellMemory(room.cells, disk);
  const saving = disk === null ? null : setInterval(() => void cells.save(), SAVE_MS).unref();
  const decoder = createDecoder({ threads: availableParallelism() > 2 ? 2 : 1, memoryBytes: room.decoder });
  const embeddings = openEmbeddings(datasets, {
    dataDir,
    remote: (url) => remote(url),
    decoder,
    cached: (blocks, isRemote) => withBlockCache(blocks, { memory, disk: isRemote ? disk : null }),
    reportFailure,
  });
  const stores = openLabelStores(datasets, {
    dataDir,
    remote: (url) => remoteStore(url, { open: (address) => remote(address, { cache: disk }) }),
    wrap: (source) => guardSource(underContract(prepared(source, dataDir), contracts)),
    reportFailure,
  });
  const guarded = embeddings.map((source) => guardSource(underContract(prepared(source, dataDir), contracts)));
  return {
    current: async () => ({ labels: await stores.current(), embeddings: guarded, cells, reportFailure }),
    embeddings: guarded,
    async close() {
      if (saving !== null) clearInterval(saving);
      await cells.save();
      await Promise.allSettled([stores, ...embeddings].map((source) => source.close()));
      await decoder.close();
    },
  };
}

/**
 * The part of the memory that one thread may use, in bytes: half for what is being decoded, half for what is kept, an eighth of
 * that for what was computed of cells, which takes a twentieth of the room of their codes.
 */
function memoryOf({ forestMemoryMb, forestThreads, taskConcurrency }: Parameters<typeof openForestSources>[1]) {
  const own = (forestMemoryMb * 1e6) / (forestThreads + taskConcurrency);
  const decoder = Math.max(DECODER_BYTES, Math.floor(own / 2));
  const kept = Math.max(BLOCK_BYTES, Math.floor(own) - decoder);
  const cells = Math.floor(kept / 8);
  return { decoder, cells, blocks: kept - cells };
}
