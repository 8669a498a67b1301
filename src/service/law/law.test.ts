import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { anyCharacter } from '../../../test/any-character.ts';
import { testServer } from '../../../test/memory/test-server.ts';
import { Problem } from '../../errors.ts';
import { ANNEX } from '../../law/annex.ts';
import { law } from './law.ts';
import { readScope, type ScopeWords } from './read-scope.ts';

const TODAY = '2026-11-23';
const NOW = Date.parse(`${TODAY}T23:59:59Z`);

describe('a question about scope', () => {
  it('is read in the spellings people use', () => {
    const spellings = ['4101', ' 4101 ', 'ex 4101', 'EX4101', '41 01', '41.01', 'CN 4101', 'HS: 4101', '41-01'];
    for (const cn of spellings) assert.equal(readScope({ cn }, TODAY).cn, '4101', cn);
    for (const country of ['BR', 'bra', 'Brazil', 'Brasil', 'brésil'])
      assert.deepEqual(readScope({ cn: '1801', country }, TODAY).country, { code: 'BR', name: 'Brazil' }, country);
    const roles = {
      MSPO: 'primary_operator',
      'First-Trader': 'first_trader',
      REPRESENTATIVE_OPERATOR: 'authorised_representative',
    };
    for (const [role, read] of Object.entries(roles)) assert.equal(readScope({ cn: '1801', role }, TODAY).role, read);
    assert.equal(readScope({ cn: '1801', size: 'Natural person' }, TODAY).size, 'natural_person');
    assert.equal(readScope({ cn: '1801', date: '' }, TODAY).date, TODAY);
  });

  const faults: readonly (readonly [ScopeWords, RegExp])[] = [
    [{}, /cn is missing/],
    [{ cn: '901' }, /3 digits.*did you mean 0901/],
    [{ cn: '1234567' }, /7 digits/],
    [{ cn: 'cocoa' }, /digits of the Combined Nomenclature/],
    [{ cn: '1801', country: 'Ghanna' }, /Did you mean Ghana \(GH\)/],
    [{ cn: '1801', country: 'QQ' }, /country: wanted an ISO 3166-1 code/],
    [{ cn: '1801', role: 'operater' }, /Did you mean operator/],
    [{ cn: '1801', size: 'huge' }, /natural_person, micro, small, medium or large/],
    [{ cn: '1801', date: '2026-02-30' }, /date: wanted a day of the calendar/],
    [{ cn: '1801', established: '2019' }, /established: wanted a day/],
    [{ cn: '1801', produced: '2027-01-01' }, /produced: wanted a day not after 2026-11-23/],
  ];
  for (const [words, message] of faults)
    it(`is refused with what is near: ${JSON.stringify(words)}`, () => {
      assert.throws(
        () => readScope(words, TODAY),
        (error) => error instanceof Problem && message.test(error.message),
      );
    });

  it('lists everything wrong with it at once', () => {
    const wrong = { cn: 'x', country: 'x9', role: 'x', size: 'x', date: 'x', established: 'x', produced: 'x' };
    assert.throws(
      () => readScope(wrong, TODAY),
      (error) => error instanceof Problem && error.errors.length === 7,
    );
  });

  it('never fails otherwise than by a Problem', () => {
    const word = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 60 }), fc.constant(undefined));
    const words = fc.record({ cn: word, country: word, date: word, role: word, size: word, produced: word });
    fc.assert(
      fc.property(words, (some) => {
        try {
          law.scope(some, TODAY);
        } catch (error) {
          assert.ok(error instanceof Problem, String(error));
        }
      }),
    );
  });
});

describe('GET /eudr/scope, /eudr/annex and /eudr/countries', () => {
  it('answer without a token, for today unless a day is given', async () => {
    await using server = testServer({ clock: () => NOW });
    const scope = await server.app.inject('/eudr/scope?cn=1801&country=Ghana&role=operator&size=large');
    assert.equal(scope.statusCode, 200);
    const { as_of: asOf, in_scope: inScope, duty, country } = scope.json();
    assert.deepEqual([asOf.date, inScope, duty.duty, country.tier], [TODAY, 'yes', 'simplified_due_diligence', 'low']);
    const wood = await server.app.inject(
      '/eudr/scope?cn=ex%204403&size=micro&established=2020-01-01&timber_regulation=yes&date=2027-01-01',
    );
    assert.equal(wood.json().obligations.from, '2026-12-30');
    const annex = await server.app.inject('/eudr/annex');
    assert.deepEqual([annex.json().count, annex.json().period.period], [75, 'C']);
    assert.equal((await server.app.inject('/eudr/annex?date=2027-12-30')).json().count, 93);
    assert.deepEqual((await server.app.inject('/eudr/annex?date=2020-01-01')).json().codes, []);
    const countries = (await server.app.inject('/eudr/countries')).json();
    assert.deepEqual(countries.counts, { low: 140, standard: 50, high: 4 });
    assert.equal(countries.countries.length, 194);
  });

  it('refuse what they do not understand with 422 and a pointer', async () => {
    await using server = testServer({ clock: () => NOW });
    for (const [url, pointer] of [
      ['/eudr/scope', '/query/cn'],
      ['/eudr/scope?cn=901', '/query/cn'],
      ['/eudr/scope?cn=1801&contry=BR', '/query/contry'],
      ['/eudr/scope?cn=1801&role=boss', '/query/role'],
      ['/eudr/annex?date=tomorrow', '/query/date'],
      ['/eudr/countries?tier=low', '/query/tier'],
    ] as const) {
      const answer = await server.app.inject(url);
      assert.equal(answer.statusCode, 422, url);
      assert.equal(answer.json().errors[0].pointer, pointer);
    }
  });

  it('answer what their schema says for every code of the tables', async () => {
    await using server = testServer({ clock: () => NOW });
    await server.app.ready();
    const { paths } = server.app.swagger() as unknown as {
      paths: Record<
        string,
        {
          get: {
            responses: Record<
              string,
              { content: Record<string, { schema: { properties: object; required: string[] } }> }
            >;
          };
        }
      >;
    };
    const { schema } = paths['/eudr/scope']!.get.responses['200']!.content['application/json']!;
    for (const { code } of ANNEX) {
      const answer = law.scope({ cn: code, country: 'BR', role: 'operator', size: 'small' }, TODAY);
      assert.deepEqual(Object.keys(answer).toSorted(), Object.keys(schema.properties).toSorted());
    }
  });
});
