import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { producerWorth } from '../../facilities/producer-score.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import { readPack, writePack } from '../packs/pack-file.ts';
import { bestMatch } from './best-match.ts';
import { buildRegistry } from './build-registry.ts';
import { openRegistry } from './open-registry.ts';
import { REGISTRY_LAYOUT, type RegistryRecord } from './registry.ts';
import { runs } from '../../../test/property-runs.ts';

const about = { title: 'Mills', version: '1', date: null, licence: 'x', attribution: 'y', synthetic: false };
const rules = { worth: producerWorth, nearM: 25_000 };
const open = (records: readonly RegistryRecord[]) => openRegistry(buildRegistry('mills', records, about), rules);
const at = (lon: number, lat: number): Shape => toShape({ type: 'Point', coordinates: [lon, lat] }).shape as Shape;
const record = (id: string, names: string[], place: RegistryRecord['at'], country: string | null = null) => ({
  id,
  names,
  at: place,
  country,
});

describe('a registry', () => {
  const mills = [
    record('A', ['ROMPIN', 'ROMPIN PALM OIL MILL SDN BHD'], [103.174722, 3.077222]),
    record('B', ['ROMPIN'], [110, 1]),
    record('C', ['Keratong 3'], [103.18, 3.08]),
    record('D', ['Aceites Cimarrones SAS'], null, 'CO'),
  ];

  it('gives the record that is worth most by name and place, under the name that matched', () => {
    const match = open(mills).find('Rompin Palm Oil Mill', at(103.17, 3.07), 'MY');
    assert.deepEqual(
      [match?.registry, match?.recordId, match?.name, match?.nameSimilarity],
      ['Mills', 'A', 'ROMPIN PALM OIL MILL SDN BHD', 1],
    );
    assert.ok(Math.abs((match?.distanceM ?? 0) - 957) < 5, String(match?.distanceM));
    assert.equal(open(mills).find('Rompin', at(110.01, 1), 'MY')?.recordId, 'B');
  });

  it('finds a name far away, and one without a place in its own country only', () => {
    assert.ok((open(mills.slice(0, 1)).find('Rompin', at(0, 50), null)?.distanceM ?? 0) > 1e7);
    assert.equal(open(mills).find('ACEITES CIMARRONES', at(-74, 10), 'CO')?.distanceM, null);
    assert.equal(open(mills).find('ACEITES CIMARRONES', at(103, 3), 'MY'), null);
  });

  it('finds nothing for a name that resembles none', () => {
    for (const name of ['Zzyzx Trading', '', '???', 'Palm'])
      assert.equal(open(mills).find(name, at(103, 3), null), null);
  });

  it('covers the ground around its records, or all of it when some have no place', () => {
    const located = open(mills.slice(0, 3));
    assert.deepEqual(
      [located.covers(at(103, 3)), located.covers(at(102.98, 3)), located.covers(at(0, 50))],
      [true, true, false],
    );
    assert.equal(open(mills).covers(at(0, 50)), true);
  });

  it('reads back from disk as it was', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-registry-'));
    try {
      const path = join(folder, 'mills.registry');
      await writePack(path, buildRegistry('mills', mills, about));
      const { pack } = await readPack(path, 'mills', REGISTRY_LAYOUT);
      assert.ok(pack !== null);
      assert.equal(openRegistry(pack, rules).find('Keratong 3', at(103.18, 3.08), null)?.recordId, 'C');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('finds what comparing with every record finds', () => {
    const word = fc.stringMatching(/^[a-c]{3,6}$/);
    const name = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
    const place = fc.option(
      fc.tuple(fc.double({ min: 100, max: 101, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
    );
    const records = fc.array(fc.record({ names: fc.array(name, { minLength: 1, maxLength: 3 }), at: place }), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(records, name, (list, wanted) => {
        const numbered = list.map((each, i) => record(String(i), each.names, each.at));
        const here = at(100.5, 0.5);
        const found = open(numbered).find(wanted, here, null);
        const best = bestMatch('Mills', numbered, { name: wanted, shape: here }, rules);
        const worth = (match: typeof best): number => (match === null ? 0 : producerWorth(match));
        // A record alike in spite of not one run of three letters in common is not looked for.
        if (found === null && best !== null) assert.ok(best.nameSimilarity < 0.8, JSON.stringify(best));
        else
          assert.ok(
            worth(found) >= worth(best) - 1 || (best?.nameSimilarity ?? 0) < 0.8,
            JSON.stringify({ found, best }),
          );
      }),
      { numRuns: runs(300) },
    );
  });
});
