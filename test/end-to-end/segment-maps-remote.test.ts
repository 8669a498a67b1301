import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { openAefSite } from './aef-site.ts';
import { misbehave } from './byte-source-site.ts';
import { entryOf, writeForestDistrict } from './forest-district.ts';
import { runCommand } from './run-command.ts';
import { runService, type RunningProcess } from './run-service.ts';
import { allSegments, idsOf, scipySegments, segmentPage } from './segment-pages.ts';

describe('segments of a label store at an address', () => {
  let folder: string;
  let labels: string;
  let site: Awaited<ReturnType<typeof openAefSite>>;
  let service: RunningProcess;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-segments-'));
    labels = join(folder, 'far-labels');
    site = await openAefSite(folder);
    const far = { ...entryOf('far', 'zarr'), role: 'forest-labels', url: `${site.base}/far-labels` };
    const { catalogue } = await writeForestDistrict(folder, [far]);
    const env = { CATALOGUE: catalogue, CACHE_MAX_MB: '0' };
    const words = ['store', 'build', '--dataset', 'district', '--out', labels, '--quiet'];
    const built = await runCommand(words, { ...env, DATA_DIR: join(folder, 'built') });
    assert.equal(built.code, 0, built.err);
    service = await runService({ env });
  });
  after(async () => {
    await service?.[Symbol.asyncDispose]();
    await site?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  it('are listed without a request, and read by ranges', async () => {
    const { length } = site.requests;
    const list = JSON.stringify(await segmentPage(service, '/ogc/collections'));
    assert.match(list, /"far"/);
    assert.equal(site.requests.length, length);
    await segmentPage(service, '/ogc/collections/far/items?limit=3');
    assert.ok(site.requests.length > length);
  });

  it('are each there once, as scipy finds them in the files, whatever the pages', async () => {
    const all = await allSegments(service, 'far', 'limit=1000');
    const expected = await scipySegments(labels, folder);
    assert.ok(expected.ids.length > 5, `only ${expected.ids.length}`);
    assert.deepEqual(idsOf(all), expected.ids.toSorted());
    assert.equal(all.leftOut, expected.cut);
    assert.deepEqual(idsOf(await allSegments(service, 'far', 'limit=4')), idsOf(all));
    assert.ok(all.segments.every(({ properties }) => properties['dataset'] === 'far'));
    const [one] = all.segments;
    const item = await segmentPage(service, `/ogc/collections/far/items/${one.id}`);
    assert.deepEqual((item as unknown as typeof one).geometry, one.geometry);
  });

  it('are drawn in tiles near by, and as what was built farther away', async () => {
    const [one] = (await allSegments(service, 'far', 'limit=1000')).segments;
    const layers = async (z: number): Promise<string> => {
      const [x, y] = tileOf(
        one.properties['marker_longitude'] as number,
        one.properties['marker_latitude'] as number,
        z,
      );
      const env = { ...process.env, GDAL_HTTP_HEADERS: `Authorization: Bearer ${service.token}` };
      const words = ['-ro', '-al', `MVT:${service.url}/tiles/far/${z}/${x}/${y}.pbf`];
      return (await promisify(execFile)('ogrinfo', words, { env, maxBuffer: 50_000_000 })).stdout;
    };
    const near = await layers(13);
    assert.match(near, /Layer name: features\n/);
    assert.ok(near.includes(` id (String) = ${one.id}\n`));
    assert.match(await layers(5), /Layer name: coverage\n/);
  });

  it('are refused with 503 while the address cannot be read, and the list stays', async () => {
    await using cold = await runService({ env: { CATALOGUE: join(folder, 'catalogue.json'), CACHE_MAX_MB: '0' } });
    site.misbehave(/labels/, misbehave(403, {}));
    const refused = await segmentPage(cold, '/ogc/collections/far/items', 503);
    assert.match(String(refused.detail), /label store far cannot be read/);
    assert.match(JSON.stringify(await segmentPage(cold, '/ogc/collections')), /"far"/);
    const tile = await cold.fetch('/tiles/far/13/0/0');
    assert.equal(tile.status, 503);
  });
});

/** The tile of Web Mercator that holds a place. */
function tileOf(longitude: number, latitude: number, zoom: number): readonly [x: number, y: number] {
  const phi = (latitude * Math.PI) / 180;
  const count = 2 ** zoom;
  const y = (1 - Math.log(Math.tan(phi) + 1 / Math.cos(phi)) / Math.PI) / 2;
  return [Math.floor(((longitude + 180) / 360) * count), Math.floor(y * count)];
}
