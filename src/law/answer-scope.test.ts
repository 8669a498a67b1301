import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { ANNEX, ANNEX_PERIODS, annexOn, codeHistory, findCode, significantDigits, type InScope } from './annex.ts';
import { answerScope, type ScopeQuestion } from './answer-scope.ts';
import { COMMODITY_NAMES } from './annex-rows.ts';
import { countryTier, TIER_OF, TIERS } from './country-tiers.ts';
import type { DutyKind } from './duty.ts';
import { ROLES, type Role } from './roles.ts';
import { SIZES, type Size } from './undertakings.ts';

const BEFORE = '2026-09-17';
const AFTER = '2026-09-18';
const BINDING = '2026-12-30';

/** Code, day, answer, the listed code that matches, and what decides. */
const CODES: readonly (readonly [cn: string, date: string, InScope, matched?: string | null, by?: string])[] = [
  ['4101', BEFORE, 'depends', '4101', 'goods'],
  ['4101', AFTER, 'no'],
  ['4101 20', BEFORE, 'depends', '4101'],
  ['4101 20', AFTER, 'no'],
  ['4104', BEFORE, 'depends', '4104'],
  ['4104', AFTER, 'no'],
  ['4107 11', BEFORE, 'depends', '4107', 'goods'],
  ['4107 11', AFTER, 'no'],
  ['4901 10', '2025-12-25', 'depends', '49', 'goods'],
  ['4901 10', '2025-12-26', 'no'],
  ['49', '2023-06-28', 'no'],
  ['49', '2023-06-29', 'depends', '49'],
  ['2101 11 00', '2027-12-29', 'no'],
  ['2101 11 00', '2027-12-30', 'yes', '2101 11 00'],
  ['2101 11', '2027-12-30', 'yes', '2101 11 00'],
  ['2101', '2027-12-29', 'no'],
  ['2101', '2027-12-30', 'depends', null, 'digits'],
  ['1201', BEFORE, 'yes', '1201'],
  ['1201', AFTER, 'depends', null, 'digits'],
  ['1201 10 00', BEFORE, 'yes', '1201'],
  ['1201 10 00', AFTER, 'no'],
  ['1201 90 00', AFTER, 'yes', '1201 90 00'],
  ['1201 90', AFTER, 'yes', '1201 90 00'],
  ['1520 00 00', BEFORE, 'no'],
  ['1520 00 00', BINDING, 'unknown', '1520 00', 'law'],
  ['1520', BINDING, 'unknown', '1520 00', 'law'],
  ['1520 00 00', '2027-12-30', 'depends', '1520 00', 'goods'],
  ['4707 10', '2024-01-01', 'depends', '47', 'goods'],
  ['4707 10', BEFORE, 'depends', '47'],
  ['4707 10', BINDING, 'depends', '47'],
  ['4707 10', '2028-01-01', 'depends', '47'],
  ['1802 00 00', AFTER, 'depends', '1802', 'goods'],
  ['1801', AFTER, 'yes', '1801'],
  ['1801 00 00 00', AFTER, 'yes', '1801'],
  ['0901 21', BINDING, 'yes', '0901'],
  ['9401 10 00', AFTER, 'no'],
  ['9401 20 00', AFTER, 'no'],
  ['9401 61 00', AFTER, 'depends', '9401 61 00'],
  ['9401', BEFORE, 'depends', '9401', 'law'],
  ['9401', AFTER, 'depends', null, 'digits'],
  ['9403 60', BINDING, 'depends', '9403 60'],
  ['4401 31 00', '2026-09-24', 'depends', '4401', 'goods'],
  ['4421 99', BINDING, 'depends', '4421'],
  ['4012 20 00', BEFORE, 'depends', '4012', 'law'],
  ['4012 20 00', AFTER, 'no'],
  ['4012 90 30', AFTER, 'depends', '4012 90 30', 'goods'],
  ['4012', AFTER, 'depends', null, 'digits'],
  ['4010', BEFORE, 'depends', '4010', 'goods'],
  ['4010', AFTER, 'no'],
  ['4016 99', BEFORE, 'depends', '4016'],
  ['4016 99', AFTER, 'no'],
  ['4001 22', BINDING, 'depends', '4001', 'goods'],
  ['0102 21', BEFORE, 'depends', '0102 21', 'law'],
  ['0102', BEFORE, 'depends', null, 'digits'],
  ['0102 21', AFTER, 'depends', '0102', 'goods'],
  ['0102', AFTER, 'depends', '0102', 'goods'],
  ['0206 21 00', '2027-12-29', 'no'],
  ['0206 21 00', '2027-12-30', 'depends', '0206 21 00'],
  ['1513 21 10', BINDING, 'depends', '1513 21'],
  ['1513', BINDING, 'depends', null, 'digits'],
  ['8471 30', BINDING, 'no'],
  ['8471 30', '2024-01-01', 'no'],
  ['0901', '2023-06-28', 'no'],
];

/** What is said of an undertaking, and what it owes: duty, and the first day it binds (null: it depends). */
const DUTIES: readonly (readonly [
  question: Partial<Omit<ScopeQuestion, 'country'>> & { readonly in?: string },
  duty: DutyKind,
  from: string | null,
])[] = [
  [{ role: 'operator', size: 'large', in: 'BR' }, 'full_statement', '2026-12-30'],
  [{ role: 'operator', size: 'medium', in: 'MM' }, 'full_statement', '2026-12-30'],
  [{ role: 'operator', size: 'large', in: 'GH' }, 'simplified_due_diligence', '2026-12-30'],
  [{ role: 'operator', size: 'large', in: 'TW' }, 'full_statement', '2026-12-30'],
  [{ role: 'operator', size: 'large' }, 'unknown', '2026-12-30'],
  [{ role: 'operator', size: 'micro', in: 'BR', established: '2024-12-31' }, 'full_statement', '2027-06-30'],
  [{ role: 'operator', size: 'micro', in: 'BR', established: '2025-01-01' }, 'full_statement', '2026-12-30'],
  [{ role: 'operator', size: 'small', in: 'BR' }, 'full_statement', null],
  [{ role: 'operator', in: 'BR' }, 'full_statement', null],
  [{ role: 'operator', in: 'BR', established: '2026-02-01' }, 'full_statement', '2026-12-30'],
  [{ role: 'authorised_representative', size: 'large', in: 'CI' }, 'full_statement', '2026-12-30'],
  [{ role: 'authorised_representative', size: 'large', in: 'FR' }, 'simplified_due_diligence', '2026-12-30'],
  [
    { role: 'primary_operator', size: 'micro', in: 'DE', established: '2010-05-01' },
    'simplified_declaration',
    '2027-06-30',
  ],
  [
    { role: 'primary_operator', size: 'natural_person', in: 'VN', established: '2010-05-01' },
    'simplified_declaration',
    '2027-06-30',
  ],
  [{ role: 'primary_operator', size: 'micro', in: 'BR', established: '2010-05-01' }, 'full_statement', '2027-06-30'],
  [{ role: 'primary_operator', size: 'small', in: 'XK', established: '2010-05-01' }, 'full_statement', '2027-06-30'],
  [{ role: 'primary_operator', size: 'medium', in: 'DE' }, 'simplified_due_diligence', '2026-12-30'],
  [{ role: 'primary_operator', size: 'micro', established: '2010-05-01' }, 'unknown', '2027-06-30'],
  [{ role: 'primary_operator', in: 'DE' }, 'unknown', null],
  [{ role: 'downstream_operator', size: 'large', in: 'BR' }, 'none', '2026-12-30'],
  [{ role: 'first_downstream_operator', size: 'small', in: 'BR', established: '2001-01-01' }, 'none', '2027-06-30'],
  [{ role: 'trader', size: 'medium', in: 'MM' }, 'none', '2026-12-30'],
  [{ role: 'first_trader', size: 'large', in: 'MM' }, 'none', '2026-12-30'],
  [
    { cn: '4403', role: 'operator', size: 'micro', in: 'BR', established: '2001-01-01', timberRegulation: true },
    'full_statement',
    '2026-12-30',
  ],
  [
    { cn: '4403', role: 'operator', size: 'micro', in: 'BR', established: '2001-01-01', timberRegulation: false },
    'full_statement',
    '2027-06-30',
  ],
  [{ cn: '4403', role: 'operator', size: 'micro', in: 'BR', established: '2001-01-01' }, 'full_statement', null],
  [{ cn: '4403', role: 'operator', size: 'large', in: 'BR' }, 'full_statement', '2026-12-30'],
  // What is no wood cannot be in the annex of the old Timber Regulation.
  [
    { role: 'operator', size: 'micro', in: 'BR', established: '2001-01-01', timberRegulation: true },
    'full_statement',
    '2027-06-30',
  ],
];

const TIER_CASES = [
  ['MM', 'high', 'high'],
  ['BY', 'high', 'high'],
  ['KP', 'high', 'high'],
  ['RU', 'high', 'high'],
  ['BR', 'standard', 'standard'],
  ['ID', 'standard', 'standard'],
  ['CI', 'standard', 'standard'],
  ['UG', 'standard', 'standard'],
  ['CD', 'standard', 'standard'],
  ['CG', 'low', 'low'],
  ['DE', 'low', 'low'],
  ['GH', 'low', 'low'],
  ['VN', 'low', 'low'],
  ['SB', 'low', 'low'],
  ['IR', 'low', 'low'],
  ['PS', 'low', 'low'],
  ['GF', 'not_determined', 'standard'],
  ['RE', 'not_determined', 'standard'],
  ['HK', 'not_determined', 'standard'],
  ['TW', 'not_determined', 'standard'],
  ['XK', 'not_determined', 'standard'],
] as const;

function question(more: Partial<ScopeQuestion> = {}): ScopeQuestion {
  return {
    cn: '1801',
    date: BINDING,
    country: null,
    role: null,
    size: null,
    established: null,
    timberRegulation: null,
    produced: null,
    ...more,
  };
}

const digitsOf = (code: string): string => code.replaceAll(' ', '');

describe('the codes of Annex I', () => {
  for (const [cn, date, inScope, matched = null, by] of CODES)
    it(`${cn} on ${date} is ${inScope}`, () => {
      const answer = answerScope(question({ cn: digitsOf(cn), date }));
      assert.equal(answer.in_scope, inScope);
      assert.equal(answer.matched?.code ?? null, matched);
      assert.equal(answer.decides === null, inScope === 'yes' || inScope === 'no');
      if (by !== undefined) assert.equal(answer.decides?.by, by);
      assert.equal(answer.as_of.date, date);
    });

  it('are 77, 76, 75 and 93 by period, up to the last day of each', () => {
    const counts = ANNEX_PERIODS.map(({ from, to }) => [annexOn(from).length, annexOn(to ?? '2099-12-31').length]);
    assert.deepEqual(counts, [
      [77, 77],
      [76, 76],
      [75, 75],
      [93, 93],
    ]);
  });

  it('are as many by commodity as the annex prints', () => {
    const counts = (date: string) =>
      Object.keys(COMMODITY_NAMES).map((name) => annexOn(date).filter(({ commodity }) => commodity === name).length);
    // Cattle, cocoa, coffee, oil palm, rubber, soya, wood.
    assert.deepEqual(counts('2023-06-29'), [11, 6, 1, 12, 12, 4, 31]);
    assert.deepEqual(counts(AFTER), [7, 6, 1, 12, 10, 4, 35]);
    assert.deepEqual(counts('2027-12-30'), [8, 6, 2, 28, 10, 4, 35]);
  });

  it('answer themselves on every day of their validity, and on no day after it', () => {
    for (const row of ANNEX) {
      for (const date of [row.validFrom, row.validTo ?? '2099-12-31']) {
        const found = findCode(digitsOf(row.code), date);
        assert.equal(found.row, row, `${row.code} on ${date}`);
        assert.ok(['yes', 'depends'].includes(found.inScope), row.code);
        if (row.ex !== false) assert.equal(found.inScope, 'depends', row.code);
      }
      if (row.validTo === null) continue;
      assert.notEqual(findCode(digitsOf(row.code), nextDay(row.validTo)).row, row);
    }
  });

  it('do not overlap on any day, so that one alone is the longest', () => {
    for (const { from } of ANNEX_PERIODS) {
      const digits = annexOn(from).map((row) => row.digits);
      assert.equal(new Set(digits).size, digits.length);
      for (const one of digits)
        assert.deepEqual(
          digits.filter((other) => other !== one && other.startsWith(one)),
          [],
        );
    }
  });

  it('change only on the days on which the annex does', () => {
    const code = fc.oneof(
      fc.constantFrom(...ANNEX.map(({ code }) => digitsOf(code))),
      fc.integer({ min: 1, max: 97 }).map((chapter) => String(chapter).padStart(2, '0')),
      fc
        .tuple(fc.constantFrom(...ANNEX.map(({ digits }) => digits.slice(0, 4))), fc.integer({ min: 0, max: 9999 }))
        .map(([heading, rest]) => `${heading}${String(rest).padStart(4, '0')}`),
    );
    const day = fc
      .date({ min: new Date('2023-01-01'), max: new Date('2030-12-31'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
    fc.assert(
      fc.property(code, day, day, (cn, a, b) => {
        const [first, last] = a < b ? [a, b] : [b, a];
        const history = codeHistory(cn);
        const at = history.findLast(({ from }) => from === null || from <= last)!;
        // The span that holds a day says what the day says, and spans follow each other without a gap.
        assert.equal(at.inScope, findCode(cn, last).inScope);
        history.slice(1).forEach(({ from }, i) => assert.equal(nextDay(history[i]!.to!), from));
        assert.equal(history.at(-1)!.to, null);
        if (!ANNEX_PERIODS.some(({ from }) => first < from && from <= last))
          assert.deepEqual(findCode(cn, first), findCode(cn, last));
      }),
      { numRuns: 500 },
    );
  });

  it('belong with all their longer codes to the same answer', () => {
    const row = fc.constantFrom(...ANNEX);
    const tail = fc.constantFrom('', '10', '90', '1090');
    fc.assert(
      fc.property(row, tail, ({ digits, validFrom, ...rest }, more) => {
        const found = findCode(digits + more, validFrom);
        assert.equal(found.row?.code, rest.code);
      }),
    );
  });

  it('are read without pairs of zeros beyond the heading', () => {
    const cases = [
      ['12019000', '120190'],
      ['1520', '1520'],
      ['15200000', '1520'],
      ['40129030', '40129030'],
      ['4000', '4000'],
      ['0901110000', '090111'],
      ['47', '47'],
    ] as const;
    for (const [digits, significant] of cases) assert.equal(significantDigits(digits), significant);
  });

  it('name the listed codes near one that is not listed', () => {
    const near = (cn: string) => answerScope(question({ cn })).nearby.map(({ code }) => code);
    assert.deepEqual(near('40122000'), ['4012 90 30']);
    assert.deepEqual(near('090210'), ['0901']);
    assert.deepEqual(near('847130'), []);
  });

  it('are missing with less confidence near a listed code', () => {
    assert.equal(answerScope(question({ cn: '40122000' })).confidence, 'medium');
    assert.equal(answerScope(question({ cn: '847130' })).confidence, 'high');
  });

  it('say since when and until when', () => {
    const days = (cn: string, date: string) => {
      const { since, until } = answerScope(question({ cn, date }));
      return [since, until];
    };
    assert.deepEqual(days('4101', BEFORE), ['2023-06-29', BEFORE]);
    assert.deepEqual(days('4101', AFTER), [AFTER, null]);
    assert.deepEqual(days('0901', BINDING), ['2023-06-29', null]);
    assert.deepEqual(days('21011100', BINDING), [null, '2027-12-29']);
    assert.deepEqual(days('21011100', '2028-01-01'), ['2027-12-30', null]);
    assert.deepEqual(days('1520', BINDING), [AFTER, '2027-12-29']);
    assert.deepEqual(days('847130', BINDING), [null, null]);
  });
});

describe('country tiers', () => {
  for (const [code, tier, treatedAs] of TIER_CASES)
    it(`${code} is ${tier}`, () => {
      const answer = answerScope(question({ country: { code, name: code } }));
      assert.equal(answer.country?.tier, tier);
      assert.equal(answer.country?.treated_as, treatedAs);
      if (tier === 'not_determined') {
        assert.equal(answer.confidence, 'low');
        assert.notDeepEqual(answer.uncertain, []);
      }
    });

  it('are 140 low, 50 standard and 4 high, each once', () => {
    const counts = TIERS.map((tier) => [...TIER_OF.values()].filter((one) => one === tier).length);
    assert.deepEqual(counts, [140, 50, 4]);
    assert.equal(TIER_OF.size, 194);
  });

  it('are unknown before the list was in force', () => {
    assert.equal(countryTier('BR', '2025-05-25').tier, 'unknown');
    assert.equal(countryTier('BR', '2025-05-25').treatedAs, null);
    assert.equal(countryTier('BR', '2025-05-26').tier, 'standard');
  });
});

describe('duties', () => {
  for (const [{ in: country, ...words }, duty, from] of DUTIES)
    it(`${JSON.stringify({ ...words, country })} owes ${duty} from ${from}`, () => {
      const asked = question({ ...words, country: country === undefined ? null : { code: country, name: country } });
      const answer = answerScope(asked);
      assert.equal(answer.duty?.duty, duty);
      assert.equal(answer.obligations?.from, from);
      if (from === null)
        assert.deepEqual(
          answer.obligations?.options.map((option) => option.from),
          [BINDING, '2027-06-30'],
        );
    });

  it('bind or not by the day', () => {
    const binding = (date: string, more: Partial<ScopeQuestion>) =>
      answerScope(question({ date, ...more })).obligations?.binding;
    assert.equal(binding('2026-12-29', { size: 'large' }), false);
    assert.equal(binding('2026-12-30', { size: 'large' }), true);
    assert.equal(binding('2026-12-29', {}), false);
    assert.equal(binding('2026-12-30', {}), null);
    assert.equal(binding('2027-06-30', {}), true);
  });

  it('of those above SMEs downstream include registration; only the first one keeps the numbers', () => {
    const duty = (role: Role, size: Size) => answerScope(question({ role, size })).duty!;
    const isRegistered = (role: Role, size: Size) => duty(role, size).also.some((text) => text.startsWith('registers'));
    const keepsNumbers = (role: Role) => duty(role, 'large').keeps.some((text) => text.includes('reference numbers'));
    for (const role of ['downstream_operator', 'first_downstream_operator', 'trader', 'first_trader'] as const) {
      assert.equal(isRegistered(role, 'large'), true);
      for (const size of ['natural_person', 'micro', 'small', 'medium'] as const)
        assert.equal(isRegistered(role, size), false);
      assert.equal(keepsNumbers(role), role.startsWith('first_'));
      assert.ok(duty(role, 'large').articles.includes('Art 5'));
    }
  });

  it('name their articles', () => {
    const articles = (more: Partial<ScopeQuestion>) => answerScope(question(more)).articles;
    const low = { code: 'DE', name: 'Germany' };
    assert.ok(articles({ role: 'operator', size: 'large', country: low }).includes('Art 13'));
    assert.ok(articles({ role: 'primary_operator', size: 'micro', country: low }).includes('Art 4a'));
    assert.ok(
      !articles({ role: 'operator', size: 'large', country: { code: 'BR', name: 'Brazil' } }).includes('Art 13'),
    );
  });

  it('are nothing for what is not in scope', () => {
    const answer = answerScope(question({ cn: '8471', role: 'operator', size: 'large' }));
    assert.equal(answer.duty?.duty, 'none');
    assert.equal(answer.obligations, null);
    assert.deepEqual(answer.exclusions, []);
  });

  it('of a primary operator are unknown while no list of countries was in force, and roles have a first day', () => {
    const country = { code: 'DE', name: 'Germany' };
    const answer = answerScope(question({ date: '2025-01-01', country, role: 'primary_operator', size: 'micro' }));
    assert.equal(answer.duty?.duty, 'unknown');
    assert.ok(answer.notes.some((note) => note.includes('2025-12-26')));
  });

  it('never become lighter because something was not said', () => {
    const weight: Readonly<Record<DutyKind, number>> = {
      none: 0,
      simplified_declaration: 1,
      simplified_due_diligence: 2,
      full_statement: 3,
      unknown: 4,
    };
    const some = fc.record({
      role: fc.constantFrom(...(Object.keys(ROLES) as Role[])),
      size: fc.constantFrom(...SIZES),
      code: fc.constantFrom(...TIER_OF.keys(), 'TW', 'GF'),
    });
    fc.assert(
      fc.property(some, fc.boolean(), fc.boolean(), ({ role, size, code }, hidesSize, hidesCountry) => {
        const country = { code, name: code };
        const full = answerScope(question({ role, size, country })).duty!.duty;
        const less = answerScope(
          question({ role, size: hidesSize ? null : size, country: hidesCountry ? null : country }),
        ).duty!.duty;
        assert.ok(weight[less] >= weight[full], `${full} became ${less}`);
      }),
    );
  });
});

describe('the day of production', () => {
  const scope = (more: Partial<ScopeQuestion>) => answerScope(question(more));

  it('before the regulation puts a product outside', () => {
    assert.equal(scope({ produced: '2023-06-28' }).in_scope, 'no');
    assert.equal(scope({ produced: '2023-06-29' }).in_scope, 'yes');
    assert.equal(scope({ cn: '0102', produced: '2023-06-28' }).in_scope, 'no');
    assert.ok(scope({ produced: '2023-06-28' }).articles.includes('Art 1(2)'));
  });

  it('leaves old wood to the old Timber Regulation until 2029-12-31, and what follows is unknown', () => {
    const old = scope({ cn: '4403', produced: '2022-01-01', date: '2029-12-31' });
    assert.equal(old.in_scope, 'no');
    assert.match(old.sentence, /995\/2010/);
    assert.equal(scope({ cn: '4403', produced: '2022-01-01', date: '2030-01-01' }).in_scope, 'unknown');
    assert.equal(scope({ cn: '4403', produced: '2023-06-29' }).in_scope, 'depends');
  });
});

function nextDay(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}
