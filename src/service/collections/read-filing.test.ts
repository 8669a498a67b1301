import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '../../errors.ts';
import { readFiling, type FilingWords } from './read-filing.ts';

const TODAY = '2026-11-23';

describe('what is said of a filing', () => {
  it('is nothing unless it is said', () => {
    const { codes, role, size, activity, kind, day, isDayGiven } = readFiling({ cn: '', role: ' ' }, TODAY);
    assert.deepEqual(
      [codes, role, size, activity, kind, day, isDayGiven],
      [[], null, null, null, 'statement', TODAY, false],
    );
  });

  it('is read in the spellings people use', () => {
    const read = readFiling(
      {
        kind: 'SD',
        cn: 'ex 4403, 1801.00.00',
        role: 'MSPO',
        size: 'Micro',
        activity: 'export',
        places: 'Cadastral',
        date: '2026-12-30',
      },
      TODAY,
    );
    assert.deepEqual(read.codes, [
      { commodity: 'cocoa', digits: '18010000' },
      { commodity: 'timber', digits: '4403' },
    ]);
    assert.deepEqual(
      [read.kind, read.role, read.size, read.activity, read.places, read.day, read.isDayGiven],
      ['simplified_declaration', 'primary_operator', 'micro', 'EXPORT', 'cadastral', '2026-12-30', true],
    );
  });

  const faults: readonly (readonly [FilingWords, RegExp])[] = [
    [{ kind: 'both' }, /kind: wanted statement or simplified_declaration/],
    [{ cn: '4101' }, /4101 is not listed in Annex I on 2026-11-23/],
    [{ cn: '4012 20' }, /Near it are 4012 90 30/],
    [{ cn: '1201' }, /1201 is too short on 2026-11-23; listed are 1201 90 00/],
    [{ cn: '1801, 1803' }, /one code a commodity, got 1801 and 1803 for cocoa/],
    [{ role: 'trader' }, /Trader files nothing/],
    [{ role: 'primary_operator' }, /give kind=simplified_declaration/],
    [{ role: 'operator', kind: 'sd' }, /give role=primary_operator/],
    [{ activity: 'TRADE' }, /IMPORT, EXPORT or DOMESTIC/],
    [{ places: 'address' }, /needs kind=simplified_declaration/],
    [{ places: 'nearby', kind: 'sd' }, /geometry, address, cadastral/],
    [{ date: 'soon' }, /date: wanted a day/],
  ];
  for (const [words, message] of faults)
    it(`is refused with what to do: ${JSON.stringify(words)}`, () => {
      assert.throws(
        () => readFiling(words, TODAY),
        (error) => error instanceof Problem && error.status === 422 && message.test(error.message),
      );
    });

  it('counts by the law of its day', () => {
    assert.equal(readFiling({ cn: '4101', date: '2026-09-17' }, TODAY).codes.length, 1);
    assert.equal(readFiling({ cn: '1201', date: '2026-09-17' }, TODAY).codes[0]?.digits, '1201');
  });
});
