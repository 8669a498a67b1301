import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { seededRandom } from '../../geo/seeded-random.ts';
import { FEATURE_FORMATS, featureText, type FeatureFormat } from '../../locations/formats/feature-text.ts';
import { locationColumns } from '../../locations/normalized.ts';
import { DEFAULT_LOCATION_OPTIONS } from '../../locations/options.ts';
import type { RatingHelper } from '../facilities/rating-helper.ts';
import { HelperEnded } from '../files/work-in-order.ts';
import { createLocationService, createSourceMemory, createSources, type OpenedLocations } from './locations.ts';
import { normalizeInParts, tableInParts } from './normalize-in-parts.ts';
import { normalizePart } from './normalize-part.ts';

type Data = Parameters<typeof createLocationService>[0];

const COUNTRIES = { west: { iso2: 'CO', name: 'Colombia' }, east: { iso2: 'BR', name: 'Brazil' } };

/** A world in which some places are found late and some in another dataset. */
const DATA = {
  sources: {
    whereabouts([lon, lat]: readonly [number, number]) {
      const answer = {
        dataset: { id: lat > 6 ? 'north' : 'south', version: '1' },
        value: { country: lon < -70 ? COUNTRIES.west : COUNTRIES.east, neighbours: [] },
      };
      return lat < 1.2 ? Promise.resolve(answer) : answer;
    },
  },
  places: { use: () => null },
  geocoders: [],
  datasets: [],
  citation: (id: string, version: string) => ({ id, version, licence: 'L', attribution: id, synthetic: false }),
} as unknown as Data;

const ROWS = 4_000;
const FORMATS = Object.keys(FEATURE_FORMATS) as FeatureFormat[];
const NEVER = new AbortController().signal;

/** Names, numbers and outlines as people write them, some of which nobody can read. */
function table(): string {
  const random = seededRandom(5);
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)];
  const degrees = (low: number): string =>
    one([
      (low + 8 * random()).toFixed(6),
      (low + 8 * random()).toFixed(3).replace('.', ','),
      `${(1 + random()).toFixed(2)}° N`,
      '-0',
      'somewhere',
      '',
    ]);
  const names = ['Finca "La Unión"', 'Mill,\n two lines', '😀', 'unknown', '=A1', '  two  spaces', 'x'.repeat(40)];
  const quoted = (cell: string): string => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const lines = Array.from({ length: ROWS }, (_, i) => {
    const place = one(['', '', '', 'POLYGON ((-75 4, -75 4.01, -74.99 4.01, -75 4))', 'nowhere']);
    const area = one(['1.5', '2,345', '3 ha', '']);
    const cells = [`P${i}`, one(names), degrees(-1), degrees(-77), one(['Colombia', 'BR', 'Narnia']), area, place];
    return `${[...cells, ...(i % 97 === 0 ? ['more'] : [])].map(quoted).join(',')}${i % 50 === 0 ? '\n' : ''}\n`;
  });
  return `Farms of the north\n\nid,Name,Latitude,Longitude,Country,Area (ha),WKT\n${lines.join('')}`;
}

/** Works in this thread after `delay`, on copies, like a thread of its own; ends with part number `endsAt`. */
function helper(delay: (part: number) => Promise<unknown>, endsAt = Infinity) {
  const state = { given: 0 };
  const memory = createSourceMemory();
  const normalize: RatingHelper['normalize'] = async (part, job) => {
    const number = ++state.given;
    await delay(number);
    if (number >= endsAt) throw new HelperEnded('made to end');
    const [own, ownJob] = [structuredClone(part), structuredClone(job)];
    return structuredClone(await normalizePart(own, ownJob, createSources(DATA, memory), NEVER));
  };
  return { state, normalize };
}

const turns = (count: number) => async () => {
  for (let i = 0; i < count; i++) await new Promise(setImmediate);
};

describe('a table that several threads normalise', () => {
  let folder = '';
  let opened: OpenedLocations;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-parts-'));
    const path = join(folder, 'farms.csv');
    await writeFile(path, table());
    opened = await createLocationService(DATA, { maxFeatures: 1_000_000 }, 1_000_000).open(
      path,
      DEFAULT_LOCATION_OPTIONS,
    );
  });
  after(async () => {
    await opened[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  function inParts(format: FeatureFormat, helpers: readonly Pick<RatingHelper, 'normalize'>[], signal = NEVER) {
    const prepared = tableInParts(opened, DATA);
    assert.ok(prepared !== null);
    return normalizeInParts({ opened, table: prepared, data: DATA, format, helpers, signal });
  }

  for (const format of FORMATS)
    test(`has the bytes of ${format} that its rows have one by one, with any number of threads`, async () => {
      const fresh = await createLocationService(DATA, { maxFeatures: 1_000_000 }, 1_000_000).open(
        join(folder, 'farms.csv'),
        DEFAULT_LOCATION_OPTIONS,
      );
      const run = fresh.normalize(NEVER);
      const expected = (await Array.fromAsync(featureText(format, { ...run, columns: locationColumns }))).join('');
      await fresh[Symbol.asyncDispose]();
      assert.equal(run.aggregate().total, ROWS);
      assert.deepEqual(
        run
          .aggregate()
          .datasets.map(({ id }) => id)
          .sort(),
        ['north', 'south'],
      );
      const slow = helper(turns(40));
      for (const helpers of [[], [helper(turns(0))], [slow, helper(turns(2)), helper(turns(1), 3)]]) {
        const pieces = await Array.fromAsync(inParts(format, helpers));
        assert.ok(pieces.length > 8, `${pieces.length} pieces`);
        // The last one is given parts first.
        assert.ok(helpers.length === 0 || helpers.at(-1)!.state.given > 1);
        assert.equal(Buffer.concat(pieces).toString(), expected);
      }
    });

  test('ends when it is cancelled', async () => {
    const abort = new AbortController();
    const pieces = inParts('ndjson', [helper(turns(1))], abort.signal);
    await pieces.next();
    abort.abort(new Error('the client left'));
    await assert.rejects(Array.fromAsync(pieces), { message: 'the client left' });
  });

  test('fails with what broke in a helper', async () => {
    const broken = { normalize: () => Promise.reject(new Error('a fault')) };
    await assert.rejects(Array.fromAsync(inParts('geojson', [broken])), { message: 'a fault' });
  });

  test('is left to one thread where services on the network are asked', () => {
    const geocoders = [{}] as unknown as Data['geocoders'];
    assert.equal(tableInParts(opened, { ...DATA, geocoders }), null);
  });
});
