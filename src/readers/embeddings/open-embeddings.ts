import { CatalogueError } from '../catalogue/catalogue.ts';
import type { Dataset, DatasetKind } from '../catalogue/dataset.ts';
import { openCogIndexSource } from './index/cog-index-source.ts';
import type { EmbeddingDeps, EmbeddingSource } from './embedding-source.ts';
import { openMosaic } from './mosaic/mosaic-source.ts';
import { openTiffSource } from './cog/tiff-source.ts';

/** Who reads which kind of dataset. */
const READERS: Readonly<Partial<Record<DatasetKind, (dataset: Dataset, deps: EmbeddingDeps) => EmbeddingSource>>> = {
  'cog-index': openCogIndexSource,
  cog: openTiffSource,
  zarr: (dataset, deps) =>
    openMosaic(dataset, { ...deps, cached: (blocks) => deps.cached(blocks, dataset.path === undefined) }),
};

/**
 * Opens the datasets of the role `embeddings` among `datasets`, in their order. Nothing is read yet, so that a service
 * without network starts; a lookup then rejects with a `ByteSourceError` within the dataset's `options.deadlineMs`. Throws
 * a `CatalogueError` for an entry that no reader can read.
 */
export function openEmbeddings(datasets: readonly Dataset[], deps: EmbeddingDeps): EmbeddingSource[] {
  return datasets
    .filter(({ role }) => role === 'embeddings')
    .map((dataset) => {
      const open = READERS[dataset.kind];
      if (open !== undefined) return open(dataset, deps);
      const kinds = Object.keys(READERS).join(', ');
      throw new CatalogueError(`${dataset.id}: kind: wanted ${kinds} for embeddings, got ${dataset.kind}`);
    });
}
