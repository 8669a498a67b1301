import assert from 'node:assert/strict';
import { test } from 'node:test';
import { array, assert as check, constantFrom, option, property, string } from 'fast-check';
import { placeKey } from '../../geo/place-key.ts';
import { type Gazetteer, type GazetteerEntry, partsOf } from './address-parts.ts';
import { findPlace } from './find-place.ts';

function place(name: string, over: Partial<GazetteerEntry> = {}): GazetteerEntry {
  return {
    name,
    kind: 'settlement',
    country: 'ID',
    region: 'Riau',
    district: 0,
    at: [101, 0.5],
    people: 0,
    near: 1,
    ...over,
  };
}

const PLACES: readonly GazetteerEntry[] = [
  place('Kampar', { people: 20_000 }),
  place('Kampar', { kind: 'district', people: 40_000, near: 0.4 }),
  place('Riau', { kind: 'region', people: 6_000_000, near: 0.1 }),
  place('Bari', { country: 'IT', region: 'Apulia', people: 300_000, at: [16.8, 41.1] }),
  place('ID', { kind: 'country', region: null, near: 0.02 }),
];
const GAZETTEER: Gazetteer = {
  named: (key) => PLACES.filter(({ name }) => placeKey(name) === key),
  coded: (code) => (code === 'RI' ? PLACES.filter(({ name }) => name === 'Riau') : []),
  similar: () => [],
  countryCode: (text) => ({ indonesia: 'ID', franca: 'FR' })[text.toLowerCase()] ?? null,
  countryName: (iso2) => iso2,
};
const NOTHING = { address: null, locality: null, admin1: null, country: null, name: null };

test('a column of districts names what is wider than the town of that name', () => {
  const query = { ...NOTHING, locality: 'Kampar', admin1: 'Riau', country: 'ID' };
  const town = findPlace(query, GAZETTEER);
  const district = findPlace({ ...query, localityIsDistrict: true }, GAZETTEER);
  assert.equal(town?.precision, 'locality');
  assert.equal(district?.precision, 'region');
  assert.ok((district?.confidence ?? 1) <= 0.4 && (town?.confidence ?? 0) > 0.4);
});

test('a large country found beyond doubt has little confidence, because nothing says where in it', () => {
  const answer = findPlace({ ...NOTHING, address: 'Plot 4, Indonesia' }, GAZETTEER);
  assert.equal(answer?.precision, 'country');
  assert.equal(answer?.confidence, 0.02);
});

test('letters of a region in an address count only right after the name of a settlement', () => {
  assert.equal(findPlace({ ...NOTHING, address: 'Kampar, RI' }, GAZETTEER)?.name, 'Kampar, Riau, ID');
  assert.equal(findPlace({ ...NOTHING, address: 'RI' }, GAZETTEER), null);
  assert.equal(findPlace({ ...NOTHING, address: 'Kampar' }, GAZETTEER), null);
});

test('any text gives a place of the stated country or nothing', () => {
  const words = constantFrom('Kampar', 'Riau', 'RI', 'Bari', ',', ' - ', 'Zona Franca', '28284', 'Jalan', 'Kab.', '(');
  const texts = option(array(words.chain((word) => constantFrom(word, `${word} `))).map((list) => list.join(' ')));
  check(
    property(texts, texts, option(string()), (address, locality, admin1) => {
      const answer = findPlace({ ...NOTHING, address, locality, admin1, country: 'ID' }, GAZETTEER);
      assert.equal(answer?.country, 'ID');
      assert.ok(answer.confidence >= 0.02 && answer.confidence <= 0.95);
    }),
  );
});

test('parts end at commas, brackets, spaced dashes and postal codes, and no word is lost but those far from the end', () => {
  const parts = partsOf({ ...NOTHING, address: 'Jl. Raya 5 (Kampar) - Riau 28284 Indonesia', admin1: 'Riau' });
  assert.deepEqual(
    parts.map(({ field, words }) => `${field}: ${words.map(({ text }) => text).join(' ')}`),
    ['address: Jl Raya', 'address: Kampar', 'address: Riau', 'address: Indonesia', 'admin1: Riau'],
  );
  const long = partsOf({ ...NOTHING, address: `${'word '.repeat(500)}, Kampar` });
  assert.equal(long.flatMap(({ words }) => words).length, 60);
  assert.equal(long.at(-1)?.words[0].text, 'Kampar');
});
