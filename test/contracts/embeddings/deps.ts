import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHostGates } from '../../../src/readers/io/concurrency.ts';
import { remoteSource } from '../../../src/readers/io/remote.ts';
import type { Dataset } from '../../../src/readers/catalogue/dataset.ts';
import { createBlockMemory, withBlockCache } from '../../../src/readers/embeddings/blocks/block-cache.ts';
import { createDecoder } from '../../../src/readers/embeddings/decode/decoder.ts';
import type { EmbeddingDeps } from '../../../src/readers/embeddings/embedding-source.ts';

/** What sources are opened with in tests: nothing kept from one call to the next, retries without waits. */
export async function openDeps(): Promise<EmbeddingDeps & AsyncDisposable & { readonly failures: string[] }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'firstmile-aef-'));
  const gateOf = createHostGates(16);
  const decoder = createDecoder({ threads: 0 });
  const memory = createBlockMemory();
  const failures: string[] = [];
  return {
    dataDir,
    decoder,
    failures,
    remote: (url) =>
      remoteSource(url, {
        gateOf,
        cache: null,
        http: { deadlineMs: 5_000 },
        retries: { attempts: 2, wait: async () => {} },
      }),
    cached: (blocks) => withBlockCache(blocks, { memory, disk: null }),
    reportFailure: (what, error) => void failures.push(`${what}: ${String(error)}`),
    async [Symbol.asyncDispose]() {
      await decoder.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** A dataset of embeddings as the catalogue would have it. */
export function embeddingDataset(over: Partial<Dataset> & Pick<Dataset, 'kind'>): Dataset {
  return {
    id: 'aef-test',
    role: 'embeddings',
    coverage: { bbox: [-180, -90, 180, 90] },
    version: '1',
    date: null,
    licence: 'CC-BY-4.0',
    attribution: 'test',
    synthetic: true,
    options: {},
    ...over,
  };
}
