import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { inflateSync } from 'node:zlib';
import { TWO_YEAR_PLACE, writeTwoYears, YEAR_AFTER, YEAR_BEFORE } from '../two-year-mosaic.ts';
import { runService, type RunningProcess } from './run-service.ts';

interface Answer {
  readonly status: string;
  readonly detail: string | null;
  readonly dataset: string | null;
  readonly synthetic: boolean;
  readonly years: readonly number[];
  readonly explained: number | null;
  readonly pictures: readonly {
    readonly year: number;
    readonly width: number;
    readonly corners: readonly (readonly [number, number])[];
    readonly nodata_share: number;
    readonly png: string;
  }[];
}

describe('embeddings in false colour', () => {
  let service: RunningProcess;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-colours-'));
    service = await runService({ env: { PUBLIC_DATA: 'off', CATALOGUE: await writeTwoYears(folder) } });
  });
  after(async () => {
    await service[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });

  const get = async (query: string) => {
    const response = await service.fetch(`/forest_polygon/false_colour?${query}`);
    return { status: response.status, body: (await response.json()) as Answer };
  };

  it('are a picture with the place in its middle', async () => {
    const { status, body } = await get('longitude=102.61&latitude=4.6');
    assert.equal(status, 200);
    assert.equal(body.status, 'found');
    assert.equal(body.dataset, 'sample-district');
    assert.equal(body.synthetic, true);
    assert.ok(body.explained !== null && body.explained > 0.3 && body.explained <= 1, String(body.explained));
    const [picture] = body.pictures;
    assert.equal(body.pictures.length, 1);
    assert.equal(picture?.year, body.years.at(-1));
    const lon = picture!.corners.reduce((sum, corner) => sum + corner[0], 0) / 4;
    const lat = picture!.corners.reduce((sum, corner) => sum + corner[1], 0) / 4;
    assert.ok(Math.abs(lon - 102.61) < 2e-4 && Math.abs(lat - 4.6) < 2e-4, `${lon} ${lat}`);
    const [[west, north], , [east, south]] = picture!.corners as [[number, number], unknown, [number, number]];
    assert.ok(west < east && south < north);
    const rgb = pixelsOf(picture!.png, picture!.width);
    assert.ok(new Set(rgb).size > 20);
  });

  it('have one colour for one ground in two years', async () => {
    const [lon, lat] = TWO_YEAR_PLACE;
    const { body } = await get(`longitude=${lon}&latitude=${lat}&years=${YEAR_BEFORE},${YEAR_AFTER}`);
    assert.equal(body.status, 'found');
    assert.ok([YEAR_BEFORE, YEAR_AFTER].every((year) => body.years.includes(year)));
    assert.deepEqual(
      body.pictures.map(({ year }) => year),
      [YEAR_BEFORE, YEAR_AFTER],
    );
    assert.deepEqual(body.pictures[0]!.corners, body.pictures[1]!.corners);
    const [before, after] = body.pictures.map(({ png, width }) => {
      const pixels = pixelsOf(png, width);
      const row = (width / 2) * width;
      return { west: pixels[row + 20], east: pixels[row + width - 20] };
    });
    assert.equal(before!.west, after!.west);
    assert.equal(after!.west, after!.east);
    assert.notEqual(before!.west, before!.east);
  });

  it('say that no dataset covers a place or a year', async () => {
    const outside = await get('longitude=0.5&latitude=-30');
    assert.equal(outside.body.status, 'outside_coverage');
    assert.deepEqual(outside.body.pictures, []);
    const year = await get('longitude=102.61&latitude=4.6&years=2019');
    assert.equal(year.body.status, 'outside_coverage');
    assert.match(year.body.detail ?? '', /wanted 2019/);
    assert.ok(year.body.years.length > 0);
  });

  it('say which of two years has no picture, and draw the same year once', async () => {
    const [lon, lat] = TWO_YEAR_PLACE;
    const place = `longitude=${lon}&latitude=${lat}`;
    const { body: half } = await get(`${place}&years=${YEAR_AFTER},2016`);
    assert.deepEqual([half.status, half.pictures.map(({ year }) => year)], ['found', [YEAR_AFTER]]);
    assert.match(half.detail ?? '', new RegExp(`here; wanted ${YEAR_AFTER}, 2016\\.`));
    const { body: once } = await get(`${place}&years=${YEAR_AFTER},${YEAR_AFTER}`);
    assert.deepEqual([once.detail, once.pictures.length], [null, 1]);
  });

  it('refuse what is no place or no year', async () => {
    for (const query of [
      'longitude=200&latitude=4',
      'longitude=2',
      'longitude=2&latitude=4&years=19',
      'longitude=2&latitude=4&years=2019,2020,2021',
      'longitude=2&latitude=4&colour=red',
    ])
      assert.equal((await get(query)).status, 422, query);
  });
});

/** The colours of the pixels of a PNG of 8 bits a channel without filters. */
function pixelsOf(png: string, width: number): readonly string[] {
  const bytes = Buffer.from(png, 'base64');
  const at = bytes.indexOf('IDAT');
  const rows = inflateSync(bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at - 4)));
  const found: string[] = [];
  for (let row = 0; row + 1 + 3 * width <= rows.length; row += 1 + 3 * width)
    for (let x = 0; x < width; x++) found.push(rows.subarray(row + 1 + 3 * x, row + 4 + 3 * x).toString('hex'));
  return found;
}
