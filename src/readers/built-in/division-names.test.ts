import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { constantFrom, property, assert as check, string } from 'fast-check';
import { divisionNames, spellingsOf } from './division-names.ts';

describe('the spellings of a division', () => {
  const cases: readonly (readonly [name: string, ...others: string[]])[] = [
    ['Kabupaten Rokan Hilir', 'Rokan Hilir'],
    ['Kemaman District', 'Kemaman'],
    ['Provincia de Loja', 'Loja'],
    ['Département du Nord', 'Nord'],
    ['South Tapanuli Regency', 'South Tapanuli', 'Tapanuli selatan'],
    ['Aceh Selatan', 'south Aceh'],
    ['Rio Grande do Norte', 'north Rio Grande'],
    ['Ho Chi Minh City (HCMC)', 'Ho Chi Minh City', 'Ho Chi Minh'],
  ];
  for (const [name, ...others] of cases)
    test(`of ${name} leave out the word for its kind and translate the compass`, () => {
      const spellings = spellingsOf(name);
      assert.equal(spellings[0], name);
      for (const other of others) assert.ok(spellings.includes(other), `${other} among ${spellings.join(', ')}`);
    });

  test('always hold the name itself and never nothing', () => {
    check(
      property(string(), constantFrom('', ' District', ' Utara', ' Province'), (name, end) => {
        const spellings = spellingsOf(`Kabupaten ${name}${end}`);
        assert.ok(spellings.length > 0 && spellings.every((spelling) => spelling !== ''));
      }),
    );
  });
});

describe('the names of divisions', () => {
  const own = divisionNames(new Map([['ID.26', 'North Sumatra']])).get('ID.26');
  test('come with letters and with keys in several languages', () => {
    assert.equal(own?.code, 'SU');
    for (const key of ['northsumatra', 'sumaterautara', 'sumatradunord']) assert.ok(own?.keys.includes(key), key);
  });

  test('of before a reform stand apart', () => {
    const former = divisionNames(null);
    assert.ok([...former.values()].some(({ keys }) => keys.includes('binhphuoc')));
    assert.ok(!former.has('ID.26'));
  });
});
