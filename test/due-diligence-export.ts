import { unzipSync } from 'fflate';
import type { Collection } from '../src/collections/collection.ts';
import type { ExportOptions, ExportParts } from '../src/collections/due-diligence/export-types.ts';
import type { Spool } from '../src/collections/due-diligence/spool.ts';
import { writeExport } from '../src/collections/due-diligence/write-export.ts';
import type { PlotRecord, PlotStatistics } from '../src/collections/plot-record.ts';
import { openOverlay } from '../src/locations/plots/geos.ts';
import { countryCode } from '../src/readers/built-in/country-code.ts';
import { measured } from './memory/collections.ts';

/** A collection as a batch leaves it. */
export const COLLECTION: Collection = {
  id: '3f2a1b9c-0000-4000-8000-000000000001',
  userId: 'user',
  name: 'Café São João',
  description: 'Deliveries of a season',
  status: 'completed',
  file: { name: 'plots.geojson', size: 1234, sha256: 'ab'.repeat(32) },
  mapping: null,
  options: {
    cropType: 'cocoa',
    statistics: true,
    validateLocations: true,
    eudrDds: true,
    monitoringStart: '2017-01-01',
    monitoringEnd: '2024-12-31',
  },
  counts: null,
  locationsConfidence: 'high',
  confidenceCounts: null,
  confidenceReasons: null,
  error: null,
  taskId: null,
  reviews: 0,
  runs: [],
  createdAt: new Date('2025-01-01T00:00:00Z'),
  completedAt: new Date('2025-01-02T00:00:00Z'),
};

/** A plot as normalisation leaves it; `properties` are laid over what a usual plot has. */
export function plotRecord(
  number: number,
  geometry: unknown,
  properties: Readonly<Record<string, unknown>> = {},
  more: Partial<PlotRecord> = {},
): PlotRecord {
  return {
    number,
    locationType: 'plot',
    review: null,
    feature: {
      type: 'Feature',
      id: `plot-${number}`,
      geometry,
      properties: {
        name: `Plot ${number}`,
        country: 'GH',
        source_row: number + 1,
        eudr: { ProducerName: 'Ama Owusu', ProducerCountry: 'GH', ProductionPlace: 'Kumasi', Area: null },
        warnings: [],
        source: {},
        ...properties,
      },
    },
    confidence: 'high',
    statistics: null,
    problem: 'Statistics were not requested.',
    ...more,
  };
}

/** A square of 0.01 degrees by its south-western corner. */
export const square = (lon: number, lat = 6) => ({
  type: 'Polygon',
  coordinates: [
    [
      [lon, lat],
      [lon + 0.01, lat],
      [lon + 0.01, lat + 0.01],
      [lon, lat + 0.01],
      [lon, lat],
    ],
  ],
});

export const LINE = {
  type: 'LineString',
  coordinates: [
    [0, 0],
    [1, 1],
  ],
};

/** 1.5 hectares of baseline forest lost in 2022. */
export const STATISTICS: PlotStatistics = {
  areaHa: 122,
  ground: 'polygon',
  baseline: measured({ forestHa: 80 }),
  losses: [measured({ lossHa: { 2022: 2 }, inBaselineHa: { 2022: 1.5 }, years: [2001, 2024] as const })],
  biomass: measured({ tonnes: { 2020: 900 } }),
  diversity: { status: 'unknown', reason: 'no dataset covers the plot' },
};

export const PERIOD = { start: '2020-12-31', end: '2024-12-31' } as const;

/** What the export needs, with the real library of geometry. */
export async function exportParts(more: Partial<ExportParts> = {}): Promise<ExportParts> {
  return {
    geometry: await openOverlay(),
    isCountry: (code) => countryCode(code) === code,
    cite: () => ({ licence: 'CC BY 4.0', attribution: 'Its makers' }),
    openSpool: async () => memorySpool(),
    at: new Date('2025-03-04T05:06:08Z'),
    version: '9.9.9',
    signal: new AbortController().signal,
    ...more,
  };
}

/** The files of an export by name. */
export async function exportFiles(
  records: readonly PlotRecord[],
  collection: Collection = COLLECTION,
  options: ExportOptions = { period: PERIOD },
  more: Partial<ExportParts> = {},
): Promise<Readonly<Record<string, Buffer>>> {
  return unzipped(await exportBytes(records, collection, options, more));
}

export async function exportBytes(
  records: readonly PlotRecord[],
  collection: Collection = COLLECTION,
  options: ExportOptions = { period: PERIOD },
  more: Partial<ExportParts> = {},
): Promise<Buffer> {
  async function* read(): AsyncGenerator<PlotRecord, void> {
    yield* records;
  }
  return gather(writeExport([{ collection, records: read }], options, await exportParts(more)));
}

export async function gather(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(bytes));
}

export function unzipped(zip: Uint8Array): Readonly<Record<string, Buffer>> {
  return Object.fromEntries(Object.entries(unzipSync(zip)).map(([name, bytes]) => [name, Buffer.from(bytes)]));
}

function memorySpool(): Spool {
  let text = '';
  return {
    write: async (more) => void (text += more),
    async *read() {
      yield Buffer.from(text);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
