import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Polygon } from 'geojson';
import { FOREST_WARNINGS } from '../../src/forest/warnings.ts';
import { neighboursOf, placesAround } from '../../console/pages/forest/neighbours.ts';
import { pointsOfGeojson } from '../../console/pages/forest/points-of-geojson.ts';
import { patchStanding } from '../../console/pages/forest/patch-standing.ts';

describe('what the forest page says of a place', () => {
  const standing = (codes: readonly string[], geometry: unknown = null) =>
    patchStanding({ geometry, properties: { warnings: codes.map((code) => ({ code })) } });

  it('is that there is no patch only where a source was read there', () => {
    assert.equal(standing(['background']), 'none');
    for (const code of Object.keys(FOREST_WARNINGS))
      if (code !== 'background') assert.equal(standing([code]), 'unknown', code);
    assert.equal(standing([]), 'unknown');
  });

  it('is that there is one where it has an outline, whatever is warned of', () => {
    assert.equal(standing(['segment_truncated'], { type: 'Polygon' }), 'found');
  });
});

describe('the places around a patch', () => {
  const square = (isClockwise: boolean): Polygon => {
    const ring = [
      [10, 50],
      [10.01, 50],
      [10.01, 50.01],
      [10, 50.01],
      [10, 50],
    ];
    return { type: 'Polygon', coordinates: [isClockwise ? ring.toReversed() : ring] };
  };

  for (const isClockwise of [false, true])
    it(`lie 50 m outside of it, all the way around, ${isClockwise ? 'with' : 'against'} the clock`, () => {
      const places = placesAround(square(isClockwise));
      assert.equal(places.length, 48);
      for (const { lon, lat } of places) {
        const [east, north] = [111_320 * Math.cos((50 * Math.PI) / 180), 111_320];
        const dx = Math.max(10 - lon, lon - 10.01, 0) * east;
        const dy = Math.max(50 - lat, lat - 50.01, 0) * north;
        assert.ok(Math.abs(Math.hypot(dx, dy) - 50) < 0.5, `${lon} ${lat}`);
      }
      for (const [west, south] of [
        [9.99, 49.99],
        [10.0051, 49.99],
        [9.99, 50.0051],
        [10.0051, 50.0051],
      ] as const)
        assert.ok(
          places.some(({ lon, lat }) => lon >= west && lon < west + 0.0151 && lat >= south && lat < south + 0.0151),
        );
    });

  it('give each neighbour once, without the patch itself, and count what is in none or unknown', () => {
    const feature = (id: string | null, codes: readonly string[] = []) => ({
      type: 'Feature',
      geometry: id === null ? null : { type: 'Polygon', coordinates: [] },
      properties: { segment_id: id, warnings: codes.map((code) => ({ code })) },
    });
    const answer = {
      features: [
        feature('own'),
        feature('a'),
        feature('a'),
        feature('b'),
        feature(null, ['background']),
        feature(null, ['source_unavailable']),
      ],
    };
    const { patches, counts } = neighboursOf(answer as never, 'own');
    assert.deepEqual(
      patches.features.map(({ properties }) => properties?.['segment']),
      ['a', 'b'],
    );
    assert.deepEqual(counts, { places: 6, none: 1, unknown: 1 });
  });
});

describe('the places of a GeoJSON file', () => {
  it('keep their names', () => {
    const point = (properties: unknown, id?: unknown) => ({
      type: 'Feature',
      id,
      properties,
      geometry: { type: 'Point', coordinates: [102, 4] },
    });
    const text = JSON.stringify({
      type: 'FeatureCollection',
      features: [point({ name: 'Ann' }), point({ Name: ' Bo ' }), point({}, 7), point(null), point({ name: '' }, 'x')],
    });
    assert.deepEqual(
      pointsOfGeojson(text)?.map(({ name }) => name),
      ['Ann', 'Bo', '7', undefined, 'x'],
    );
  });
});
