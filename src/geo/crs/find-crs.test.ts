import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type Crs, findCrs, verifiedCodes } from './find-crs.ts';
import { openProjection } from './open-projection.ts';

const ORACLE = join(import.meta.dirname, '../../../test/oracles/crs/proj-points.json');
/** Per code: longitude, latitude, x, y of five points, as cs2cs gives them. */
const POINTS = JSON.parse(readFileSync(ORACLE, 'utf8')) as Readonly<Record<string, readonly number[]>>;
const METRES_PER_DEGREE = 111_319.49;
const FOOT = 0.3048;

describe('finding a coordinate reference system', () => {
  for (const text of [
    'EPSG:32630',
    'epsg:32630',
    ' EPSG:32630 ',
    'urn:ogc:def:crs:EPSG::32630',
    'urn:ogc:def:crs:EPSG:9.8.1:32630',
    'http://www.opengis.net/def/crs/EPSG/0/32630',
    'https://www.opengis.net/def/crs/EPSG/0/32630',
    'http://www.opengis.net/gml/srs/epsg.xml#32630',
  ]) {
    it(`reads ${JSON.stringify(text)}`, () => {
      const crs = found(text);
      assert.deepEqual([crs.code, crs.name, crs.urn], [32630, 'EPSG:32630', 'urn:ogc:def:crs:EPSG::32630']);
    });
  }

  for (const text of ['OGC:CRS84', 'urn:ogc:def:crs:OGC:1.3:CRS84', 'http://www.opengis.net/def/crs/OGC/1.3/CRS84']) {
    it(`reads ${text} as WGS 84 with longitude first`, () => {
      const crs = found(text);
      assert.deepEqual([crs.code, crs.name, crs.urn], [4326, 'OGC:CRS84', 'urn:ogc:def:crs:OGC:1.3:CRS84']);
    });
  }

  for (const text of [
    '',
    '4326',
    'EPSG:',
    'EPSG:abc',
    'EPSG:4326;DROP',
    'ESRI:54009',
    '+proj=utm +zone=30',
    'WGS84',
    'x'.repeat(500),
  ]) {
    it(`refuses ${JSON.stringify(text.slice(0, 20))}, naming what it wants`, () => {
      const answer = findCrs(text);
      assert.ok('refused' in answer && answer.refused.startsWith('wanted a CRS such as EPSG:32630'));
      assert.ok(answer.refused.length < 200);
    });
  }

  it('refuses codes without a verified definition: unknown ones, and those whose transformation depends on the place', () => {
    for (const code of [1, 99999, 31467, 5514, 4978, 3855]) {
      const answer = findCrs(`EPSG:${code}`);
      assert.ok('refused' in answer && answer.refused.endsWith(`got EPSG:${code}`), `EPSG:${code}`);
    }
  });

  it('knows every UTM zone on WGS 84 and the grids that the countries of the product use', () => {
    const zones = Array.from({ length: 60 }, (_, i) => [32601 + i, 32701 + i]).flat();
    const grids = [
      3857, 4326, 4258, 4674, 4269, 2154, 25829, 25830, 25832, 25833, 28992, 31370, 27700, 2157, 2180, 3006, 3035, 3059,
      3067, 3301, 3346, 3763, 3765, 3794, 3844, 3912, 7801, 23700, 2100, 31982, 31983, 5880, 31965, 31972, 9377, 3116,
      5367, 2136, 26332, 24047, 23830, 23846, 3375, 3380, 5234, 4526, 5343, 26915, 3005, 3347, 5070, 7755, 2193, 28355,
      7855,
    ];
    const known = new Set(verifiedCodes());
    assert.deepEqual(
      [...zones, ...grids].filter((code) => !known.has(code)),
      [],
    );
  });
});

describe('the table of definitions', () => {
  it('has an oracle of five points for each of its codes, and nothing else', () => {
    assert.deepEqual(
      verifiedCodes().map(String),
      Object.keys(POINTS).toSorted((a, b) => Number(a) - Number(b)),
    );
    assert.ok(verifiedCodes().length > 4000);
    assert.ok(Object.values(POINTS).every((numbers) => numbers.length === 20));
  });

  it('gives what PROJ gives: to 1 mm in UTM and Web Mercator, to 1 cm everywhere, there and back', () => {
    const wrong: string[] = [];
    for (const [code, numbers] of Object.entries(POINTS)) {
      const crs = found(`EPSG:${code}`);
      const projection = openProjection(crs);
      const geographic = crs.definition.includes('+proj=longlat');
      const unit = geographic ? METRES_PER_DEGREE : metresPerUnit(crs.definition);
      const strict = crs.code === 3857 || /^32[67](0[1-9]|[1-5]\d|60)$/.test(code);
      // The oracle is rounded to 0.1 mm, or 1e-9 degrees.
      const tolerance = (strict ? 0.001 : 0.01) + 0.0002;
      const out = new Float64Array(4);
      for (let i = 0; i < numbers.length; i += 4) {
        const [lon, lat, x, y] = numbers.slice(i, i + 4);
        projection.toXY(lon, lat, out, 0);
        projection.toLonLat(x, y, out, 2);
        const there = Math.hypot(turned(out[0] - x, geographic), out[1] - y) * unit;
        const back = Math.hypot(turned(out[2] - lon, true) * Math.cos((lat * Math.PI) / 180), out[3] - lat);
        if (!(there <= tolerance && back * METRES_PER_DEGREE <= tolerance)) wrong.push(`EPSG:${code} ${there} ${back}`);
      }
    }
    assert.deepEqual(wrong, []);
  });
});

function found(text: string): Crs {
  const answer = findCrs(text);
  assert.ok(!('refused' in answer), JSON.stringify(answer));
  return answer;
}

function turned(difference: number, angular: boolean): number {
  return angular ? difference - 360 * Math.round(difference / 360) : difference;
}

/** Metres in a unit of x, y; the feet in use differ by less than 2 in a million except Clarke's and the Indian ones. */
function metresPerUnit(definition: string): number {
  const factor = /\+to_meter=([\d.e-]+)/.exec(definition)?.[1];
  if (factor !== undefined) return Number(factor);
  return /\+units=(us-)?ft/.test(definition) ? FOOT : 1;
}
