import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { utmProjection, utmZoneOfEpsg } from './utm.ts';

const ORACLE = join(import.meta.dirname, '../../../test/oracles/crs/utm-points.json');
/** EPSG code, longitude, latitude, easting, northing by cs2cs, to a micrometre. */
const POINTS = JSON.parse(readFileSync(ORACLE, 'utf8')) as readonly (readonly [
  number,
  number,
  number,
  number,
  number,
])[];

describe('the UTM projection', () => {
  it('agrees with PROJ to a hundredth of a millimetre, within 10 degrees of the central meridian, both ways', () => {
    const out = new Float64Array(4);
    for (const [code, lon, lat, easting, northing] of POINTS) {
      const zone = utmZoneOfEpsg(code);
      assert.ok(zone);
      const { toXY, toLonLat } = utmProjection(zone.zone, zone.north);
      toXY(lon, lat, out, 0);
      assert.ok(
        Math.hypot(out[0] - easting, out[1] - northing) < 1e-5,
        `EPSG:${code} ${lon} ${lat}: ${out[0]} ${out[1]}`,
      );
      toLonLat(easting, northing, out, 2);
      const off = Math.hypot((out[2] - lon) * Math.cos((lat * Math.PI) / 180), out[3] - lat) * 111_319.49;
      assert.ok(off < 1e-5, `EPSG:${code} ${easting} ${northing}: ${out[2]} ${out[3]}`);
    }
  });

  it('comes back to where it started', () => {
    const out = new Float64Array(2);
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.boolean(),
        fc.double({ min: -6, max: 6, noNaN: true }),
        fc.double({ min: -84, max: 84, noNaN: true }),
        (zone, north, east, lat) => {
          const { toXY, toLonLat } = utmProjection(zone, north);
          const lon = zone * 6 - 183 + east;
          toXY(lon, lat, out, 0);
          toLonLat(out[0], out[1], out, 0);
          assert.ok(Math.abs(out[0] - lon) < 1e-10 && Math.abs(out[1] - lat) < 1e-10, `${out[0]} ${out[1]}`);
        },
      ),
    );
  });

  it('runs on over the antimeridian and takes longitudes of either side', () => {
    const { toXY, toLonLat } = utmProjection(60, true);
    const out = new Float64Array(4);
    toXY(-179.5, 10, out, 0);
    toXY(180.5, 10, out, 2);
    assert.deepEqual([...out.subarray(0, 2)], [...out.subarray(2)]);
    toLonLat(out[0], out[1], out, 2);
    assert.ok(Math.abs(out[2] - 180.5) < 1e-10);
  });

  it('knows its EPSG codes and no others', () => {
    assert.deepEqual(utmZoneOfEpsg(32601), { zone: 1, north: true });
    assert.deepEqual(utmZoneOfEpsg(32760), { zone: 60, north: false });
    for (const code of [32600, 32661, 32700, 32761, 4326, 25832, NaN]) assert.equal(utmZoneOfEpsg(code), null);
  });

  it('refuses a zone that does not exist', () => {
    assert.throws(() => utmProjection(61, true), /wanted a UTM zone 1 to 60, got 61/);
  });
});
