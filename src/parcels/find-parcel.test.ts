import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '../errors.ts';
import { type Crs, findCrs } from '../geo/crs/find-crs.ts';
import { polygonArea } from '../geo/rings/polygon-area.ts';
import { findParcel, type FindParcelOptions } from './find-parcel.ts';
import type { Parcel, ParcelsAt, ParcelSource } from './parcel.ts';
import { PARCEL_WARNINGS } from './warnings.ts';

const WGS84 = crsOf('EPSG:4326');
const square = (west: number, south: number, side: number): Float64Array =>
  Float64Array.of(west, south, west + side, south, west + side, south + side, west, south + side, west, south);
const lot = (id: string, west: number, south: number, side: number): Parcel => ({
  id,
  polygons: [[square(west, south, side)]],
  attributes: { owner: 'x' },
});

/** A cadastre of the box 0 to 10 degrees both ways. */
function cadastre(id: string, parcels: readonly Parcel[], over: Partial<ParcelSource> = {}): ParcelSource {
  return {
    dataset: { id, version: '1', synthetic: false },
    jurisdiction: `CA-${id}`,
    covers: (lon, lat) => lon >= 0 && lat >= 0 && lon <= 10 && lat <= 10,
    near: async (): Promise<ParcelsAt> => ({ parcels, isCut: false }),
    ...over,
  };
}
const failing = (fault: Error): Partial<ParcelSource> => ({
  near: async () => {
    throw fault;
  },
});

async function find(sources: readonly ParcelSource[], at = [0.5, 0.5], over: Partial<FindParcelOptions> = {}) {
  const signal = new AbortController().signal;
  const answer = await findParcel([at[0], at[1]], sources, { crs: WGS84, timeoutMs: 1_000, signal, ...over });
  return { ...answer, codes: answer.properties.warnings.map(({ code }) => code) };
}

describe('the parcel that holds a place', () => {
  it('comes with its outline to the last bit, its attributes, its geodesic size and its receipt', async () => {
    const ring = square(0.1, 0.2, 0.7);
    const { geometry, properties, isOutside } = await find([cadastre('A', [lot('p', 0.1, 0.2, 0.7)])]);
    assert.deepEqual(geometry, {
      type: 'Polygon',
      coordinates: [Array.from({ length: 5 }, (_, i) => [ring[2 * i], ring[2 * i + 1]])],
    });
    assert.deepEqual(
      { ...properties },
      {
        input_point: [0.5, 0.5],
        source: 'parcels',
        parcel_id: 'p',
        jurisdiction: 'CA-A',
        attributes: { owner: 'x' },
        area_ha: Math.round(polygonArea([ring]).area) / 10_000,
        perimeter_m: Math.round(polygonArea([ring]).perimeter * 10) / 10,
        dataset: 'A',
        dataset_version: '1',
        retrieved_at: null,
        synthetic: false,
        warnings: [],
      },
    );
    assert.equal(isOutside, false);
  });

  it('has exterior rings counter-clockwise, holes clockwise, and several parts as a MultiPolygon', async () => {
    const clockwise = Float64Array.of(0, 0, 0, 1, 1, 1, 1, 0, 0, 0);
    const hole = square(0.1, 0.1, 0.2);
    const parcel = { id: 'm', polygons: [[clockwise, hole], [square(3, 3, 1)]], attributes: {} };
    const { geometry } = await find([cadastre('A', [parcel])]);
    assert.equal(geometry?.type, 'MultiPolygon');
    const [[exterior, inner]] = geometry.type === 'MultiPolygon' ? geometry.coordinates : [];
    assert.deepEqual(exterior[1], [1, 0]);
    assert.deepEqual(inner[1], [0.1, 0.1 + 0.2]);
  });

  it('is the smallest of several over each other, then the first by id, and reports the others', async () => {
    const parcels = [lot('land', 0, 0, 1), lot('S2', 0.4, 0.4, 0.2), lot('S1', 0.4, 0.4, 0.2)];
    for (const order of [parcels, parcels.toReversed()]) {
      const { properties } = await find([cadastre('A', order)]);
      assert.equal(properties.parcel_id, 'S1');
      assert.deepEqual(properties.warnings, [
        {
          code: 'several_parcels',
          message: '3 parcels hold this place; the smallest is given. The others: S2, land.',
          messages: { message: [{ code: 'parcel.several', params: { count: '3', others: 'S2, land' } }] },
        },
      ]);
    }
  });

  it('is the same on a boundary whatever the order, and the warning names the neighbours', async () => {
    const parcels = [lot('west', 0, 0, 1), lot('east', 1, 0, 1), lot('around', 0.5, 0, 3)];
    for (const order of [parcels, parcels.toReversed()]) {
      const inside = await find([cadastre('A', order)], [1, 0.5]);
      assert.deepEqual([inside.properties.parcel_id, inside.codes], ['around', []]);
      const shared = await find(
        [
          cadastre(
            'A',
            order.filter(({ id }) => id !== 'around'),
          ),
        ],
        [1, 0.5],
      );
      assert.equal(shared.properties.parcel_id, 'east');
      assert.match(shared.properties.warnings[0].message, /boundary of the parcel, and of others: west\.$/);
      const edge = await find([cadastre('A', [parcels[0]])], [0, 0.5]);
      assert.equal(edge.properties.warnings[0].message, 'The place lies on the boundary of the parcel.');
    }
  });

  it('names ten others at most', async () => {
    const lots = Array.from({ length: 200 }, (_, i) => lot(`S${String(i).padStart(3, '0')}`, 0, 0, 1));
    const { properties } = await find([cadastre('A', lots)]);
    assert.match(properties.warnings[0].message, /^200 parcels .* S010, 189 more\.$/);
  });

  it('is null inside a footprint without a parcel, and outside of every footprint, each with its own warning', async () => {
    const sources = [cadastre('A', [lot('p', 4, 4, 1)])];
    const road = await find(sources);
    assert.deepEqual([road.geometry, road.codes, road.isOutside], [null, ['no_parcel'], false]);
    assert.deepEqual([road.properties.source, road.properties.jurisdiction], ['parcels', 'CA-A']);
    const beyond = await find(sources, [20, 0.5]);
    assert.deepEqual([beyond.geometry, beyond.codes, beyond.isOutside], [null, ['outside_parcel_footprint'], true]);
    assert.equal(beyond.properties.source, null);
  });

  it('comes from the first source that has one, so that a footprint that reaches too far hides no neighbour', async () => {
    const [first, second] = [cadastre('A', []), cadastre('B', [lot('b', 0, 0, 1)])];
    assert.equal((await find([first, second])).properties.dataset, 'B');
    assert.equal((await find([cadastre('A', [lot('a', 0, 0, 9)]), second])).properties.dataset, 'A');
  });

  it('is not known where a source failed: never absent, and never left to the forest', async () => {
    const reported: string[] = [];
    const reportFailure = (dataset: string): void => void reported.push(dataset);
    const down = cadastre('A', [], failing(new Problem('dependency_unavailable', 'the service is down')));
    const { codes, properties, isOutside } = await find([down, cadastre('B', [])], undefined, { reportFailure });
    assert.deepEqual([codes, isOutside], [['source_unavailable'], false]);
    assert.match(properties.warnings[0].message, /A: the service is down\.$/);
    assert.deepEqual(reported, ['A']);
    const found = await find([down, cadastre('B', [lot('b', 0, 0, 1)])]);
    assert.deepEqual([found.properties.parcel_id, found.codes], ['b', ['other_source_failed']]);
  });

  it('says nothing of what is wrong inside of us', async () => {
    const { properties } = await find([cadastre('A', [], failing(new Error('ENOENT /srv/secret')))]);
    assert.equal(properties.warnings[0].message, 'The parcel could not be looked up: A: its data could not be read.');
  });

  it('gives up after its deadline, and rejects when the caller leaves', async () => {
    const hanging = cadastre('A', [], {
      near: (_lon, _lat, signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
    });
    const late = await find([hanging], undefined, { timeoutMs: 5 });
    assert.match(late.properties.warnings[0].message, /A: no answer within 5 ms/);
    const leave = new AbortController();
    const asked = find([hanging], undefined, { signal: leave.signal });
    leave.abort(new Error('gone'));
    await assert.rejects(asked, /gone/);
  });

  it('is not claimed to be absent where more parcels lie than were read', async () => {
    const cut = (parcels: readonly Parcel[]) => cadastre('A', [], { near: async () => ({ parcels, isCut: true }) });
    assert.deepEqual((await find([cut([])])).codes, ['source_unavailable']);
    assert.deepEqual((await find([cut([lot('a', 0, 0, 1)])])).codes, ['more_parcels']);
  });

  it('reports a boundary that is not valid, of generated data and of kept answers', async () => {
    const bow = { id: 'bow', polygons: [[Float64Array.of(0, 0, 1, 1, 1, 0, 0, 1, 0, 0)]], attributes: {} };
    const source = cadastre('A', [bow], {
      dataset: { id: 'A', version: 'live', synthetic: true },
      near: async () => ({ parcels: [bow], isCut: false, version: '2026-11-20', retrievedAt: 'T', note: 'Kept.' }),
    });
    const { codes, properties } = await find([source], [0.1, 0.5]);
    assert.deepEqual(codes, ['invalid_parcel_geometry', 'kept_answer', 'synthetic_data']);
    assert.match(properties.warnings[0].message, /it crosses itself at \[0\.5, 0\.5\]/);
    assert.deepEqual([properties.dataset_version, properties.retrieved_at], ['2026-11-20', 'T']);
  });

  it('comes in the CRS that is requested, or says that it does not reach it', async () => {
    const sources = [cadastre('A', [lot('p', 3, 3, 1)])];
    const { geometry } = await find(sources, [3.5, 3.5], { crs: crsOf('EPSG:32631') });
    const [[x, y]] = geometry?.type === 'Polygon' ? geometry.coordinates[0] : [];
    assert.ok(Math.abs(x - 500_000) < 0.01 && Math.abs(y - 331_593.2) < 1, `${x} ${y}`);
    const far = cadastre('A', [lot('p', 3, 89.5, 0.5)], { covers: () => true });
    const beyond = await find([far], [3.2, 89.7], { crs: crsOf('EPSG:3857') });
    assert.deepEqual([beyond.geometry, beyond.codes], [null, ['outside_crs']]);
    assert.equal(beyond.properties.parcel_id, 'p');
  });

  it('has a message without blanks for every warning', () => {
    for (const [code, { message, fix }] of Object.entries(PARCEL_WARNINGS)) {
      assert.ok(message.length > 5 && fix.length > 5, code);
    }
  });
});

function crsOf(text: string): Crs {
  const crs = findCrs(text);
  assert.ok(!('refused' in crs));
  return crs;
}
