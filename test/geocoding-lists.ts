import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { geodesicDistanceM } from '../src/geo/ellipsoid.ts';
import type { LonLat } from '../src/geo/shapes/shape.ts';
import type { NormalizedLocation } from '../src/locations/normalized.ts';
import { DEFAULT_LOCATION_OPTIONS } from '../src/locations/options.ts';
import { countryCode } from '../src/readers/built-in/country-code.ts';
import type { LocationService } from '../src/service/locations/locations.ts';
import { SHARED_DATA } from './shared-data.ts';

/** A row whose real place is known. */
export interface KnownRow {
  readonly columns: Readonly<Record<string, string>>;
  readonly at: LonLat;
  /** ISO alpha-2. */
  readonly country: string;
}

/** A row as it was geocoded. */
export interface Geocoded {
  readonly row: KnownRow;
  readonly location: NormalizedLocation;
  /** Something was found, if only the country. */
  readonly found: boolean;
  /** Kilometres from the real place; null where there is no point: nothing was found, or the country alone. */
  readonly km: number | null;
}

/** Confidence is measured in bins of this width. */
export const BIN = 0.2;

type Csv = readonly Readonly<Record<string, string>>[];

async function readCsv(path: string): Promise<Csv> {
  return parse(await readFile(join(SHARED_DATA, path)), { columns: true, bom: true, relax_column_count: true });
}

/** The addresses of facilities in four lists, with the place where another service found each; without the country where wanted. */
export async function knownAddresses(country: 'stated' | 'left out'): Promise<KnownRow[]> {
  const rows: KnownRow[] = [];
  for (const list of ['2.csv', '3.csv', '4.csv', '5.csv']) {
    const truth = await readCsv(`geocoding/geocoded/${list}`);
    for (const { name, address, country: stated } of await readCsv(`geocoding/${list}`)) {
      const known = truth.find((row) => row['name'] === name && row['address'] === address && row['lat'] !== '');
      if (known === undefined) continue;
      const columns = country === 'stated' ? { name, address, country: stated } : { name, address };
      rows.push({ columns, at: [Number(known['lng']), Number(known['lat'])], country: countryCode(stated) ?? '' });
    }
  }
  return rows;
}

/** Palm oil mills by nothing but their country, province and, where wanted, district. */
export async function knownMills(by: 'district' | 'province'): Promise<KnownRow[]> {
  return (await readCsv('facilities/palm_mills_sample.csv')).map((row): KnownRow => {
    const { UML_ID: ref, ISO, Country: country, Province: province, District: district, Longitude, Latitude } = row;
    const columns = { ref, country, province, ...(by === 'district' ? { district } : {}) };
    return { columns, at: [Number(Longitude), Number(Latitude)], country: countryCode(ISO) ?? '' };
  });
}

/** Geocodes rows the way a user's file is: as a table with headings. */
export async function geocodeKnown(
  rows: readonly KnownRow[],
  service: LocationService,
  folder: string,
): Promise<Geocoded[]> {
  const headings = Object.keys(rows[0].columns);
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  const lines = [headings, ...rows.map(({ columns }) => headings.map((heading) => columns[heading]))];
  const path = join(folder, 'rows.csv');
  await writeFile(path, lines.map((line) => line.map(quoted).join(',')).join('\n'));
  await using opened = await service.open(path, DEFAULT_LOCATION_OPTIONS);
  const locations = await Array.fromAsync(opened.normalize(new AbortController().signal).features);
  return locations.map((location, i) => {
    const at = (location.geometry as { coordinates: LonLat } | null)?.coordinates;
    return {
      row: rows[i],
      location,
      found: location.properties.geocode_precision !== null,
      km: at === undefined ? null : geodesicDistanceM(at[0], at[1], ...rows[i].at) / 1000,
    };
  });
}

/** Share of the rows with an answer that were found in their country. */
export function rightCountry(found: readonly Geocoded[]): number {
  const answers = found.filter((row) => row.found);
  const right = answers.filter(
    ({ row, location: { properties } }) => countryCode(properties.country ?? '') === row.country,
  );
  return right.length / answers.length;
}

export interface ConfidenceBin {
  readonly from: number;
  readonly rows: number;
  readonly medianKm: number;
  /** Share of the rows whose real place is within 25 km of the answer. */
  readonly within25Km: number;
}

/** How far from their places the answers of each bin of confidence are. Empty bins are left out. */
export function confidenceBins(found: readonly Geocoded[]): ConfidenceBin[] {
  const answers = found.flatMap(({ km, location: { properties } }) =>
    km === null ? [] : [{ km, bin: Math.min(4, Math.floor((properties.geocode_confidence ?? 0) / BIN + 1e-9)) }],
  );
  return [...Map.groupBy(answers, ({ bin }) => bin)]
    .toSorted(([a], [b]) => a - b)
    .map(([bin, members]) => ({
      from: bin * BIN,
      rows: members.length,
      medianKm: medianOf(members.map(({ km }) => km)),
      within25Km: members.filter(({ km }) => km <= 25).length / members.length,
    }));
}

export function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
