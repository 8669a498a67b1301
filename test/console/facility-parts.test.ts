import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { parsePlaces, placesFile } from '../../console/parts/files/parse-places.ts';
import { csvLine } from '../../console/parts/files/table-file.ts';
import { resultRow, type ResultRow } from '../../console/pages/facilities/result-row.ts';
import { filterRows, readSelection, sortRows } from '../../console/pages/facilities/select-rows.ts';
import { waterfallSteps } from '../../console/pages/facilities/waterfall-steps.ts';
import { saidOnce } from '../../console/parts/unread/unread-rows.ts';
import { pointsOfGeojson } from '../../console/pages/forest/points-of-geojson.ts';
import { parse } from 'csv-parse/sync';

describe('pasted places', () => {
  it('are read in usual writings', () => {
    const text = [
      '4.5821, 102.6124, Mill 1',
      '4.5821\t102.6124\tMill, with a comma',
      '4.5821;102.6124',
      '(4.5821 102.6124)',
      '4.5821° N, 102.6124° E',
      '102.6124E 4.5821N "Quoted"',
      'POINT(102.6124 4.5821) Mill 2',
      'SRID=4326;POINT Z (102.6124 4.5821 12)',
    ].join('\n');
    const { places, unread } = parsePlaces(text, 'lat-lon');
    assert.deepEqual(unread, []);
    assert.ok(places.every(({ lon, lat }) => lon === 102.6124 && lat === 4.5821));
    assert.deepEqual(
      places.map(({ name }) => name),
      ['Mill 1', 'Mill, with a comma', '', '', '', 'Quoted', 'Mill 2', ''],
    );
  });

  it('take letters of hemispheres before the order that was chosen, and 0 for a coordinate', () => {
    assert.deepEqual(parsePlaces('6.5 S 35 W', 'lon-lat').places, [{ lon: -35, lat: -6.5, name: '' }]);
    assert.deepEqual(parsePlaces('0, 0', 'lon-lat').places, [{ lon: 0, lat: 0, name: '' }]);
  });

  it('come back from what was written, in either order', () => {
    const place = fc.record({
      lat: fc.integer({ min: -9_000_000, max: 9_000_000 }).map((value) => value / 100_000),
      lon: fc.integer({ min: -18_000_000, max: 18_000_000 }).map((value) => value / 100_000),
      name: fc.stringMatching(/^[A-Za-z][\w .-]{0,20}$/).map((text) => text.trim()),
    });
    fc.assert(
      fc.property(fc.array(place), fc.boolean(), (places, isLatFirst) => {
        const text = places.map(
          ({ lat, lon, name }) => `${isLatFirst ? `${lat}, ${lon}` : `${lon}, ${lat}`}, x${name}`,
        );
        const read = parsePlaces(text.join('\n'), isLatFirst ? 'lat-lon' : 'lon-lat');
        assert.deepEqual(read.unread, []);
        assert.deepEqual(
          read.places.map(({ lon, lat }) => [lon + 0, lat + 0]),
          places.map(({ lon, lat }) => [lon + 0, lat + 0]),
        );
      }),
    );
  });

  it('lose no line: each is read or named, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const { places, unread } = parsePlaces(text, 'lat-lon');
        const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
        assert.equal(places.length + unread.length, lines.length);
        for (const { lon, lat } of places) assert.ok(Math.abs(lon) <= 180 && Math.abs(lat) <= 90);
      }),
    );
  });

  it('make a GeoJSON file', async () => {
    const file = placesFile([{ lon: 1, lat: 2, name: 'a' }], 'x.geojson');
    assert.deepEqual(pointsOfGeojson(await file.text()), [{ lon: 1, lat: 2, name: 'a' }]);
  });
});

describe('points of GeoJSON', () => {
  it('are found in collections, features and bare geometries; anything else is none, and never an error', () => {
    assert.deepEqual(pointsOfGeojson('{"type":"Point","coordinates":[1,2]}'), [{ lon: 1, lat: 2 }]);
    assert.equal(pointsOfGeojson('4.5, 102.6'), null);
    assert.deepEqual(pointsOfGeojson('{"type":"FeatureCollection","features":[null,{"geometry":null},3]}'), []);
    fc.assert(fc.property(fc.json(), (text) => void pointsOfGeojson(text)));
  });
});

describe('warnings of a result', () => {
  it('say a fault of the row once, also where an older version stored it of the place as well', () => {
    const warnings = [
      { code: 'invalid_geometry', message: 'Row 7: The geometry cannot be used: The outline crosses itself.' },
      { code: 'invalid_geometry', message: 'The geometry cannot be used: The outline crosses itself.' },
      { code: 'off_land', message: 'The place lies in the sea.' },
    ];
    assert.deepEqual(saidOnce(warnings, 7), [warnings[0], warnings[2]]);
    assert.deepEqual(saidOnce(warnings, 8), warnings);
  });
});

describe('the waterfall', () => {
  it('ends where the receipt does, in whole hundredths, and never below 0', () => {
    const penalties = fc.array(fc.constantFrom(0, 0.1, 0.15, 0.2, 0.25, 0.5), { maxLength: 10 });
    fc.assert(
      fc.property(penalties, (list) => {
        const steps = waterfallSteps(list.map((penalty, i) => ({ indicator: String(i), penalty, status: 'absent' })));
        const hundredths = list.reduce<number>((sum, penalty) => sum + Math.round(penalty * 100), 0);
        assert.equal(steps.at(-1)?.after ?? 100, Math.max(0, 100 - hundredths));
        for (const [i, step] of steps.entries()) assert.equal(step.before, steps[i - 1]?.after ?? 100);
      }),
    );
  });
});

describe('a line of CSV', () => {
  it('is read back as it was written by another program', () => {
    const values = fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1 }).filter((list) => list.join('') !== '');
    fc.assert(
      fc.property(values, (list) => {
        const [row] = parse(csvLine(list), { recordDelimiter: '\r\n' }) as unknown as string[][];
        assert.deepEqual(
          row,
          list.map((text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)),
        );
      }),
    );
  });

  it('runs no formula, and leaves negative numbers alone', () => {
    assert.equal(csvLine(['=1+1', -4.5, null, { a: 1 }]), `'=1+1,-4.5,,"{""a"":1}"\r\n`);
  });
});

describe('the selection of results', () => {
  const row = (index: number, properties: Record<string, unknown>): ResultRow =>
    resultRow({ geometry: null, properties: { location_type: 'facility', ...properties } }, index);
  const rows = [
    row(0, { confidence_level: 'low', confidence_score: 0.3, facility_name: 'B 10', warnings: [{ code: 'off_land' }] }),
    row(1, { confidence_level: 'high', confidence_score: 0.9, facility_name: 'B 9', country: 'Ghana' }),
    row(2, {
      confidence_level: 'invalid',
      confidence_score: 0,
      facility_name: 'a',
      evidence: [{ indicator: 'road_access', status: 'absent' }],
    }),
  ];
  const select = (query: string): number[] => {
    const selection = readSelection(new URLSearchParams(query));
    return sortRows(filterRows(rows, selection), selection).map(({ index }) => index);
  };

  it('shows what was hardly assessed as unverified with the scores it could have, whatever its level', () => {
    const range = { confidence_range: { lowest: 0.25, highest: 1 } };
    const shown = (properties: Record<string, unknown>) => {
      const { level, range: open } = row(0, properties);
      return [level, open];
    };
    assert.deepEqual(shown({ confidence_level: 'low', confidence_basis: 'unverified', ...range }), [
      'unverified',
      [0.25, 1],
    ]);
    assert.deepEqual(shown({ confidence_level: 'low', confidence_basis: 'partly_verified', ...range })[0], 'low');
    assert.deepEqual(shown({ confidence_level: 'invalid', confidence_basis: 'unverified' }), ['invalid', null]);
    assert.deepEqual(shown({ confidence_level: 'low' }), ['low', null], 'a result of an older version');
    const sure = { confidence_range: { lowest: 0.5, highest: 0.5 } };
    assert.deepEqual(shown({ confidence_level: 'low', confidence_basis: 'verified', ...sure }), ['low', null]);
  });

  it('follows the address', () => {
    assert.deepEqual(select(''), [0, 1, 2]);
    assert.deepEqual(select('level=high,invalid'), [1, 2]);
    assert.deepEqual(select('ind=road_access:absent'), [2]);
    assert.deepEqual(select('warn=off_land'), [0]);
    assert.deepEqual(select('q=gha b'), [1]);
    assert.deepEqual(select('sort=name'), [2, 1, 0]);
    assert.deepEqual(select('sort=score:desc'), [1, 0, 2]);
    assert.deepEqual(select('sort=level'), [1, 0, 2]);
  });

  it('leaves out what it does not understand, and keeps the rows as they are', () => {
    const before = [...rows];
    assert.deepEqual(select('level=best&ind=nothing:here&sort=up:down'), [0, 1, 2]);
    select('sort=score');
    assert.deepEqual(rows, before);
  });
});
