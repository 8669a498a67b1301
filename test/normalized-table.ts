import { commodityName } from '../src/facilities/commodity/commodity-names.ts';
import { normalizeRows, prepareFile } from '../src/locations/normalize-file.ts';
import type { NormalizedLocation } from '../src/locations/normalized.ts';
import { DEFAULT_LOCATION_OPTIONS, type LocationOptions } from '../src/locations/options.ts';
import type { LocationSources } from '../src/locations/sources.ts';
import type { SourceFile } from '../src/locations/source-table.ts';
import type { LocationSummary } from '../src/locations/summarise-locations.ts';
import { countryCode, countryName } from '../src/readers/built-in/country-code.ts';

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
  const prepared = await prepareFile(file, { ...DEFAULT_LOCATION_OPTIONS, ...options }, SOURCES, 10_000);
  const run = normalizeRows(file, prepared, SOURCES, new AbortController().signal);
  return { locations: await Array.fromAsync(run.features), summary: run.aggregate() };
}
