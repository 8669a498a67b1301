import type { Config } from '../config.ts';
import type { FacilitySources } from '../facilities/sources.ts';
import type { DatasetCitation } from '../facilities/summarise.ts';
import type { Geometry } from '../geo/geometry.ts';
import type { Log } from '../log.ts';
import { openBuiltIn, openShared, type BuiltIn, type SharedPacks } from '../readers/built-in/built-in.ts';
import type { Coverage, Dataset } from '../readers/dataset.ts';

/** A dataset as `/datasets` and `firstmile data list` show it. */
export interface DatasetInfo {
  readonly id: string;
  readonly role: string;
  readonly kind: string;
  readonly version: string;
  readonly date: string | null;
  readonly licence: string;
  readonly attribution: string;
  /** West, south, east, north in degrees, or a polygon. */
  readonly coverage: readonly number[] | Geometry;
  readonly synthetic: boolean;
}

/** Everything the facility checks know of the world. */
export interface FacilityData {
  readonly sources: FacilitySources;
  readonly datasets: readonly DatasetInfo[];
  /** How a dataset of an answer is cited; null for one that is not in the catalogue. */
  readonly citation: (id: string, version: string) => DatasetCitation | null;
  /** What another thread needs to open the same data over the same memory; resolves when all of it is there. */
  share(): Promise<SharedFacilityData>;
  close(): Promise<void>;
}

export interface SharedFacilityData {
  readonly packs: SharedPacks;
}

/** Opens the data without waiting for what has to be packed first: a question waits for its own dataset alone. */
export async function openFacilityData(
  config: Pick<Config, 'dataDir'>,
  log: Log,
  signal: AbortSignal = new AbortController().signal,
): Promise<FacilityData> {
  const builtIn = await openBuiltIn({ dataDir: config.dataDir, log, signal });
  return joinData(builtIn, (what, error) => log.warn({ what, err: error }, 'a source failed'));
}

/** Opens in a thread what `share` gave. */
export function openSharedFacilityData(shared: SharedFacilityData): FacilityData {
  return joinData(openShared(shared.packs), () => {});
}

function joinData(builtIn: BuiltIn, reportFailure: NonNullable<FacilitySources['reportFailure']>): FacilityData {
  const datasets = new Map(builtIn.datasets.map((dataset) => [`${dataset.id} ${dataset.version}`, dataset] as const));
  return {
    sources: { ...NOT_COVERED, ...builtIn.sources, reportFailure },
    datasets: builtIn.datasets.map(datasetInfo),
    citation(id, version) {
      const dataset = datasets.get(`${id} ${version}`);
      if (dataset === undefined) return null;
      const { licence, attribution, synthetic } = dataset;
      return { id, version, synthetic, licence, attribution };
    },
    share: async () => ({ packs: await builtIn.share() }),
    close: () => builtIn.close(),
  };
}

/** The questions no dataset answers yet. */
const NOT_COVERED = {
  commodityShare: () => null,
  plantationShare: () => null,
  nearestRoad: () => null,
  buildings: () => null,
  businesses: () => null,
  producer: () => null,
} satisfies Partial<FacilitySources>;

function datasetInfo({ id, role, kind, version, date, licence, attribution, coverage, synthetic }: Dataset): DatasetInfo {
  return { id, role, kind, version, date, licence, attribution, coverage: coverageInfo(coverage), synthetic };
}

function coverageInfo(coverage: Coverage): DatasetInfo['coverage'] {
  if ('bbox' in coverage) return coverage.bbox;
  const coordinates = coverage.polygons.map((rings) => rings.map((ring) => Array.from({ length: ring.length / 2 }, (_, i) => [ring[2 * i] ?? 0, ring[2 * i + 1] ?? 0])));
  return { type: 'MultiPolygon', coordinates };
}
