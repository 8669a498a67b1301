import { join } from 'node:path';
import type { PlotStatistics, Biomass, Measured } from '../../collections/plot-record.ts';
import type { Config } from '../../config/settings.ts';
import { layOutPlot, type PlotGround } from '../../geo/zonal/plot-ground.ts';
import { createHostBreakers, withBreaker } from '../../readers/io/breaker.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { openDiskCache } from '../../readers/io/disk-cache-folder.ts';
import type { RasterReader } from '../../readers/rasters/raster-map.ts';
import { openRasterTiles } from '../../readers/rasters/raster-tiles.ts';
import { createSampleMemory } from '../../readers/rasters/sample-memory.ts';
import { plotRasters, type PlotRasters } from './rasters.ts';
import { measureDiversities } from './diversity.ts';
import { diversityOfEmbeddings, type DiversityOfEmbeddings } from './embeddings.ts';
import { embeddingSources } from './embedding-sources.ts';
import { measureForest, NOT_COVERED, type PassOver } from './measures.ts';
import { type ReportFailure, pass, plotsIn } from './passes.ts';
import { contractRecords, openOutside } from '../outside/open-outside.ts';
import { alertLayers } from './alerts.ts';
import { measureEvidence, type EvidenceParts } from './evidence.ts';
import { headVotes, type HeadVotes } from './head-votes.ts';
import { voteLayers } from './vote-layers.ts';
import { unmeasured } from './unmeasured.ts';
import { prepareSampleRasters, SAMPLE_RASTER_IDS } from '../sample-district/sample-rasters.ts';
import { round } from '../../geo/round.ts';
import { measureBiomass, unknown } from '../../collections/statistics/assemble-statistics.ts';
import { measureValues } from '../../readers/rasters/measure-rasters.ts';

/** A plot to measure. */
export interface MeasurablePlot {
  /** A valid GeoJSON geometry in EPSG:4326: polygons, or points, which stand for circles. */
  readonly geometry: unknown;
  /** Hectares that somebody stated; used for points alone, where null means 4 each. */
  readonly statedHa: number | null;
}

/** The credit that the licence of a dataset requires. */
interface DatasetCitation {
  readonly dataset: string;
  readonly version: string;
  readonly date: string | null;
  readonly licence: string;
  readonly attribution: string;
  readonly synthetic: boolean;
}

/** Measures plots on the rasters of the catalogue. */
export interface PlotMeasurer {
  /**
   * Statistics of each plot, in the order of the plots. Plots are measured together: neighbours share what is read, so give some
   * hundreds at a time, and no more than some thousands. What cannot be measured is `unknown` with a reason; rejects only
   * when `signal` aborts.
   */
  measure(plots: readonly MeasurablePlot[], signal: AbortSignal): Promise<readonly PlotStatistics[]>;
  /** The datasets that gave a number so far, in the order of the catalogue. */
  citations(): readonly DatasetCitation[];
  close(): Promise<void>;
}

/** The settings that measuring depends on. */
export type PlotStatisticsConfig = Pick<
  Config,
  'dataDir' | 'cacheMaxMb' | 'forestMemoryMb' | 'forestThreads' | 'taskConcurrency'
>;

/** Decoded pixels that one measurer keeps, in bytes. */
const PIXEL_MEMORY_BYTES = 64_000_000;
/** Requests to one host at the same time. */
const PER_HOST = 16;
/** How often a read that failed by chance is tried, and how long that may take. */
const RETRIES = { attempts: 3, deadlineMs: 20_000 } as const;
/** What is measured in addition. */
interface PlotStatisticsOptions {
  /** What every layer of the catalogue has on a plot; default true. */
  readonly withEvidence?: boolean;
  /** Milliseconds for the embeddings of one plot; default 10,000. */
  readonly embeddingDeadlineMs?: number;
}

/** Plots that are planned and read together; more are measured in turns. */
const PLOTS_AT_ONCE = 500;
/** Hectares from which on a plot is measured alone, with deadlines of its own. */
const LARGE_PLOT_HA = 50_000;

/**
 * Opens the rasters of a catalogue for one thread: datasets of the roles `forest-mask`, `loss-year`, `biomass`, `canopy-height`
 * and `embeddings`; others are passed over. Nothing of them is read yet, so that a service without network starts.
 * @throws CatalogueError for an entry that says what no reader understands.
 */
export function openPlotStatistics(
  datasets: readonly Dataset[],
  config: PlotStatisticsConfig,
  report: ReportFailure = () => {},
  { withEvidence = true, embeddingDeadlineMs }: PlotStatisticsOptions = {},
): PlotMeasurer {
  const rasters = plotRasters(datasets);
  const evidence: EvidenceParts | null = withEvidence
    ? {
        layers: voteLayers(datasets),
        losses: rasters.losses,
        alerts: alertLayers(datasets),
        contractOf: contractWords(config),
      }
    : null;
  const sources = embeddingSources(datasets, config, report);
  const embeddings = diversityOfEmbeddings(sources, report, embeddingDeadlineMs);
  const heads = evidence === null ? null : headVotes({ config, sources, contractOf: evidence.contractOf, report });
  const used = new Set<string>();
  let opened: Promise<RasterReader> | null = null;

  function reader(): Promise<RasterReader> {
    opened ??= openRasterReader(datasets, config).catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  }

  return {
    async measure(plots, signal) {
      const statistics: PlotStatistics[] = [];
      const shared = await reader();
      for (let i = 0; i < plots.length; i += PLOTS_AT_ONCE) {
        signal.throwIfAborted();
        statistics.push(
          ...(await measureSome(
            { rasters, embeddings, evidence, heads, reader: shared, report },
            plots.slice(i, i + PLOTS_AT_ONCE),
            signal,
          )),
        );
        await shared.tiles.trim();
      }
      for (const one of statistics) for (const dataset of datasetsOf(one)) used.add(dataset);
      return statistics;
    },
    citations: () =>
      datasets
        .filter(({ id }) => used.has(id))
        .map(({ id, version, date, licence, attribution, synthetic }) => ({
          dataset: id,
          version,
          date,
          licence,
          attribution,
          synthetic,
        })),
    async close() {
      const shared = await opened?.catch(() => null);
      await shared?.tiles.close();
      await sources.close();
    },
  };
}

/** Opens what rasters of a catalogue are read with, for one thread. */
export async function openRasterReader(
  datasets: readonly Dataset[],
  { dataDir, cacheMaxMb }: PlotStatisticsConfig,
): Promise<RasterReader> {
  if (datasets.some(({ id }) => SAMPLE_RASTER_IDS.has(id))) await prepareSampleRasters(dataDir);
  const maxBytes = cacheMaxMb * 1e6;
  const cache = maxBytes === 0 ? null : await openDiskCache(join(dataDir, 'cache'), { maxBytes });
  const { remote, contracts } = openOutside(datasets, { dataDir }, { perHost: PER_HOST });
  const breakerOf = createHostBreakers();
  const tiles = openRasterTiles({
    remote: (url) => {
      const source = remote(url, { cache, retries: RETRIES });
      return withBreaker(source, breakerOf(source));
    },
    contracts,
  });
  return { tiles, memory: createSampleMemory(PIXEL_MEMORY_BYTES) };
}

interface Opened {
  readonly rasters: PlotRasters;
  readonly embeddings: DiversityOfEmbeddings;
  readonly evidence: EvidenceParts | null;
  readonly heads: HeadVotes | null;
  readonly reader: RasterReader;
  readonly report: ReportFailure;
}

async function measureSome(
  opened: Opened,
  plots: readonly MeasurablePlot[],
  signal: AbortSignal,
): Promise<PlotStatistics[]> {
  const laid = plots.map(({ geometry, statedHa }) => layOutPlot(geometry, statedHa));
  const out = laid.map((ground) => unmeasured(typeof ground === 'string' ? ground : ''));
  const numbers = laid.flatMap((ground, i) => (typeof ground === 'string' ? [] : [i]));
  const isLarge = (i: number): boolean => (laid[i] as PlotGround).areaHa > LARGE_PLOT_HA;
  // One that takes longer than the deadline must not leave its neighbours unknown.
  const batches = [numbers.filter((i) => !isLarge(i)), ...numbers.filter(isLarge).map((i) => [i])];
  for (const batch of batches) {
    const grounds = batch.map((i) => laid[i] as PlotGround);
    (await measureTogether(opened, grounds, signal)).forEach((one, i) => (out[batch[i]] = one));
  }
  return out;
}

async function measureTogether(
  { rasters, embeddings, evidence: parts, heads, reader, report }: Opened,
  grounds: readonly PlotGround[],
  signal: AbortSignal,
): Promise<PlotStatistics[]> {
  const over = { reader, grounds, signal, report };
  const measuring = [
    measureForest(rasters, over),
    measureBiomasses(rasters, over),
    measureDiversities(rasters, embeddings, over),
  ] as const;
  // Nothing goes on unnoticed by the caller when one rejects.
  await Promise.allSettled(measuring);
  const [forest, biomass, diversity] = await Promise.all(measuring);
  // Not before: it finds in memory what they have read.
  const ofLayers = parts === null ? null : await measureEvidence(parts, over);
  const ofHeads = ofLayers === null ? [] : ((await heads?.measure(grounds, ofLayers, signal)) ?? []);
  const evidence = ofLayers?.map((own, i) => [...own, ...(ofHeads[i] ?? [])]) ?? null;
  return grounds.map(({ areaHa, kind }, i) => {
    const measured = { ...forest[i], biomass: biomass[i], diversity: diversity[i] };
    return {
      areaHa: rounded(areaHa),
      ground: kind,
      ...measured,
      ...(evidence === null ? {} : { evidence: evidence[i] }),
    };
  });
}

/** Hectares with 6 decimals; none is lost. */
function rounded(hectares: number): number {
  return Math.max(1e-6, round(hectares, 6));
}

function datasetsOf({ baseline, losses, biomass, diversity, evidence = [] }: PlotStatistics): string[] {
  return [
    ...[baseline, ...losses, biomass, diversity].flatMap((one) => (one.status === 'measured' ? [one.dataset] : [])),
    ...evidence.flatMap((one) =>
      'yesHa' in one ? [one.dataset, ...(one.embeddings === undefined ? [] : [one.embeddings.dataset])] : [],
    ),
  ];
}

/** What is known of contracts when plots are measured: files of this machine have none. */
function contractWords({ dataDir }: Pick<PlotStatisticsConfig, 'dataDir'>): EvidenceParts['contractOf'] {
  const records = contractRecords({ dataDir });
  return async (dataset) =>
    dataset.url === undefined ? 'local' : ((await records.read(dataset))?.state ?? 'unchecked');
}

/** Tonnes of biomass of each plot by year, from the first dataset that has any data on it. */
async function measureBiomasses({ biomass }: PlotRasters, over: PassOver): Promise<Measured<Biomass>[]> {
  const { reader, grounds, signal, report } = over;
  const found: Measured<Biomass>[] = grounds.map(() => unknown(NOT_COVERED));
  let open = grounds.map((_, plot) => plot);
  for (const { spec, maps } of biomass) {
    const queried = plotsIn(spec, grounds, open);
    const sums = new Map(queried.map((plot) => [plot, new Map<number, { tonnes: number; knownHa: number }>()]));
    const failed = new Map<number, string>();
    for (const [year, map] of maps) {
      const plots = queried.filter((plot) => !failed.has(plot));
      const results = await pass(spec, grounds, plots, signal, report, (some, inner) =>
        measureValues(reader, map, some, inner),
      );
      for (const [plot, result] of results) {
        if ('failed' in result) failed.set(plot, result.failed);
        else sums.get(plot)?.set(year, { tonnes: result.sums[0], knownHa: result.sums[1] });
      }
    }
    for (const [plot, years] of sums) {
      const reason = failed.get(plot);
      found[plot] = reason === undefined ? measureBiomass(spec.dataset, grounds[plot].areaHa, years) : unknown(reason);
      // One without data leaves the plot to the next dataset; one that failed does not.
      if (found[plot].status === 'measured' || reason !== undefined) open = open.filter((one) => one !== plot);
    }
  }
  return found;
}
