import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { COMMODITY_RULES } from '../../src/facilities/commodity/commodities.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';
import { runService, type RunningProcess } from './run-service.ts';

const MILLS = 'facilities/palm_mills_sample.csv';

/** ISO alpha-3 codes of the list to alpha-2; `SL` is how the list itself writes Sierra Leone. */
const ALPHA2: Readonly<Record<string, string>> = {
  IDN: 'ID',
  MYS: 'MY',
  COL: 'CO',
  THA: 'TH',
  ECU: 'EC',
  GTM: 'GT',
  MEX: 'MX',
  CIV: 'CI',
  GHA: 'GH',
  BRA: 'BR',
  IND: 'IN',
  CRI: 'CR',
  DOM: 'DO',
  PNG: 'PG',
  PER: 'PE',
  NGA: 'NG',
  CMR: 'CM',
  HND: 'HN',
  VEN: 'VE',
  PHL: 'PH',
  SL: 'SL',
  UGA: 'UG',
};

/** The specification's list of countries that produce palm, by name as it is written there. */
const PALM_LIST =
  'Thailand, Indonesia, Malaysia, Ivory Coast, Ghana, Nigeria, Ecuador, Honduras, Brazil, Colombia, Venezuela, Peru, Bolivia, Panama, Nicaragua, Guatemala, Belize, Liberia, Togo, Benin, Cameroon';
const PALM_CODES = 'TH ID MY CI GH NG EC HN BR CO VE PE BO PA NI GT BZ LR TG BJ CM';

interface Result {
  readonly id: string;
  readonly geometry: unknown;
  readonly properties: {
    readonly country_code: string | null;
    readonly commodity_presence: number;
    readonly confidence_level: string;
    readonly confidence_score: number;
    readonly confidence_basis: string;
    readonly confidence_range: { readonly lowest: number; readonly highest: number };
    readonly evidence_coverage: number;
    readonly aggregation_comment: string;
    readonly Mill_Name: string;
    readonly warnings: readonly { code: string; message: string }[];
    readonly evidence: readonly { indicator: string; status: string; value: number; penalty: number }[];
  };
}

describe('the 407 palm oil mills of the Universal Mill List sample', needsSharedData(MILLS), () => {
  let service: RunningProcess;
  let results: readonly Result[] = [];
  const mills = readMills();

  before(async () => {
    service = await runService();
    const form = new FormData();
    form.set('commodity_type', 'palm');
    form.set('file', new Blob([collection()], { type: 'application/geo+json' }), 'mills.geojson');
    const response = await service.fetch('/validate_facilities', { method: 'POST', body: form });
    assert.equal(response.status, 200, await response.clone().text());
    results = ((await response.json()) as { features: Result[] }).features;
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
  });

  it('come back all, in order, with their ids, places and properties', () => {
    assert.equal(results.length, 407);
    for (const [i, mill] of mills.entries()) {
      const result = results[i] as Result;
      assert.equal(result.id, mill.id);
      assert.deepEqual(result.geometry, { type: 'Point', coordinates: [mill.lon, mill.lat] });
      assert.equal(result.properties.Mill_Name, mill.name);
    }
  });

  it('read as unverified, from 0.25 to 1.00, where nothing but settlements is known of them', () => {
    const allowed = results.filter(({ properties }) => properties.commodity_presence === 0.5);
    assert.ok(allowed.length > 380, `${allowed.length} in a country that produces palm`);
    const sayings = new Set(
      allowed.map(({ properties }) =>
        JSON.stringify([
          properties.confidence_score,
          properties.confidence_basis,
          properties.evidence_coverage,
          properties.confidence_range,
        ]),
      ),
    );
    // One of them lies in a town, which is known.
    assert.deepEqual(
      [...sayings].filter((saying) => !saying.startsWith('[0.15')),
      ['[0.25,"unverified",0.09,{"lowest":0.25,"highest":1}]'],
    );
    for (const { properties } of allowed) {
      assert.match(properties.aggregation_comment, /^Composed from the indicators: unverified, /);
      const missing = properties.warnings.find(({ code }) => code === 'missing_data');
      assert.match(missing?.message ?? '', /says nothing against the facility/);
    }
  });

  it('are in the right country for 99.5 % or more', () => {
    const wrong = mills
      .filter((mill, i) => results[i]?.properties.country_code !== mill.country)
      .map((mill) => `${mill.id} ${mill.country}`);
    assert.ok(wrong.length / mills.length <= 0.005, wrong.join(', '));
  });

  it("are flagged exactly where their country is not on the specification's list", () => {
    const listed = new Set(PALM_CODES.split(' '));
    assert.equal(listed.size, PALM_LIST.split(', ').length);
    assert.deepEqual(COMMODITY_RULES.palm.countries, { only: listed });
    const expected = mills.filter(({ country }) => !listed.has(country)).map(({ id }) => id);
    assert.equal(expected.length, 15);
    const flagged = results.filter(
      ({ properties }) => properties.evidence.find(({ indicator }) => indicator === 'country')?.status === 'absent',
    );
    assert.deepEqual(
      flagged.map(({ id }) => id),
      expected,
    );
    for (const { properties } of flagged) {
      assert.equal(properties.commodity_presence, 0);
      assert.equal(properties.confidence_level, 'low');
    }
  });

  it('have the latitude band of the specification', () => {
    for (const [i, mill] of mills.entries()) {
      const properties = results[i]?.properties;
      const away = Math.abs(mill.lat);
      const latitude = properties?.evidence.find(({ indicator }) => indicator === 'latitude');
      assert.equal(latitude?.status, away <= 20 ? 'present' : 'absent', mill.id);
      const warned = properties?.warnings.some(({ code }) => code === 'latitude_marginal') ?? false;
      assert.equal(warned, away > 15 && away <= 20, `${mill.id} at ${mill.lat}`);
    }
  });

  it('have scores that follow from their receipts', () => {
    for (const { id, properties } of results) {
      const penalties = properties.evidence.reduce((sum, { penalty }) => sum + Math.round(penalty * 100), 0);
      assert.equal(Math.round(properties.confidence_score * 100), Math.max(0, 100 - penalties), id);
    }
  });

  function collection(): string {
    const features = mills.map(({ id, lon, lat, name }) => ({
      type: 'Feature',
      id,
      geometry: { type: 'Point', coordinates: [lon, lat] },
      properties: { Mill_Name: name },
    }));
    return JSON.stringify({ type: 'FeatureCollection', features });
  }
});

interface Mill {
  readonly id: string;
  readonly lon: number;
  readonly lat: number;
  readonly country: string;
  readonly name: string;
}

function readMills(): readonly Mill[] {
  if (needsSharedData(MILLS).skip !== false) return [];
  const [header, ...rows] = readFileSync(join(SHARED_DATA, MILLS), 'utf8')
    .replace(/^\uFEFF/, '')
    .trim()
    .split(/\r?\n/)
    .map(cells);
  const column = (row: readonly string[], name: string): string => row[header?.indexOf(name) ?? -1] ?? '';
  return rows.map((row) => ({
    id: column(row, 'UML_ID'),
    lon: Number(column(row, 'Longitude')),
    lat: Number(column(row, 'Latitude')),
    country: ALPHA2[column(row, 'ISO')] ?? '',
    name: column(row, 'Mill_Name'),
  }));
}

/** One line of RFC 4180 without line breaks inside quotes, which this list does not have. */
function cells(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((match) =>
    (match[1] ?? match[2] ?? '').replaceAll('""', '"'),
  );
}
