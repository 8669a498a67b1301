import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { boxesOf, readBox } from './boxes.ts';
import { readTimeSpan, spansTouch } from './days.ts';
import { CRS84, findMapCrs, MAP_CRS_URIS, toDegrees, toMapCrs } from './map-crs.ts';
import { mapProperties } from './map-properties.ts';

describe('a box', () => {
  it('of six numbers leaves out its heights, and one over the antimeridian is two', () => {
    assert.deepEqual(readBox([1, 2, 0, 3, 4, 9]), [1, 2, 3, 4]);
    assert.deepEqual(boxesOf([170, -10, -170, 10]), [
      [170, -10, 180, 10],
      [-180, -10, -170, 10],
    ]);
  });
  it('is refused where it is none', () => {
    for (const wrong of [[], [1, 2, 3], [1, 5, 3, 4], [181, 0, 190, 1], [0, 0, 1, Number.NaN], ['1', 2, 3, 4]])
      assert.equal(readBox(wrong), null);
  });
});

describe('datetime', () => {
  it('is a moment, a day to its end, or a span that may be open', () => {
    const span = (text: string) => {
      const read = readTimeSpan(text);
      return read && [read.from, read.to].map((ms) => (Number.isFinite(ms) ? new Date(ms).toISOString() : null));
    };
    assert.deepEqual(span('2021-05-01'), ['2021-05-01T00:00:00.000Z', '2021-05-01T23:59:59.999Z']);
    assert.deepEqual(span('2021-05-01T10:00:00+02:00'), ['2021-05-01T08:00:00.000Z', '2021-05-01T08:00:00.000Z']);
    assert.deepEqual(span('2021-05-01/..'), ['2021-05-01T00:00:00.000Z', null]);
    assert.deepEqual(span('/2021-05-01'), [null, '2021-05-01T23:59:59.999Z']);
    for (const wrong of ['', '../..', '2022-01-01/2021-01-01', 'yesterday', '2021-13-01', '2021-01-01/2021-02-01/..'])
      assert.equal(span(wrong), null, wrong);
    assert.ok(spansTouch(readTimeSpan('2021-01-01/..')!, readTimeSpan('../2021-01-01')!));
    assert.ok(!spansTouch(readTimeSpan('2021-01-02/..')!, readTimeSpan('../2021-01-01')!));
  });
});

describe('coordinate systems of maps', () => {
  it('keep to the axes of their authority', () => {
    const place = { type: 'Point' as const, coordinates: [102.6, 4.6, 7] };
    const at = (uri: string) => toMapCrs(place, findMapCrs(uri)!);
    assert.deepEqual(at(CRS84), place);
    assert.deepEqual(at('http://www.opengis.net/def/crs/EPSG/0/4326'), { ...place, coordinates: [4.6, 102.6, 7] });
    const utm = at('http://www.opengis.net/def/crs/EPSG/0/32648') as typeof place;
    // PROJ 9: echo "4.6 102.6" | cs2cs EPSG:4326 EPSG:32648
    assert.ok(
      Math.abs(utm.coordinates[0] - 233_717.19) < 0.01 && Math.abs(utm.coordinates[1] - 508_896.64) < 0.01,
      String(utm.coordinates),
    );
  });
  it('are those whose axes are known, and no others', () => {
    assert.equal(MAP_CRS_URIS.length, 123);
    for (const uri of MAP_CRS_URIS) assert.equal(findMapCrs(uri)?.uri, uri);
    assert.equal(findMapCrs('http://www.opengis.net/def/crs/EPSG/0/2193'), null);
    assert.equal(findMapCrs('nonsense'), null);
  });
  it('give a box in degrees that holds all of it', () => {
    const [west, south, east, north] = toDegrees([166_000, 0, 834_000, 9_000_000], findMapCrs('EPSG:32631')!)!;
    // A box of UTM is widest where it is farthest from the equator.
    assert.ok(west < -10 && east > 15 && south < 0.001 && north > 80, `${west} ${south} ${east} ${north}`);
    assert.deepEqual(toDegrees([-10, 170, 10, -170], findMapCrs('EPSG:4326')!), [170, -10, -170, 10]);
    assert.equal(toDegrees([1, 2, 3], findMapCrs('EPSG:3857')!), null);
  });
  it('have no geometry for a place that they do not reach', () => {
    assert.equal(toMapCrs({ type: 'Point', coordinates: [0, 90] }, findMapCrs('EPSG:3857')!), null);
  });
});

describe('properties of a table', () => {
  it('are texts, numbers and truth values; lists become a text, columns of the source get its name', () => {
    const properties = {
      name: 'a',
      area_ha: 2,
      valid: true,
      nothing: null,
      warnings: [
        { code: 'x', message: 'First.' },
        { code: 'y', message: 'Second.' },
      ],
      datasets: [{ dataset: 'd', version: '1', synthetic: true }],
      years_looked_at: [2001, 2024],
      loss_ha_by_year: { 2021: 0.5 },
      source: { Farmer: 'Siti', nested: { a: 'b' } },
      convergence: null,
      plot_checks: [{ check: 'area' }],
    };
    assert.deepEqual(mapProperties(properties), {
      name: 'a',
      area_ha: 2,
      valid: true,
      nothing: null,
      warnings: 'First. Second.',
      datasets: 'd 1 (synthetic);',
      years_looked_at: '2001 2024',
      loss_ha_by_year: '{"2021":0.5}',
      'source.Farmer': 'Siti',
    });
  });
});
