import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { type Crs, findCrs } from '../geo/crs/find-crs.ts';
import { parseJson } from '../geo/parse-json.ts';
import { collectionText, featureText, writePatch } from './feature-text.ts';
import { noPatch } from './patch.ts';
import { forestWarning } from './warnings.ts';

const PATCH = writePatch(noPatch([1, 2], forestWarning('outside_coverage')));

describe('the text of a feature', () => {
  it('is JSON with the id and the properties of any input, and the computed ones before them', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (id, properties) => {
        const feature = JSON.parse(featureText({ id, properties }, PATCH)) as Record<string, unknown>;
        if (typeof id === 'string' || typeof id === 'number') assert.equal(feature['id'], Object.is(id, -0) ? 0 : id);
        else assert.equal('id' in feature, false);
        const own = typeof properties === 'object' && !Array.isArray(properties) ? properties : {};
        assert.deepEqual(feature['properties'], JSON.parse(JSON.stringify({ ...own, ...PATCH.properties })));
      }),
    );
  });

  it('lets no property of the input pass for a result', () => {
    const input = { properties: { area_ha: 5, segment_id: 'mine', synthetic: true, source: 'me', a: 1 } };
    const { properties } = JSON.parse(featureText(input, PATCH)) as { properties: Record<string, unknown> };
    assert.deepEqual(
      [properties['area_ha'], properties['segment_id'], properties['synthetic'], properties['source'], properties['a']],
      [null, null, false, null, 1],
    );
  });

  it('keeps numbers that JavaScript cannot hold', () => {
    const input = parseJson('{"id": 12345678901234567890, "properties": {"code": 98765432109876543210}}');
    assert.match(featureText(input, PATCH), /"id":12345678901234567890,.*"code":98765432109876543210/);
  });
});

describe('the text of a collection', () => {
  const text = (crs: string, count: number) =>
    [
      ...collectionText(
        Array.from({ length: count }, () => ({})),
        Array.from({ length: count }, () => PATCH),
        findCrs(crs) as Crs,
      ),
    ].join('');

  it('has every feature, and names its CRS only when it is not the usual one', () => {
    for (const crs of ['EPSG:4326', 'OGC:CRS84']) assert.equal('crs' in JSON.parse(text(crs, 2)), false);
    assert.deepEqual(JSON.parse(text('EPSG:32630', 0)), {
      type: 'FeatureCollection',
      crs: { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::32630' } },
      features: [],
    });
    assert.equal((JSON.parse(text('EPSG:4326', 3)) as { features: unknown[] }).features.length, 3);
  });
});
