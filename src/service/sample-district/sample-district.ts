import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createDecoder } from '../../readers/embeddings/decode/decoder.ts';
import type { EmbeddingSource } from '../../readers/embeddings/embedding-source.ts';
import { openTiffSource } from '../../readers/embeddings/cog/tiff-source.ts';
import type { LabelSource } from '../../readers/label-store/open-label-store.ts';
import { prepareLabelStore, writeCoverage } from '../../readers/label-store/write-label-store.ts';
import { DISTRICT, DISTRICT_VERSION } from '../../readers/sample-district/district.ts';
import { SAMPLE_FILES, sampleDatasets, sampleFolder } from '../../readers/sample-district/sample-datasets.ts';
import { sampleEmbeddings } from '../../readers/sample-district/sample-embeddings.ts';
import { encodeTiff } from '../../readers/formats/tiff/encode-tiff.ts';
import { builtCoverage } from '../labels/coverage.ts';
import { planStore } from '../labels/plan.ts';
import { buildTile } from '../labels/tile.ts';
import { makeSampleFolder } from './make-sample-folder.ts';
import { onceAFolder } from '../world/once-a-folder.ts';

/** The same dataset; the sample district's are made before they are first used. */
export function withSampleDistrict<S extends LabelSource | EmbeddingSource>(source: S, dataDir: string): S {
  if (!SAMPLE_IDS.has(source.dataset.id)) return source;
  const later = <A extends readonly unknown[], R>(query: (...question: A) => Promise<R>) => {
    return async (...question: A): Promise<R> => {
      await prepareSampleDistrict(dataDir);
      return query(...question);
    };
  };
  const at = later<Parameters<S['at']>, Awaited<ReturnType<S['at']>>>(source.at as never);
  return 'rasters' in source
    ? { ...source, at, rasters: later(source.rasters) }
    : { ...source, at, layers: later(source.layers) };
}

const SAMPLE_IDS: ReadonlySet<string> = new Set(sampleDatasets('').map(({ id }) => id));

/**
 * Makes the files of the sample district in a data folder unless they are there: embeddings of all of it, and a label
 * store of its western half, so that both tiers have something to answer. Takes about two seconds, the first time only.
 */
const prepareSampleDistrict: (dataDir: string) => Promise<void> = onceAFolder((dataDir) =>
  makeSampleFolder(sampleFolder(dataDir), async (draft) => {
    await writeFile(join(draft, SAMPLE_FILES.embeddings), encodeSample());
    await labelWesternHalf(draft);
  }),
);

function encodeSample(): Uint8Array {
  const { codes, ...grid } = sampleEmbeddings();
  const raster = { ...grid, values: codes, bands: 64, sampleType: 'int8', nodata: -128 } as const;
  return encodeTiff(raster, { compression: 'zstd' });
}

async function labelWesternHalf(draft: string): Promise<void> {
  const { signal } = new AbortController();
  const [dataset] = sampleDatasets('');
  const decoder = createDecoder({ threads: 0 });
  const remote = (url: string): never => {
    throw new Error(`the sample district is a file, got the address ${url}`);
  };
  const source = openTiffSource(
    { ...dataset, path: join(draft, SAMPLE_FILES.embeddings) },
    { dataDir: draft, remote, decoder, cached: (blocks) => blocks },
  );
  try {
    const folder = join(draft, SAMPLE_FILES.labels);
    const [west, south, east, north] = DISTRICT.bbox;
    const box = [west, south, (west + east) / 2, north] as const;
    const plan = await planStore(
      source,
      { folder, box, tile: null, year: null, force: false, part: null, sizes: SIZES },
      signal,
    );
    const [raster] = await source.rasters(box, null, signal);
    await prepareLabelStore(folder, dataset, plan.entries, DISTRICT_VERSION, signal);
    for (const { entry, tile } of plan.tiles) await buildTile({ folder, entry, raster, tile, force: false }, signal);
    await writeCoverage(folder, builtCoverage(folder, plan.entries), DISTRICT_VERSION, signal);
  } finally {
    await source.close();
    await decoder.close();
  }
}

/** Cells a side of the store's chunks and shards: smaller than usual, so that half a district is half its chunks. */
const SIZES = { chunk: 64, shard: 256 };
