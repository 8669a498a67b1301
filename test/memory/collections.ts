import { packRecords } from '../../src/db/collections/pack-records.ts';
import type { BatchOptions, Collection, CollectionReader } from '../../src/collections/collection.ts';
import type { DatasetUse, Losses, Measured, PlotRecord, PlotStatistics } from '../../src/collections/plot-record.ts';

/** What a made-up batch is asked to do. */
export const BATCH_OPTIONS: BatchOptions = {
  cropType: 'cocoa',
  statistics: true,
  validateLocations: true,
  eudrDds: false,
  monitoringStart: '2017-01-01',
  monitoringEnd: '2025-12-31',
};

/** A completed collection that was measured from 2017 to 2024. */
export function madeUpCollection(change: Partial<Collection> = {}): Collection {
  return {
    id: '00000000-0000-4000-8000-000000000001',
    userId: 'user',
    name: 'a collection',
    description: '',
    status: 'completed',
    file: { name: 'plots.geojson', size: 1, sha256: '0'.repeat(64) },
    mapping: null,
    options: { ...BATCH_OPTIONS, monitoringEnd: '2024-12-31' },
    counts: null,
    locationsConfidence: 'high',
    confidenceCounts: null,
    confidenceReasons: null,
    error: null,
    taskId: 'task',
    reviews: 0,
    runs: [],
    createdAt: new Date(0),
    completedAt: new Date(1),
    ...change,
  };
}

const USE: DatasetUse = { dataset: 'made-up', version: '1', synthetic: false };
export const UNKNOWN = { status: 'unknown', reason: 'no dataset covers the plot' } as const;

export function measured<T extends object>(values: T, coveredShare = 1): Measured<T> {
  return { status: 'measured', coveredShare, ...USE, ...values } as Measured<T>;
}

/** Ten hectares, eight of them forest, with half a hectare of it lost in 2022. */
export function madeUpStatistics(change: Partial<PlotStatistics> = {}): PlotStatistics {
  return {
    areaHa: 10,
    ground: 'polygon',
    baseline: measured({ forestHa: 8 }),
    losses: [measured<Losses>({ lossHa: { 2019: 1, 2022: 0.75 }, inBaselineHa: { 2022: 0.5 }, years: [2001, 2024] })],
    biomass: measured({ tonnes: { 2017: 1000, 2020: 900, 2022: 800 } }),
    diversity: measured({ score: 0.25, basis: 'embeddings', year: 2024 } as const),
    ...change,
  };
}

export interface MadeUpRecord extends Partial<Omit<PlotRecord, 'feature'>> {
  readonly lon?: number;
  readonly lat?: number;
  readonly geometry?: unknown;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** A measured plot at a point, or whatever else is said of it. */
export function madeUpRecord(number: number, change: MadeUpRecord = {}): PlotRecord {
  const { lon = 0, lat = 0, geometry, properties = {}, ...rest } = change;
  return {
    number,
    locationType: 'plot',
    confidence: 'high',
    statistics: rest.locationType === 'facility' ? null : madeUpStatistics(),
    problem: null,
    ...rest,
    feature: {
      type: 'Feature',
      geometry: geometry === undefined ? { type: 'Point', coordinates: [lon, lat] } : geometry,
      properties: { location_id: `P${number}`, ...properties },
    },
  };
}

export interface MemoryCollections extends CollectionReader {
  /** How many records were given out. */
  readonly read: () => number;
}

/** Collections in memory. */
export function memoryCollections(
  content: readonly { readonly collection: Collection; readonly records: readonly PlotRecord[] }[],
): MemoryCollections {
  let read = 0;
  return {
    read: () => read,
    get: (userId, id) =>
      Promise.resolve(
        content.find(({ collection }) => collection.id === id && collection.userId === userId)?.collection ?? null,
      ),
    list: (userId, { limit, before }) => {
      const own = content.map(({ collection }) => collection).filter((collection) => collection.userId === userId);
      const from = before === undefined ? 0 : own.findIndex(({ id }) => id === before) + 1;
      return Promise.resolve(own.slice(from, from + limit));
    },
    async *records({ id }, from = 0) {
      const records = content.find(({ collection }) => collection.id === id)?.records ?? [];
      for (const record of records.slice(from)) {
        read++;
        yield { review: null, ...record };
      }
    },
    async *parts(collection) {
      const lines = await Array.fromAsync(this.records(collection), (record) => JSON.stringify(record));
      yield await packRecords(lines);
    },
  };
}
