import type { Config } from '../../config/settings.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import type { EmbeddingSource } from '../../readers/embeddings/embedding-source.ts';
import { openForestSources, type OpenedForestSources } from '../forest/sources.ts';
import type { ReportFailure } from './passes.ts';

/** The embeddings of a catalogue, opened when they are first needed and once for all that measure on them. */
export interface EmbeddingSources {
  /** Whether the catalogue lists any of this machine (`path`), or any at all: known without opening them. */
  readonly hasLocal: boolean;
  readonly hasAny: boolean;
  open(): Promise<readonly EmbeddingSource[]>;
  close(): Promise<void>;
}

type EmbeddingSourcesConfig = Pick<
  Config,
  'dataDir' | 'cacheMaxMb' | 'forestMemoryMb' | 'forestThreads' | 'taskConcurrency'
>;

export function embeddingSources(
  datasets: readonly Dataset[],
  config: EmbeddingSourcesConfig,
  report: ReportFailure,
): EmbeddingSources {
  const listed = datasets.filter(({ role }) => role === 'embeddings');
  let opened: Promise<OpenedForestSources> | null = null;
  return {
    hasLocal: listed.some(({ path }) => path !== undefined),
    hasAny: listed.length > 0,
    async open() {
      opened ??= openForestSources(listed, config, report).catch((error: unknown) => {
        opened = null;
        throw error;
      });
      return (await opened).embeddings;
    },
    async close() {
      await (await opened?.catch(() => null))?.close();
    },
  };
}
