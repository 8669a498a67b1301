import { ConfigError, type Config } from '../../config/settings.ts';
import type { ParcelSource } from '../../parcels/parcel.ts';
import { datasetFile } from '../../readers/packs/block-checksums.ts';
import type { ByteSource } from '../../readers/io/byte-source.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { createPageMemory, type PageMemory } from '../../readers/formats/flatgeobuf/page-memory.ts';
import { createUpstream, createUpstreamState } from '../../readers/live/upstream.ts';
import { flatgeobufParcels } from '../../readers/parcels/flatgeobuf-parcels.ts';
import { geojsonParcels } from '../../readers/parcels/geojson-parcels.ts';
import { PARCELMAP_BC_ID } from '../../readers/parcels/parcelmap-bc.ts';
import { wfsParcels } from '../../readers/parcels/wfs-parcels.ts';
import { sampleParcelDatasets } from '../../readers/sample-district/sample-parcels.ts';
import { answerCache, KEPT_DAYS } from '../world/live-sources.ts';
import { remoteOpener } from '../world/packs-data.ts';
import { prepareSampleParcels } from '../sample-district/sample-parcels.ts';
import { DAY_MS } from '../../durations.ts';

export type ParcelSourceConfig = Pick<
  Config,
  'dataDir' | 'cacheMaxMb' | 'liveCacheMb' | 'parcelTimeoutMs' | 'parcelMapBcUrl'
>;

interface OpenedParcelSources {
  /** In the order in which they are queried. */
  readonly sources: readonly ParcelSource[];
  close(): Promise<void>;
}

/** Bytes of files kept between questions, for local files and for remote ones. */
const PAGE_BYTES = { local: 16_384, remote: 65_536 } as const;
const PAGES_BYTES = 16_000_000;
/** Part of the deadline of a search that one service may take, so that another dataset has time after it. */
const PARCEL_SERVICE_SHARE = 0.8;
/** Requests of a process to one service at the same time: they are public, and small. */
const PARCEL_SERVICE_AT_ONCE = 4;
/** Longest answer of a service, in bytes. */
const PARCEL_ANSWER_BYTES = 8_388_608;

const SAMPLE_IDS: ReadonlySet<string> = new Set(sampleParcelDatasets('').map(({ id }) => id));

/** Opens the parcel datasets of a catalogue; nothing of them is read yet. Throws a `ConfigError` for an entry that cannot be used. */
export function openParcelSources(datasets: readonly Dataset[], config: ParcelSourceConfig): OpenedParcelSources {
  const pages = createPageMemory(PAGE_BYTES.local, PAGES_BYTES);
  const remotePages = createPageMemory(PAGE_BYTES.remote, PAGES_BYTES);
  const remote = remoteOpener(config, datasets);
  const cache = answerCache(config);
  const files: AsyncDisposable[] = [];

  /** Bytes of an entry, of a file once it is there: the sample district's is made when it is first used. */
  function bytesOf(dataset: Dataset): {
    readonly open: () => Promise<ByteSource>;
    readonly pages: PageMemory;
  } {
    const { id, path } = dataset;
    if (path === undefined) return { open: () => remote(dataset), pages: remotePages };
    const file = datasetFile(dataset, path);
    files.push(file);
    const open = async (): Promise<ByteSource> => {
      if (SAMPLE_IDS.has(id)) await prepareSampleParcels(config.dataDir);
      return file;
    };
    return { open, pages };
  }

  function openOne(dataset: Dataset): ParcelSource[] {
    if (dataset.kind === 'service') {
      const isBc = dataset.id === PARCELMAP_BC_ID && config.parcelMapBcUrl !== null;
      const upstream = createUpstream({
        name: isBc ? 'ParcelMap BC' : dataset.id,
        deadlineMs: Math.round(config.parcelTimeoutMs * PARCEL_SERVICE_SHARE),
        maxBytes: PARCEL_ANSWER_BYTES,
        state: createUpstreamState(PARCEL_SERVICE_AT_ONCE),
        cache,
        freshMs: KEPT_DAYS.parcels.fresh * DAY_MS,
        staleMs: KEPT_DAYS.parcels.stale * DAY_MS,
      });
      return [wfsParcels(dataset, { upstream, url: isBc ? (config.parcelMapBcUrl ?? '') : (dataset.url ?? '') })];
    }
    const { open, pages: memory } = bytesOf(dataset);
    if (dataset.kind === 'flatgeobuf') return [flatgeobufParcels(dataset, open, memory)];
    return dataset.kind === 'geojson' ? [geojsonParcels(dataset, open)] : [];
  }

  return {
    sources: datasets.flatMap((dataset) => {
      try {
        return openOne(dataset);
      } catch (error) {
        throw new ConfigError(`CATALOGUE: ${(error as Error).message}`, { cause: error });
      }
    }),
    async close() {
      await Promise.allSettled(files.map((file) => file[Symbol.asyncDispose]()));
    },
  };
}
