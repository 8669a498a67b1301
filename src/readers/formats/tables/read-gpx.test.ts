import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { array, assert as check, asyncProperty, constantFrom, integer, record, string } from 'fast-check';
import { readBytes } from '../../../../test/location-files.ts';
import { archive } from '../../../../test/make-archive.ts';
import { runs } from '../../../../test/property-runs.ts';
import type { SourceFeature } from '../../../locations/source-table.ts';

const GPX = (inside: string): string =>
  `<?xml version="1.0"?><gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">${inside}</gpx>`;
const points = (tag: string, positions: readonly (readonly [number, number])[]): string =>
  positions.map(([lon, lat]) => `<${tag} lat="${lat}" lon="${lon}"><ele>7</ele><name>corner</name></${tag}>`).join('');
const track = (...segments: readonly (readonly (readonly [number, number])[])[]): string =>
  `<trk><name>Plot</name>${segments.map((at) => `<trkseg>${points('trkpt', at)}</trkseg>`).join('')}</trk>`;

async function rowsOf(inside: string): Promise<readonly SourceFeature[]> {
  const { format, tables } = await readBytes(GPX(inside));
  assert.equal(format, 'gpx');
  return tables[0]!.rows as SourceFeature[];
}

/** About 222 m a side. */
const SQUARE = [
  [10, 5],
  [10.002, 5],
  [10.002, 5.002],
  [10, 5.002],
] as const;
const CLOSED = [...SQUARE, SQUARE[0]];

describe('a GPX file', () => {
  it('has waypoints, routes and tracks in its order, each with its own values and those of extensions', async () => {
    const rows = await rowsOf(
      `<metadata><name>All</name></metadata>
       <wpt lat="6.75" lon="-1.625"><ele>31</ele><name>Gate</name><link href="http://a.example/1"><text>more</text></link>
         <extensions xmlns:ogr="http://osgeo.org/gdal"><ogr:ProducerName>Ada &amp; Co</ogr:ProducerName></extensions></wpt>
       <rte><name>Road</name>${points('rtept', SQUARE.slice(0, 2))}</rte>${track(CLOSED)}<trk/>`,
    );
    assert.deepEqual(rows, [
      {
        row: 1,
        geometry: { type: 'Point', coordinates: [-1.625, 6.75] },
        properties: { ele: '31', name: 'Gate', link: 'http://a.example/1', ProducerName: 'Ada & Co', gpx: 'waypoint' },
      },
      {
        row: 2,
        geometry: { type: 'LineString', coordinates: SQUARE.slice(0, 2) },
        properties: { name: 'Road', gpx: 'route' },
      },
      {
        row: 3,
        geometry: { type: 'Polygon', coordinates: [CLOSED] },
        properties: { name: 'Plot', gpx: 'track' },
      },
      { row: 4, geometry: null, properties: { gpx: 'track' } },
    ]);
  });

  it('is closed where a track ends near its beginning, which is noted, and not where a side is missing', async () => {
    // 0.0001 degrees of latitude are 11 m.
    const [near, far, short, standing] = await rowsOf(
      track([...SQUARE, [10, 5.0001]]) +
        track([...SQUARE, [10, 5.0003]]) +
        // 33 m around, and 11 m open.
        track([
          [10, 5],
          [10.0001, 5],
          [10.0001, 5.0001],
          [10, 5.0001],
        ]) +
        track([SQUARE[0], SQUARE[0], SQUARE[0]]),
    );
    assert.deepEqual(near!.geometry, { type: 'Polygon', coordinates: [[...SQUARE, [10, 5.0001], SQUARE[0]]] });
    assert.deepEqual(near!.notes, [{ code: 'outline_closed', blanks: { metres: 11 } }]);
    for (const line of [far, short]) {
      assert.equal((line!.geometry as { type: string }).type, 'LineString');
      assert.equal(line!.notes, undefined);
    }
    assert.deepEqual(standing!.geometry, { type: 'LineString', coordinates: [SQUARE[0]] });
  });

  it('has a track of several segments as several outlines only where each is one', async () => {
    const other = CLOSED.map(([lon, lat]) => [lon + 1, lat] as const);
    const [both, one] = await rowsOf(track(CLOSED, [], other) + track(CLOSED, SQUARE.slice(0, 3)));
    assert.deepEqual(both!.geometry, { type: 'MultiPolygon', coordinates: [[CLOSED], [other]] });
    assert.deepEqual(one!.geometry, { type: 'MultiLineString', coordinates: [CLOSED, SQUARE.slice(0, 3)] });
  });

  it('keeps a row whose positions cannot be read, and says which', async () => {
    const [missing, word] = await rowsOf(
      '<wpt lat="1"><name>A</name></wpt><trk><trkseg><trkpt lat="5" lon="1"/><trkpt lat="north" lon="2"/></trkseg></trk>',
    );
    const note = (got: string) => [
      { code: 'unreadable_record', blanks: { reason: `wanted longitude,latitude, got "${got}"` } },
    ];
    assert.deepEqual([missing!.geometry, missing!.notes], [null, note(',1')]);
    assert.deepEqual([word!.geometry, word!.notes], [null, note('2,north')]);
  });

  it('is known by its outermost element, whatever comments and texts hold, also with others in an archive', async () => {
    const kml =
      '<?xml version="1.0"?><!-- <gpx> --><kml><Placemark><description><![CDATA[<svg/> <gpx>]]></description></Placemark></kml>';
    assert.equal((await readBytes(kml)).format, 'kml');
    assert.equal((await readBytes('<gpx><wpt lat="1" lon="2"/></gpx>')).format, 'gpx');
    const one = GPX('<wpt lat="1" lon="2"/>');
    const zipped = await readBytes(archive({ 'a/monday.gpx': one, 'a/tuesday.gpx': one }));
    assert.deepEqual(
      zipped.tables.map(({ name, rows }) => [name, rows.length]),
      [
        ['a/monday.gpx', 1],
        ['a/tuesday.gpx', 1],
      ],
    );
    await assert.rejects(readBytes(archive({ 'a.gpx': '<kml/>' })), /wanted GPX in a\.gpx, got other XML/);
  });

  it('gives back every waypoint and track that was written', async () => {
    const degrees = (limit: number) => integer({ min: -limit * 1e6, max: limit * 1e6 }).map((at) => at / 1e6);
    const position = record({ lon: degrees(180), lat: degrees(90) });
    const word = string({ unit: constantFrom(...'aé ﬀ&<"中'), maxLength: 6 });
    const place = record({
      name: word,
      at: array(position, { minLength: 1, maxLength: 6 }),
      isTrack: constantFrom(true, false),
    });
    await check(
      asyncProperty(array(place, { maxLength: 5 }), async (places) => {
        const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
        const rows = await rowsOf(
          places
            .map(({ name, at, isTrack }) => {
              const all = at.map(({ lon, lat }) => [lon, lat] as const);
              return isTrack
                ? `<trk><name>${escaped(name)}</name><trkseg>${points('trkpt', all)}</trkseg></trk>`
                : `<wpt lat="${all[0]![1]}" lon="${all[0]![0]}"><name>${escaped(name)}</name></wpt>`;
            })
            .join(''),
        );
        assert.equal(rows.length, places.length);
        for (const [i, { name, at, isTrack }] of places.entries()) {
          const { properties, geometry } = rows[i]!;
          assert.equal(properties['name'] ?? '', name.trim());
          const { type, coordinates } = geometry as { type: string; coordinates: unknown };
          if (!isTrack) assert.deepEqual(coordinates, [at[0]!.lon, at[0]!.lat]);
          // The same positions, but for those that repeat the one before and the one that closes an outline.
          else {
            const line = at
              .map(({ lon, lat }) => [lon, lat])
              .filter((here, k, all) => k === 0 || String(here) !== String(all[k - 1]));
            const read = (type === 'Polygon' ? (coordinates as unknown[])[0] : coordinates) as unknown[];
            assert.deepEqual(read.slice(0, line.length), line);
            assert.ok(read.length === line.length || (type === 'Polygon' && read.length === line.length + 1));
          }
        }
      }),
      { numRuns: runs(200) },
    );
  });
});
