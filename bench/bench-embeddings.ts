import type { Dataset } from '../src/readers/catalogue/dataset.ts';

/** Embeddings of a bench: a file by its path, or an address. */
export function datasetOf(place: string): Dataset {
  return {
    id: 'bench',
    role: 'embeddings',
    kind: 'cog',
    ...(place.startsWith('http') ? { url: place } : { path: place }),
    coverage: { bbox: [-180, -90, 180, 90] },
    version: '1',
    date: '2024',
    licence: 'CC-BY-4.0',
    attribution: 'AlphaEarth Foundations Satellite Embedding dataset, Google and Google DeepMind',
    synthetic: false,
    options: {},
  };
}
