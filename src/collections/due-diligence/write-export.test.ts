import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { extractText, getDocumentProxy } from 'unpdf';
import {
  COLLECTION,
  exportBytes,
  exportFiles,
  exportParts,
  gather,
  PERIOD,
  plotRecord,
  unzipped,
  LINE,
  square,
  STATISTICS,
} from '../../../test/due-diligence-export.ts';
import { measured } from '../../../test/memory/collections.ts';
import { deforestationView } from '../fetch/deforestation-view.ts';
import type { Losses, PlotRecord } from '../plot-record.ts';
import type { ExportSource } from './export-types.ts';
import { collectionText, createPart } from './export-part.ts';
import type { FittedPlot } from './fit-plot.ts';
import { STATEMENT_LIMITS } from './official-errors.ts';
import { readPlot } from './plot-facts.ts';
import { writeExport } from './write-export.ts';

interface Statement {
  readonly submitted: boolean;
  readonly missing: readonly { readonly field: string }[];
  readonly proposals: readonly { readonly first: readonly string[] }[];
  readonly statement: {
    readonly internalReferenceNumber: string;
    readonly geoLocationConfidential: null;
    readonly commodities: readonly {
      readonly hsHeading: null;
      readonly speciesInfo: readonly { readonly scientificName: string }[];
      readonly producers: readonly {
        readonly name: string;
        readonly country: string;
        readonly geometryGeojson: string;
      }[];
    }[];
  };
}

const producer = (name: string, more: Readonly<Record<string, unknown>> = {}) => ({
  eudr: { ProducerName: name, ProducerCountry: 'GH', ProductionPlace: 'Kumasi', Area: 2 },
  ...more,
});
const json = <T>(bytes: Buffer | undefined): T => JSON.parse(bytes!.toString()) as T;
const statementOf = (bytes: Buffer | undefined) => json<Statement>(bytes);
const features = (files: Readonly<Record<string, Buffer>>, name = 'cafe-sao-joao-3f2a1b9c.geojson') =>
  json<{ features: { geometry: unknown; properties: Record<string, unknown> }[] }>(files[name]).features;

/** A plot that is fit, of a producer. */
function fitted(name: string): FittedPlot {
  const record = plotRecord(0, square(1), producer(name));
  return {
    record,
    facts: readPlot(record, COLLECTION),
    members: [square(1) as unknown as FittedPlot['members'][number]],
    areaHa: 1,
    exportedHa: 1,
    pointAreaHa: null,
    findings: [],
    deforestation: null,
    tier: null,
    place: null,
    verdict: null,
    convergence: null,
  };
}

describe('the due diligence export', () => {
  it('accounts for every location and keeps its id, whatever it is', async () => {
    const ids = ['a', 7, 0, 'ä'];
    const records = ids.map((id, i) => {
      const record = plotRecord(i, i === 1 ? LINE : square(i));
      return { ...record, feature: { ...record.feature, id } };
    });
    const mill = plotRecord(4, { type: 'Point', coordinates: [1, 1] }, {}, { locationType: 'facility' });
    const files = await exportFiles([...records, mill]);
    assert.deepEqual(
      features(files).map(({ properties }) => properties['firstmile_id']),
      ['a', 0, 'ä'],
    );
    const { counts, plots } = json<{ counts: Record<string, number>; plots: { id: unknown; in_geojson: boolean }[] }>(
      files['checks.json'],
    );
    assert.deepEqual(
      [counts['locations'], counts['plots_in_geojson'], counts['plots_left_out'], counts['facilities']],
      [5, 3, 1, 1],
    );
    assert.deepEqual(
      plots.filter((plot) => !plot.in_geojson).map(({ id }) => id),
      [7, 'plot-4'],
    );
    assert.equal(files['plots.csv']!.toString().trim().split('\r\n').length, 6);
  });

  it('has as findings what was assumed when the file was read, of outlines nothing of their stated areas', async () => {
    const codes = [
      'crs_assumed',
      'crs_unverified',
      'hemisphere_guessed',
      'outline_closed',
      'number_ambiguous',
    ] as const;
    const warnings = codes.map((code) => ({ code, params: {}, message: `Row 1: ${code}.`, fix: '', row: 1 }));
    const files = await exportFiles([
      plotRecord(0, square(1), { warnings }),
      plotRecord(1, { type: 'Point', coordinates: [1.5, 6.5] }, { warnings }),
    ]);
    const { plots } = json<{ plots: { in_geojson: boolean; findings: { rule: string; severity: string }[] }[] }>(
      files['checks.json'],
    );
    const assumed = plots.map(({ findings }) =>
      findings.filter(({ rule }) => /-(assumed|closed)$/.test(rule)).map(({ rule, severity }) => `${rule} ${severity}`),
    );
    const places = [...Array<string>(3).fill('position-assumed warning'), 'outline-closed warning'];
    assert.deepEqual(assumed, [places, [...places, 'area-assumed warning']]);
    assert.ok(plots.every((plot) => plot.in_geojson));
  });

  it('counts ground that plots share once, and gives it to the later plot where the earlier one is left out', async () => {
    const measuredPlot = { statistics: STATISTICS, problem: null };
    const on = (...pieces: NonNullable<PlotRecord['earlier']>['pieces']) => ({ earlier: { sameAs: null, pieces } });
    const countsOf = async (records: readonly PlotRecord[]) => {
      const files = await exportFiles(records);
      const { counts } = json<{ counts: Record<string, unknown> }>(files['checks.json']);
      const { text } = await extractText(await getDocumentProxy(new Uint8Array(files['audit.pdf']!)));
      return { counts, cover: text[0]!.replaceAll(/\s+/g, ' ') };
    };
    const numbers = ['area_ha', 'overlap_area_ha', 'noncompliance_area_ha', 'overlaps_counted_once', 'overlaps_reason'];
    const shared = await countsOf([
      plotRecord(0, square(1), {}, { ...measuredPlot, ...on() }),
      plotRecord(1, square(1.005), {}, { ...measuredPlot, ...on([0.5, 0]) }),
    ]);
    assert.deepEqual(
      numbers.map((name) => shared.counts[name]),
      [183, 61, 2.25, true, null],
    );
    assert.equal(shared.counts['plots_with_loss_in_baseline_forest'], 2);
    assert.ok(Number(shared.counts['geojson_area_ha']) > 240, 'the file holds both plots whole');
    assert.match(shared.cover, /183 .*Overlapping plots 61 ha lie in more than one plot and are counted once/);
    assert.doesNotMatch(shared.cover, /counted twice/);
    // A line is in no statement: its loss was measured, its ground is not in the area of those exported.
    const given = await countsOf([
      plotRecord(0, LINE, {}, { ...measuredPlot, ...on() }),
      plotRecord(1, square(1), {}, { ...measuredPlot, ...on([0.5, 0]) }),
    ]);
    assert.deepEqual(
      numbers.slice(0, 3).map((name) => given.counts[name]),
      [122, 0, 2.25],
    );
    const unknown = await countsOf([
      plotRecord(0, square(1), {}, measuredPlot),
      plotRecord(1, square(2), {}, measuredPlot),
    ]);
    assert.deepEqual([unknown.counts['area_ha'], unknown.counts['overlaps_counted_once']], [244, false]);
    assert.match(unknown.cover, /Overlaps not known Ground may be counted twice\. Plots that were not compared/);
  });

  it('writes the properties of the information system in its spelling, an area for points alone', async () => {
    const point = { type: 'Point', coordinates: [1.5, 6.5] };
    const files = await exportFiles([
      plotRecord(0, square(1), producer('Ama')),
      plotRecord(1, point, producer('Ama')),
      plotRecord(2, point),
    ]);
    assert.deepEqual(
      features(files).map(({ properties: { ProducerName, ProducerCountry, ProductionPlace, Area } }) => [
        ProducerName,
        ProducerCountry,
        ProductionPlace,
        Area,
      ]),
      [
        ['Ama', 'GH', 'Kumasi', undefined],
        ['Ama', 'GH', 'Kumasi', 2],
        ['Ama Owusu', 'GH', 'Kumasi', 4],
      ],
    );
  });

  it('takes points over 4 ha for cattle alone', async () => {
    const point = { type: 'Point', coordinates: [1.5, 6.5] };
    const large = { eudr: { ProducerCountry: 'GH', Area: 25 } };
    const files = await exportFiles([
      plotRecord(0, point, { ...large, commodity_type: 'cattle' }),
      plotRecord(1, point, large),
    ]);
    assert.deepEqual(
      features(files).map(({ properties }) => properties['Area']),
      [25],
    );
    assert.match(files['findings.csv']!.toString(), /plot-1,point-area,error,,false,"The point stands for 25 ha/);
  });

  it('drafts a statement by producer, names what is missing and submits nothing', async () => {
    const species = { commodity_type: 'timber', source: { Species: 'Tectona grandis' } };
    const files = await exportFiles([
      plotRecord(0, square(1), producer('Ama')),
      plotRecord(1, square(2), producer('Kofi')),
      plotRecord(2, square(3), producer('Ama')),
      plotRecord(3, square(4), producer('Ama', species)),
    ]);
    const { submitted, missing, proposals, statement } = statementOf(files['dds.json']);
    assert.equal(submitted, false);
    assert.equal(statement.geoLocationConfidential, null);
    assert.ok(statement.internalReferenceNumber.length <= 35);
    const [cocoa, timber] = statement.commodities;
    assert.deepEqual(
      cocoa!.producers.map(({ name, country }) => [name, country]),
      [
        ['Ama', 'GH'],
        ['Kofi', 'GH'],
      ],
    );
    const ofAma = json<{ features: { properties: { firstmile_number: number } }[] }>(
      Buffer.from(cocoa!.producers[0]!.geometryGeojson, 'base64'),
    );
    assert.deepEqual(
      ofAma.features.map(({ properties }) => properties.firstmile_number),
      [0, 2],
    );
    assert.deepEqual(timber!.speciesInfo, [{ scientificName: 'Tectona grandis', commonName: null }]);
    assert.deepEqual([cocoa!.hsHeading, proposals[0]!.first], [null, ['1801']]);
    const fields = missing.map(({ field }) => field);
    for (const field of [
      'operatorRole',
      'statement.activityType',
      'statement.geoLocationConfidential',
      'statement.commodities[1].hsHeading',
    ])
      assert.ok(fields.includes(field), field);
    assert.ok(!fields.includes('statement.commodities[1].speciesInfo'));
  });

  it('gives a commodity of many producers several entries, and begins another statement over 10,000', async () => {
    const records = Array.from({ length: 10_050 }, (_, i) =>
      plotRecord(i, square((i % 300) / 2, Math.floor(i / 300)), producer(`P${i}`)),
    );
    const files = await exportFiles(records, COLLECTION, { period: PERIOD, plotPages: 0 });
    const stem = 'cafe-sao-joao-3f2a1b9c';
    assert.deepEqual(
      [`${stem}.geojson`, `${stem}-part-2.geojson`].map((name) => features(files, name).length),
      [10_000, 50],
    );
    const entries = ['dds.json', 'dds-2.json'].map((name) => statementOf(files[name]).statement.commodities);
    assert.deepEqual(
      entries.map((all) => all.map(({ producers }) => producers.length)),
      [Array.from({ length: 10 }, () => 1_000), [50]],
    );
    const names = entries.flat().flatMap(({ producers }) => producers.map(({ name }) => name));
    assert.equal(new Set(names).size, 10_050);
    assert.equal(files['dds-3.json'], undefined);
  });

  it('takes no more entries of commodities than a statement may hold', () => {
    const limits = { ...STATEMENT_LIMITS, producersPerCommodity: 2, commodities: 2 };
    const part = createPart(limits);
    const taken = ['A', 'B', 'C', 'D', 'E'].map((name) => part.add(fitted(name)));
    assert.deepEqual(taken, [true, true, true, true, false]);
  });

  it('keeps a statement under 25 MB of base64', () => {
    const plot = fitted('Ama');
    const part = createPart({ ...STATEMENT_LIMITS, geodataBytes: 20_000 });
    let plots = 0;
    while (part.add(plot)) plots++;
    const [producer] = part.finish().producers;
    const base64 = Buffer.concat([...collectionText(producer!.features)]).toString('base64');
    assert.ok(base64.length <= 20_000 && base64.length > 19_000, String(base64.length));
    assert.equal(part.finish().plots, plots);
    const tiny = createPart({ ...STATEMENT_LIMITS, geodataBytes: 100 });
    assert.deepEqual([tiny.add(plot), tiny.isEmpty()], [false, true]);
  });

  it('reports loss in baseline forest without leaving the plot out', async () => {
    const files = await exportFiles([plotRecord(0, square(1), {}, { statistics: STATISTICS, problem: null })]);
    assert.equal(features(files).length, 1);
    assert.match(
      files['findings.csv']!.toString(),
      /loss-in-baseline-forest,warning,,false,1\.5 ha of what was forest/,
    );
    const earlier = await exportFiles(
      [plotRecord(0, square(1), {}, { statistics: STATISTICS, problem: null })],
      COLLECTION,
      {
        period: { start: '2020-12-31', end: '2021-12-31' },
      },
    );
    assert.doesNotMatch(earlier['findings.csv']!.toString(), /loss-in-baseline-forest/);
  });

  it('gives the areas and the verdicts of the fetch endpoints', async () => {
    const years = [2001, 2024] as const;
    const none = measured<Losses>({ lossHa: {}, inBaselineHa: {}, years });
    const found = measured<Losses>({ lossHa: { 2022: 2 }, inBaselineHa: { 2022: 1.5 }, years });
    const losses = [[none], [none, found], [found]];
    const records = losses.map((losses, i) =>
      plotRecord(i, square(i), {}, { statistics: { ...STATISTICS, losses }, problem: null }),
    );
    // The maps of the last year are still to come.
    const period = { start: '2020-12-31', end: '2025-06-30' };
    const files = await exportFiles(records, COLLECTION, { period });
    const [head, ...rows] = files['plots.csv']!.toString().trim().split('\r\n');
    const column = (name: string) => rows.map((row) => row.split(',')[head!.split(',').indexOf(name)]);
    const seen = records.map((record) => deforestationView.properties(record, COLLECTION, period));
    for (const name of ['area_ha', 'eudr_status', 'risk_level', 'noncompliance_area_ha'])
      assert.deepEqual(
        column(name),
        seen.map((properties) => String(properties[name])),
        name,
      );
    assert.deepEqual(column('risk_level'), ['low', 'medium', 'high']);
    const { counts } = json<{ counts: Record<string, number> }>(files['checks.json']);
    assert.deepEqual(
      [counts['area_ha'], counts['plots_with_loss_in_baseline_forest'], counts['plots_with_loss_unknown']],
      [366, 1, 1],
    );
    assert.equal(
      counts['geojson_area_ha']?.toFixed(3),
      column('geojson_area_ha')
        .map(Number)
        .reduce((sum, area) => sum + area)
        .toFixed(3),
    );
    const findings = files['findings.csv']!.toString();
    assert.deepEqual(findings.match(/\d,plot-\d,loss-[a-z-]+/g), [
      '2,plot-1,loss-unknown',
      '3,plot-2,loss-in-baseline-forest',
    ]);
  });

  it('has no hectares of loss, and not 0, where nobody knows the loss of any plot', async () => {
    const unknown = { status: 'unknown', reason: 'no dataset covers the plot' } as const;
    const unmeasured = { ...STATISTICS, baseline: unknown, losses: [unknown] };
    const lossOf = async (...statistics: PlotRecord['statistics'][]) => {
      const records = statistics.map((one, i) => plotRecord(i, square(i), {}, { statistics: one, problem: null }));
      const { counts } = json<{ counts: Record<string, number | null> }>(
        (await exportFiles(records, COLLECTION, { period: PERIOD }))['checks.json'],
      );
      return [counts['noncompliance_area_ha'], counts['plots_with_loss_unknown']];
    };
    assert.deepEqual(await lossOf(null, unmeasured), [null, 2]);
    assert.deepEqual(await lossOf(null, STATISTICS), [1.5, 1]);
    const none = measured<Losses>({ lossHa: {}, inBaselineHa: {}, years: [2001, 2024] });
    assert.deepEqual(await lossOf({ ...STATISTICS, losses: [none] }), [0, 0]);
  });

  it('says no area of a plot without a place', async () => {
    const statedOf = async (geometry: unknown) => {
      const files = await exportFiles([
        plotRecord(0, geometry, { geometry_source: 'geocoded', geocode_precision: 'locality' }),
      ]);
      const [head, row] = files['plots.csv']!.toString().split('\r\n');
      return row!.split(',')[head!.split(',').indexOf('area_ha')];
    };
    assert.equal(await statedOf({ type: 'Point', coordinates: [1, 6] }), '');
  });

  it('passes on that a plot lies elsewhere than stated, and leaves out a country that is no code', async () => {
    const warnings = [
      { code: 'coordinates_swapped', message: 'Longitude and latitude are exchanged.' },
      { code: 'country_mismatch', message: 'The place lies in TG.' },
    ];
    const files = await exportFiles([
      plotRecord(0, square(1), { warnings }),
      plotRecord(1, square(2), { eudr: { ProducerCountry: 'UK' } }),
      plotRecord(2, square(3), { country: null, eudr: {} }),
    ]);
    assert.deepEqual(
      features(files).map(({ properties }) => properties['firstmile_number']),
      [0, 2],
    );
    const table = files['findings.csv']!.toString();
    assert.match(table, /plot-0,coordinates-swapped,warning,,false,/);
    assert.match(table, /plot-0,other-country,warning,,false,/);
    assert.match(table, /plot-1,country-not-iso2,error,12,false,/);
    assert.match(table, /plot-2,country-missing,warning,,false,/);
    const { missing } = statementOf(files['dds.json']);
    assert.ok(missing.some(({ field }) => field === 'statement.commodities[0].producers[1].country'));
  });

  it('leaves out plots whose place was looked up by an address', async () => {
    const looked = { geometry_source: 'geocoded', geocode_precision: 'locality' };
    const files = await exportFiles([
      plotRecord(0, { type: 'Point', coordinates: [1, 6] }, looked),
      plotRecord(1, square(1)),
    ]);
    assert.deepEqual(
      features(files).map(({ properties }) => properties['firstmile_number']),
      [1],
    );
    assert.match(files['findings.csv']!.toString(), /plot-0,looked-up-place,error,,false,/);
  });

  it('writes a file and a statement for each of several collections', async () => {
    const source = (id: string, name: string): ExportSource => ({
      collection: { ...COLLECTION, id, name },
      async *records() {
        yield plotRecord(0, square(1));
      },
    });
    const sources = [
      source('1111aaaa-0000-4000-8000-000000000001', 'Lot A'),
      source('2222bbbb-0000-4000-8000-000000000001', '橡胶'),
    ];
    const files = unzipped(await gather(writeExport(sources, { period: PERIOD }, await exportParts())));
    assert.deepEqual(
      Object.keys(files).filter((name) => /geojson$|^dds/.test(name)),
      ['lot-a-1111aaaa.geojson', 'dds.json', 'collection-2222bbbb.geojson', 'dds-2.json'],
    );
    const references = ['dds.json', 'dds-2.json'].map(
      (name) => statementOf(files[name]).statement.internalReferenceNumber,
    );
    assert.notEqual(references[0], references[1]);
  });

  it('gives the same bytes for the same plots, with checksums of every file', async () => {
    const records = [plotRecord(0, square(1), {}, { statistics: STATISTICS }), plotRecord(1, LINE)];
    const [first, second] = [await exportBytes(records), await exportBytes(records)];
    assert.deepEqual(first, second);
    const files = unzipped(first);
    const lines = files['SHA256SUMS']!.toString().trim().split('\n');
    assert.deepEqual(
      lines.toSorted(),
      Object.entries(files)
        .filter(([name]) => name !== 'SHA256SUMS')
        .map(([name, bytes]) => `${createHash('sha256').update(bytes).digest('hex')}  ${name}`)
        .toSorted(),
    );
  });

  it('keeps the columns of the files in plots.csv, after its own', async () => {
    const files = await exportFiles([
      plotRecord(0, square(1), { source: { 'Grower code': 'G-7', bags: 12 } }),
      plotRecord(1, square(2), { source: { bags: 3, note: '=1+1', more: { a: [1] } } }),
      plotRecord(2, square(3)),
    ]);
    const rows = files['plots.csv']!.toString().trim().split('\r\n');
    assert.deepEqual(
      rows.map((row) => /,(?:review_of_earlier_run|open,,,,),(.*)$/.exec(row)?.[1]),
      ['source.Grower code,source.bags,source.note,source.more', 'G-7,12,,', `,3,'=1+1,"{""a"":[1]}"`, ',,,'],
    );
  });

  it('keeps formulas out of tables', async () => {
    const files = await exportFiles([
      plotRecord(0, square(1), { name: '=HYPERLINK("http://x")', supplier_name: '@x', eudr: {} }),
    ]);
    assert.match(files['plots.csv']!.toString(), /,"'=HYPERLINK\(""http:\/\/x""\)",'@x,/);
  });

  it('ends with the failure of its source, and stops on request', async () => {
    const broken: ExportSource = {
      collection: COLLECTION,
      async *records(): AsyncGenerator<PlotRecord, void> {
        yield plotRecord(0, square(1));
        throw new Error('the database went away');
      },
    };
    await assert.rejects(
      gather(writeExport([broken], { period: PERIOD }, await exportParts())),
      /the database went away/,
    );
    const signal = AbortSignal.abort(new Error('nobody waits'));
    await assert.rejects(
      exportBytes([plotRecord(0, square(1))], COLLECTION, { period: PERIOD }, { signal }),
      /nobody waits/,
    );
  });
});

describe('an export that nobody reads to its end', () => {
  it('gives back what it opened', async () => {
    let open = 0;
    const parts = await exportParts({
      openSpool: async () => {
        open++;
        return {
          write: async () => {},
          read: async function* () {},
          [Symbol.asyncDispose]: async () => void open--,
        };
      },
    });
    async function* records(): AsyncGenerator<PlotRecord, void> {
      for (let i = 0; i < 50; i++) yield plotRecord(i, square(i));
    }
    for await (const bytes of writeExport([{ collection: COLLECTION, records }], { period: PERIOD }, parts)) {
      assert.ok(bytes.length > 0 && open === 5);
      break;
    }
    assert.equal(open, 0);
  });
});
