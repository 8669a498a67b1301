import { join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { openDiskCache } from '../../readers/io/disk-cache-folder.ts';
import { createDecoder } from '../../readers/embeddings/decode/decoder.ts';
import type { EmbeddingSource } from '../../readers/embeddings/embedding-source.ts';
import { openEmbeddings } from '../../readers/embeddings/open-embeddings.ts';
import { forestDatasets } from '../datasets/catalogue.ts';
import { openOutside } from '../outside/open-outside.ts';
import { underContract } from '../outside/under-contract.ts';
import { withSampleDistrict } from '../sample-district/sample-district.ts';

/** Milliseconds that one read of a build may take: a strip of a whole shard, from far away, is no lookup. */
const BUILD_DEADLINE_MS = 1_800_000;

/** Requests to one host at the same time. */
const PER_HOST = 16;
/**
 * Eleven blocks of 1024 x 1024 pixels as the public files have them, decoded: as many as a shard with its surroundings
 * has side by side. The strips of a shard are a quarter as high, so with less each block would be decoded four times.
 */
const DECODER_BYTES = 740_000_000;

/** The embeddings of the catalogue that labels can be built from. */
export async function embeddingDatasets(config: Config): Promise<readonly Dataset[]> {
  return (await forestDatasets(config)).filter(({ role }) => role === 'embeddings');
}

/** Opens embeddings by their id when they are first wanted, and keeps them: for a thread that labels tile after tile. */
export function buildSources(datasets: readonly Dataset[], config: Config): (id: string) => Promise<EmbeddingSource> {
  const opened = new Map<string, Promise<EmbeddingSource>>();
  return async (id) => {
    const dataset = datasets.find((other) => other.id === id && other.role === 'embeddings');
    if (dataset === undefined) throw new Error(`the catalogue of this worker has no dataset of embeddings ${id}`);
    const source = opened.get(id) ?? openBuildSource(dataset, config);
    opened.set(id, source);
    source.catch(() => opened.delete(id));
    return source;
  };
}

/**
 * Opens embeddings to build labels from, or to check them. Of what comes from afar the bytes are kept in the disk cache as
 * they came, for the neighbour of a shard; decoded blocks are not, because a shard is read once.
 */
export async function openBuildSource(dataset: Dataset, config: Config): Promise<EmbeddingSource> {
  const { dataDir, cacheMaxMb } = config;
  const maxBytes = cacheMaxMb * 1e6;
  const cache = maxBytes === 0 ? null : await openDiskCache(join(dataDir, 'cache'), { maxBytes });
  const { remote, contracts } = openOutside([dataset], config, { perHost: PER_HOST });
  const decoder = createDecoder({ threads: 1, memoryBytes: DECODER_BYTES });
  const patient = { ...dataset, options: { deadlineMs: BUILD_DEADLINE_MS, ...dataset.options } };
  const [opened] = openEmbeddings([patient], {
    dataDir,
    remote: (url) => remote(url, { cache }),
    decoder,
    cached: (blocks) => blocks,
  });
  if (opened === undefined) throw new Error(`wanted a dataset of embeddings, got ${dataset.id}, ${dataset.role}`);
  const source = underContract(withSampleDistrict(opened, dataDir), contracts);
  return {
    ...source,
    async close() {
      await source.close();
      await decoder.close();
    },
  };
}
