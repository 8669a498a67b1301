/**
 * How right the built-in places are: four lists of addresses with and without their country, and palm oil mills by
 * district and by province alone, each against the known place. Prints the tables of docs/geocoding.md. Needs ../shared.
 * Run: node bench/geocoding.ts
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../src/config/settings.ts';
import { PRECISIONS } from '../src/locations/sources.ts';
import { createLog } from '../src/log.ts';
import { openWorld } from '../src/service/world/world.ts';
import { createLocationService } from '../src/service/locations/locations.ts';
import {
  BIN,
  confidenceBins,
  geocodeKnown,
  knownAddresses,
  knownMills,
  medianOf,
  rightCountry,
  type Geocoded,
  type KnownRow,
} from '../test/geocoding-lists.ts';

const LISTS: readonly (readonly [title: string, rows: readonly KnownRow[]])[] = [
  ['Addresses, country stated', await knownAddresses('stated')],
  ['Addresses, country left out', await knownAddresses('left out')],
  ['Mills by district and province', await knownMills('district')],
  ['Mills by province', await knownMills('province')],
];

const folder = await mkdtemp(join(tmpdir(), 'firstmile-bench-'));
const config = readConfig({ DATA_DIR: folder, LOG_LEVEL: 'silent', AUTO_DATA: 'off' });
const data = await openWorld(config, createLog({ level: 'silent', json: true }));
try {
  const service = createLocationService({ ...data, geocoders: [] }, { maxFeatures: 10_000 }, 1_000_000);
  const all: Geocoded[] = [];
  console.log('| List | Rows | Found | In the right country | Country only | Median km: locality | region |');
  console.log('| --- | ---: | ---: | ---: | ---: | ---: | ---: |');
  for (const [title, rows] of LISTS) {
    const found = await geocodeKnown(rows, service, folder);
    all.push(...found);
    const answers = found.filter((row) => row.found);
    const kmOf = (precision: string): number[] =>
      answers.flatMap(({ km, location }) =>
        location.properties.geocode_precision === precision && km !== null ? [km] : [],
      );
    const medians = PRECISIONS.slice(2, 4).map((precision) =>
      kmOf(precision).length === 0 ? '' : round(medianOf(kmOf(precision))),
    );
    const cells = [
      title,
      found.length,
      answers.length,
      percent(rightCountry(found)),
      percent(
        answers.filter(({ location }) => location.properties.geocode_precision === 'country').length / answers.length,
      ),
      ...medians,
    ];
    console.log(`| ${cells.join(' | ')} |`);
  }
  console.log('\n| `geocode_confidence` | Rows | Median km | Within 25 km |\n| --- | ---: | ---: | ---: |');
  for (const { from, rows, medianKm, within25Km } of confidenceBins(all))
    console.log(
      `| ${from.toFixed(1)} to ${(from + BIN).toFixed(1)} | ${rows} | ${round(medianKm)} | ${percent(within25Km)} |`,
    );
} finally {
  await data.close();
  await rm(folder, { recursive: true, force: true });
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function round(value: number): string {
  return value.toFixed(0);
}
