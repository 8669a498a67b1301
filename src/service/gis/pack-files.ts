import { createHash } from 'node:crypto';
import type { Config } from '../../config/settings.ts';
import type { FeatureRows } from '../../gis/feature-rows.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { openFlatGeobuf } from '../../readers/formats/flatgeobuf/open-flatgeobuf.ts';
import { createPageMemory } from '../../readers/formats/flatgeobuf/page-memory.ts';
import { BLOCK_BYTES, datasetFile } from '../../readers/packs/block-checksums.ts';
import { LAYER_ROLES } from '../../readers/packs/layer/layer-plan.ts';
import { SAMPLE_PACK_IDS } from '../../readers/sample-district/sample-datasets.ts';
import { sampleParcelDatasets } from '../../readers/sample-district/sample-parcels.ts';
import { prepareSamplePack } from '../sample-district/sample-pack.ts';
import { prepareSampleParcels } from '../sample-district/sample-parcels.ts';
import { fileVersionNow } from '../world/file-version.ts';
import { remoteOpener } from '../world/packs-data.ts';
import { packRows } from './pack-rows.ts';

/** The FlatGeobuf files of the catalogue: regional packs, parcels and the operator's own. */
export interface PackFiles {
  /** As of now. */
  list(): Promise<readonly Dataset[]>;
  version(dataset: Dataset): string;
  open(dataset: Dataset, signal: AbortSignal): Promise<FeatureRows>;
  close(): Promise<void>;
}

const ROLES: ReadonlySet<string> = new Set([...LAYER_ROLES, 'settlements', 'parcels']);
const SAMPLE_PARCEL_IDS: ReadonlySet<string> = new Set(sampleParcelDatasets('').map(({ id }) => id));
/** Bytes of files kept between requests, for local files and for remote ones. */
const PAGES_BYTES = { local: 8_000_000, remote: 16_000_000 } as const;
const REMOTE_PAGE_BYTES = 65_536;

interface Opened {
  readonly rows: Promise<FeatureRows>;
  close(): Promise<void>;
}

/** Opens files when they are first read, and again when another has taken their place. `datasets` are those of the catalogue. */
export function openPackFiles(
  datasets: () => Promise<readonly Dataset[]>,
  config: Pick<Config, 'dataDir' | 'cacheMaxMb'>,
): PackFiles {
  const pages = createPageMemory(BLOCK_BYTES, PAGES_BYTES.local);
  const remotePages = createPageMemory(REMOTE_PAGE_BYTES, PAGES_BYTES.remote);
  const opened = new Map<string, Opened & { readonly version: string }>();

  async function list(): Promise<readonly Dataset[]> {
    return (await datasets()).filter(({ role, kind }) => kind === 'flatgeobuf' && ROLES.has(role));
  }

  function version({ path, url = '', version: written }: Dataset): string {
    const state = path === undefined ? url : `${path} ${fileVersionNow(path)}`;
    return createHash('sha256').update(`${written} ${state}`).digest('base64url').slice(0, 16);
  }

  async function prepare({ id }: Dataset): Promise<void> {
    if (SAMPLE_PACK_IDS.has(id)) await prepareSamplePack(config.dataDir);
    if (SAMPLE_PARCEL_IDS.has(id)) await prepareSampleParcels(config.dataDir);
  }

  function openNow(dataset: Dataset): Opened {
    // Shared by all who wait, so that nobody's leaving ends it.
    const { signal } = new AbortController();
    if (dataset.path === undefined) {
      const rows = remoteOpener(config, [dataset])(dataset)
        .then((source) => openFlatGeobuf(source, remotePages, signal))
        .then((file) => packRows(dataset, file));
      return { rows, close: () => Promise.resolve() };
    }
    const source = datasetFile(dataset, dataset.path);
    const rows = openFlatGeobuf(source, pages, signal).then((file) => packRows(dataset, file));
    return { rows, close: async () => source[Symbol.asyncDispose]() };
  }

  return {
    list,
    version,
    async open(dataset, signal) {
      await prepare(dataset);
      signal.throwIfAborted();
      const now = version(dataset);
      const known = opened.get(dataset.id);
      if (known?.version === now) return await known.rows;
      await known?.close();
      const fresh = { ...openNow(dataset), version: now };
      opened.set(dataset.id, fresh);
      fresh.rows.catch(() => {
        if (opened.get(dataset.id) === fresh) opened.delete(dataset.id);
      });
      return await fresh.rows;
    },
    async close() {
      await Promise.allSettled([...opened.values()].map((file) => file.close()));
      opened.clear();
    },
  };
}
