import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openLocationFile } from '../../src/readers/formats/tables/open-location-file.ts';
import { buildRegistry } from '../../src/readers/producers/build-registry.ts';
import { openRegistry } from '../../src/readers/producers/open-registry.ts';
import { readRecords } from '../../src/readers/producers/read-records.ts';
import { findProducer, MATCH_RULES } from '../../src/service/datasets/find-producer.ts';
import { evidenceOf, never, pointAt, rate } from '../facility-sources.ts';
import { needsSharedData, SHARED_DATA } from '../shared-data.ts';

const MILLS = 'facilities/palm_mills_sample.csv';
const about = { title: 'Mills', version: '1', date: null, licence: '', attribution: '', synthetic: false };

describe('the producers of 407 real mills, looked up in their own list', needsSharedData(MILLS), () => {
  it('are confirmed where they are, and found elsewhere when their places are moved by 10 to 16 km', async () => {
    const file = await openLocationFile(join(SHARED_DATA, MILLS));
    if (!('tables' in file)) throw new Error(`${MILLS} is no table`);
    const { records } = await readRecords(file, {}, never);
    const producer = findProducer([openRegistry(buildRegistry('mills', records, about), MATCH_RULES)], []);
    const mills = records.flatMap(({ names, at }) => (at === null ? [] : [{ name: names[0], at }]));
    assert.equal(mills.length, 407);
    const looked = (lon: number, lat: number, name: string) => rate(pointAt(lon, lat, { name }), { producer });

    const there = mills.filter(({ name, at: [lon, lat] }) => looked(lon, lat, name).producer_confirmed);
    assert.ok(there.length >= 403, `${there.length} of 407 are confirmed where they are`);

    for (const [i, { name, at }] of mills.entries()) {
      const [metres, angle] = [10_000 + (6_000 * i) / mills.length, i * 2.4];
      const lat = at[1] + (Math.sin(angle) * metres) / 110_574;
      const lon = at[0] + (Math.cos(angle) * metres) / (111_320 * Math.cos((at[1] * Math.PI) / 180));
      const moved = looked(lon, lat, name);
      const found = evidenceOf(moved, 'producer_confirmation');
      assert.equal(moved.producer_confirmed, false, `${name}: ${moved.producer_confirmation_comment}`);
      if (found?.producer_state !== 'found_elsewhere') continue;
      assert.ok((found.distance_m ?? 0) > 3_600 && (found.distance_m ?? 0) < 16_200, `${name}: ${found.detail}`);
    }
  });
});
