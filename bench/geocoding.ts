/**
 * How right the built-in places are: four lists of addresses with and without their country, and palm oil mills by
 * district and by province alone, each against the known place. Every run finds the same. Needs ../shared.
 *
 *     node bench/geocoding.ts            # prints the tables of docs/geocoding.md
 *     node bench/geocoding.ts --write    # and puts them into it
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
import { writeMeasured } from './write-measured.ts';

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
  const lines = [
    '| List | Rows | Found | In the right country | Country only | Median km: locality | region |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |',
  ];
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
    lines.push(`| ${cells.join(' | ')} |`);
  }
  const bins = confidenceBins(all);
  const rated = bins.reduce((sum, { rows }) => sum + rows, 0);
  lines.push(
    '',
    `What is known only to its country has no point. The other ${rated.toLocaleString('en')} rows by their confidence:`,
    '',
    '| `geocode_confidence` | Rows | Median km | Within 25 km |',
    '| --- | ---: | ---: | ---: |',
    ...bins.map(
      ({ from, rows, medianKm, within25Km }) =>
        `| ${from.toFixed(1)} to ${(from + BIN).toFixed(1)} | ${rows} | ${round(medianKm)} | ${percent(within25Km)} |`,
    ),
  );
  console.log(lines.join('\n'));
  if (process.argv.includes('--write')) writeMeasured('geocoding.md', lines.join('\n'));
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
