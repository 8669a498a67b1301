import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commodityName } from '../src/facilities/commodity/commodity-names.ts';
import { normalizeRows, prepareFile } from '../src/locations/normalize-file.ts';
import type { NormalizedLocation } from '../src/locations/normalized.ts';
import { DEFAULT_LOCATION_OPTIONS, type LocationOptions } from '../src/locations/options.ts';
import type { LocationSources } from '../src/locations/sources.ts';
import type { SourceFile } from '../src/locations/source-table.ts';
import type { LocationSummary } from '../src/locations/summarise-locations.ts';
import { countryCode, countryName } from '../src/readers/built-in/country-code.ts';
import { openLocationFile } from '../src/readers/formats/tables/open-location-file.ts';

/** The words of every country and commodity; every place lies in Ghana, and no address is found. */
const SOURCES: LocationSources = {
  countryCode,
  countryName,
  commodity: commodityName,
  whereabouts: () => ({ country: { iso2: 'GH', name: 'Ghana' }, neighbours: [] }),
  geocode: () => ({ answer: null, failures: [] }),
  datasets: () => [],
};

/** Locations of a table whose first row is the header; a sheet has a name. */
export async function normalizedTable(
  rows: readonly (readonly unknown[])[],
  options: Partial<LocationOptions> = {},
  sheet: string | null = null,
): Promise<{ readonly locations: readonly NormalizedLocation[]; readonly summary: LocationSummary }> {
  const file: SourceFile = {
    format: 'csv',
    tables: [
      {
        kind: 'grid',
        name: sheet,
        async *rows() {
          for (const [i, cells] of rows.entries()) yield { row: i + 1, cells };
        },
      },
    ],
    remarks: [],
    close: () => Promise.resolve(),
  };
  return await normalized(file, options);
}

/** Locations of the bytes of a file, whatever its format. */
export async function normalizedFile(
  bytes: string | Uint8Array,
  options: Partial<LocationOptions> = {},
): ReturnType<typeof normalizedTable> {
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-normalized-'));
  try {
    const path = join(folder, 'file');
    await writeFile(path, bytes);
    const file = await openLocationFile(path, { maxFeatures: 10_000, maxFeatureBytes: 1_000_000, refuseOptions: true });
    if (!('tables' in file)) throw new Error(`wanted a table, got ${file.format}`);
    try {
      return await normalized(file, options);
    } finally {
      await file.close();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function normalized(file: SourceFile, options: Partial<LocationOptions>): ReturnType<typeof normalizedTable> {
  const prepared = await prepareFile(file, { ...DEFAULT_LOCATION_OPTIONS, ...options }, SOURCES, 10_000);
  const run = normalizeRows(file, prepared, SOURCES, new AbortController().signal);
  return { locations: await Array.fromAsync(run.features), summary: run.aggregate() };
}
