import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { extractText, getDocumentProxy } from 'unpdf';
import { COLLECTION, exportFiles, PERIOD, plotRecord, square } from '../../../test/due-diligence-export.ts';
import { noChoices, type FilingChoices } from './filing-choices.ts';
import { headingProposals } from './law-of-export.ts';

const json = <T>(bytes: Buffer | undefined): T => JSON.parse(bytes!.toString()) as T;
const plot = (number: number, country: string, commodity = 'cocoa') =>
  plotRecord(number, square(number + 1), {
    commodity_type: commodity,
    eudr: { ProducerName: 'Ama', ProducerCountry: country },
  });
const files = (records: Parameters<typeof exportFiles>[0], more: Partial<FilingChoices> = {}) =>
  exportFiles(records, COLLECTION, { period: { ...PERIOD, filing: { ...noChoices('2026-11-23'), ...more } } });

interface Law {
  readonly day: string | null;
  readonly annex: { readonly from: string; readonly act: string };
  readonly countries: readonly { readonly country: string; readonly tier: string; readonly plots: number }[];
  readonly due_diligence: string;
  readonly conditions: readonly string[];
  readonly codes: readonly { readonly cn: string; readonly in_scope: string; readonly used: boolean }[];
  readonly obligations: readonly { readonly commodity: string; readonly from: string | null }[];
}
const lawOf = (all: Readonly<Record<string, Buffer>>) => json<{ law: Law }>(all['checks.json']).law;

describe('the law in an export', () => {
  it('proposes the headings of the day', () => {
    const on = (day: string, commodity: string) => headingProposals(commodity, noChoices(day));
    assert.deepEqual([on('2026-09-17', 'soy').first, on('2026-09-18', 'soy').first], [['1201'], ['120190']]);
    assert.ok(on('2026-09-17', 'cattle').others.includes('4101'));
    assert.ok(!on('2026-09-18', 'cattle').others.includes('4101'));
    assert.ok(!on('2026-11-23', 'timber').others.includes('49'));
    assert.ok(on('2026-11-23', 'rubber').others.includes('401290'));
    assert.deepEqual(on('2027-12-29', 'coffee').others, []);
    assert.deepEqual(on('2027-12-30', 'coffee').others, ['210111']);
    assert.match(String(on('2026-11-23', 'cocoa').source), /2026\/2102.*from 2026-09-18 to 2027-12-29/);
    assert.deepEqual(on('2026-11-23', 'banana').codes, []);
  });

  it('shows the tier of each country next to the verdict, never in it', async () => {
    const all = await files([plot(0, 'GH'), plot(1, 'BR'), plot(2, 'BR'), plot(3, 'MM')]);
    const law = lawOf(all);
    assert.deepEqual(
      law.countries.map(({ country, tier, plots }) => [country, tier, plots]),
      [
        ['BR', 'standard', 2],
        ['GH', 'low', 1],
        ['MM', 'high', 1],
      ],
    );
    assert.equal(law.due_diligence, 'full');
    const [head, ...rows] = all['plots.csv']!.toString().trim().split('\r\n');
    const column = (name: string) => rows.map((row) => row.split(',')[head!.split(',').indexOf(name)]);
    assert.deepEqual(column('country_tier'), ['low', 'standard', 'standard', 'high']);
    // Nothing was measured, and no tier stands for it.
    assert.deepEqual(new Set(column('eudr_status')), new Set(['']));
    const { text } = await extractText(await getDocumentProxy(new Uint8Array(all['audit.pdf']!)));
    const audit = text.join(' ').replaceAll(/\s+/g, ' ');
    assert.match(audit, /Law Annex I of Delegated Regulation \(EU\) 2026\/2102, from 2026-09-18 to 2027-12-29/);
    assert.match(audit, /BR: standard \(2 plots\); GH: low \(1 plot\); MM: high \(1 plot\)/);
    assert.match(
      text.join(' ').replaceAll(/\s+/g, ' '),
      /Country tier high \(EU list of countries; no part of the verdict\)/,
    );
  });

  it('allows simplified due diligence only where every plot lies in a low-risk country', async () => {
    const low = lawOf(await files([plot(0, 'GH'), plot(1, 'VN')]));
    assert.equal(low.due_diligence, 'simplified');
    assert.equal(low.conditions.length, 3);
    assert.equal(lawOf(await files([plot(0, 'GH'), plot(1, 'TW')])).due_diligence, 'full');
    const unknown = plotRecord(1, square(2), { country: null, eudr: {} });
    assert.equal(lawOf(await files([plot(0, 'GH'), unknown])).due_diligence, 'unknown');
    assert.equal(lawOf(await files([])).due_diligence, 'unknown');
  });

  it('fills in what was given and nothing else', async () => {
    interface Draft {
      readonly kind: string;
      readonly operatorRole: string | null;
      readonly missing: readonly { readonly field: string }[];
      readonly statement: {
        readonly activityType: string | null;
        readonly commodities: readonly { readonly hsHeading: string | null }[];
      };
    }
    const drafts = async (more: Partial<FilingChoices>) =>
      json<Draft>((await files([plot(0, 'GH'), plot(1, 'GH', 'coffee')], more))['dds.json']);
    const open = await drafts({});
    assert.deepEqual([open.kind, open.operatorRole, open.statement.activityType], ['dds', null, null]);
    assert.deepEqual(
      open.statement.commodities.map(({ hsHeading }) => hsHeading),
      [null, null],
    );
    const said = await drafts({
      codes: [
        { commodity: 'coffee', digits: '09012100' },
        { commodity: 'soy', digits: '1507' },
      ],
      role: 'authorised_representative',
      activity: 'DOMESTIC',
    });
    assert.deepEqual([said.operatorRole, said.statement.activityType], ['REPRESENTATIVE_OPERATOR', 'DOMESTIC']);
    assert.deepEqual(
      said.statement.commodities.map(({ hsHeading }) => hsHeading),
      [null, '090121'],
    );
    const fields = said.missing.map(({ field }) => field);
    assert.ok(fields.includes('statement.commodities[0].hsHeading'));
    assert.ok(fields.includes('statement.representedOperator'));
    for (const field of ['operatorRole', 'statement.activityType', 'statement.borderCrossCountry'])
      assert.ok(!fields.includes(field), field);
  });

  it('says whether a given code is listed, of use, and from when obligations bind', async () => {
    const law = lawOf(
      await files([plot(0, 'GH'), plot(1, 'GH', 'timber')], {
        codes: [
          { commodity: 'timber', digits: '4403' },
          { commodity: 'soy', digits: '1507' },
        ],
        size: 'micro',
        established: '2020-01-01',
        day: '2026-12-30',
        isDayGiven: true,
      }),
    );
    assert.equal(law.day, '2026-12-30');
    assert.deepEqual(
      law.codes.map(({ cn, in_scope: inScope, used }) => [cn, inScope, used]),
      [
        ['4403', 'depends', true],
        ['1507', 'yes', false],
      ],
    );
    assert.deepEqual(
      law.obligations.map(({ commodity, from }) => [commodity, from]),
      [
        ['cocoa', '2027-06-30'],
        ['timber', null],
      ],
    );
  });

  it('is the same on every day between two changes', async () => {
    const records = [plot(0, 'GH')];
    const [first, last] = [await files(records), await files(records, { day: '2027-12-29' })];
    assert.deepEqual(first, last);
    assert.notDeepEqual(first['dds.json'], (await files(records, { day: '2026-09-17' }))['dds.json']);
  });

  it('lists the 16 official errors, the last for a plot that is too large', async () => {
    const all = await files([plot(0, 'GH')]);
    const checks = json<{ rules: string; official_errors: { number: number; title: string }[] }>(all['checks.json']);
    assert.deepEqual(
      checks.official_errors.map(({ number }) => number),
      Array.from({ length: 16 }, (_, i) => i + 1),
    );
    assert.match(checks.rules, /17 August 2026.*release 8\.2\.1/);
  });
});
