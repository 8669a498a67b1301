import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { box, memoryRows, point } from '../../test/memory/feature-rows.ts';
import { runs } from '../../test/property-runs.ts';
import { boxesOf } from './boxes.ts';
import { parseCql2Text } from './cql2/parse-text.ts';
import type { FeatureRows } from './feature-rows.ts';
import { MAX_EXAMINED, type PageRequest, readPage } from './read-page.ts';

const { signal } = new AbortController();
const ALL: Omit<PageRequest, 'limit' | 'after'> = { boxes: null, filter: null };

/** The ids of every page, following `next`. */
async function pagesOf(rows: FeatureRows, request: Omit<PageRequest, 'after'>): Promise<string[][]> {
  const pages: string[][] = [];
  for (let after: number | null = null; ;) {
    const { features, next } = await readPage(rows, { ...request, after }, signal);
    pages.push(features.map(({ id }) => id));
    if (next === null) return pages;
    assert.ok(next > (after ?? -1), 'a page goes on where the one before ended');
    after = next;
  }
}

describe('pages of features', () => {
  it('hold every feature once and in order, whatever the limit, box and groups', async () => {
    const places = fc.array(
      fc.record({ lon: fc.integer({ min: -180, max: 180 }), lat: fc.integer({ min: -9, max: 9 }), lost: fc.boolean() }),
      { maxLength: 60 },
    );
    const wanted = fc.tuple(fc.integer({ min: -180, max: 180 }), fc.integer({ min: -180, max: 180 }));
    await fc.assert(
      fc.asyncProperty(
        places,
        wanted,
        fc.integer({ min: 1, max: 70 }),
        fc.integer({ min: 1, max: 20 }),
        async (all, [west, east], limit, group) => {
          const rows = memoryRows(
            all.map(({ lon, lat, lost }) => ({ geometry: lost ? null : point(lon, lat) })),
            { group },
          );
          const inBox = ({ lon, lost }: { lon: number; lost: boolean }): boolean =>
            !lost && (west <= east ? lon >= west && lon <= east : lon >= west || lon <= east);
          const expected = all.flatMap((place, i) => (inBox(place) ? [String(i)] : []));
          const pages = await pagesOf(rows, { ...ALL, boxes: boxesOf([west, -90, east, 90]), limit });
          assert.deepEqual(pages.flat(), expected);
          assert.ok(pages.slice(0, -1).every((page) => page.length === limit));
          assert.deepEqual(
            (await pagesOf(rows, { ...ALL, limit })).flat(),
            all.map((_, i) => String(i)),
          );
        },
      ),
      { numRuns: runs(300) },
    );
  });

  it('leave out a feature whose box touches and whose shape does not', async () => {
    const triangle = {
      type: 'Polygon' as const,
      coordinates: [
        [
          [0, 0],
          [10, 0],
          [0, 10],
          [0, 0],
        ],
      ],
    };
    const rows = memoryRows([{ geometry: triangle }, { geometry: box(8, 8, 9, 9) }]);
    assert.deepEqual(await pagesOf(rows, { ...ALL, boxes: [[8, 8, 10, 10]], limit: 5 }), [['1']]);
  });

  it('look at a bounded number of features for a filter that few pass, and lead on', async () => {
    const count = MAX_EXAMINED * 2 + 2_000;
    const rows = memoryRows(
      Array.from({ length: count }, (_, i) => ({ geometry: point(0, 0), properties: { n: i } })),
      { group: 4_096 },
    );
    const filter = parseCql2Text(`n = ${count - 1}`, null);
    const pages = await pagesOf(rows, { ...ALL, filter, limit: 10 });
    assert.deepEqual(pages, [[], [], [String(count - 1)]]);
    assert.equal(rows.wereRead(), count);
    const first = await readPage(rows, { ...ALL, filter, after: null, limit: 10 }, signal);
    assert.equal(first.matched, null);
  });

  it('end early where the geometries are large', async () => {
    const coast = Array.from({ length: 300_000 }, (_, i) => [i / 3_000, 0]);
    const rows = memoryRows(
      Array.from({ length: 5 }, () => ({ geometry: { type: 'LineString' as const, coordinates: coast } })),
    );
    assert.deepEqual(await pagesOf(rows, { ...ALL, limit: 5 }), [['0', '1'], ['2', '3'], ['4']]);
  });
});
