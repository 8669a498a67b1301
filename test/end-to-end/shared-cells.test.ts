import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { bucketPlace, type BucketPlace } from '../../src/config/bucket-place.ts';
import { readConfig } from '../../src/config/settings.ts';
import { openS3 } from '../../src/db/object-store/open-s3.ts';
import { DAY_MS } from '../../src/durations.ts';
import { openNetwork } from '../../src/readers/io/network.ts';
import { openAutoData } from '../../src/service/auto-data/auto-data.ts';
import { autoPacks } from '../../src/service/auto-data/auto-packs.ts';
import { overtureSite, writeOvertureCatalogue } from '../overture-site.ts';
import { startTestBucket, type TestBucket } from '../test-bucket.ts';
import { ask, TOWN, writeWorld } from './overture-world.ts';

const RELEASE = '2026-09-23.1';
const NEXT = '2026-11-18.0';
const QUIET = { info: () => {}, warn: () => {} };
const QUESTIONS = ['nearestRoad', 'nearestWater', 'buildings', 'businesses'] as const;

describe('map data that one host fetched', () => {
  let root: string;
  let bucket: TestBucket;
  let place: BucketPlace;
  let round = 0;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'shared-cells-'));
    await writeWorld(join(root, 'world'), RELEASE);
    await writeOvertureCatalogue(join(root, 'world'));
    bucket = await startTestBucket();
  });
  beforeEach(() => {
    bucket.fault = () => null;
    const env = { ...bucket.env, OBJECT_STORE_URL: `${bucket.url}/${round++}`, DATABASE_URL: 'postgres://unused' };
    place = bucketPlace(readConfig(env))!;
  });
  after(async () => {
    await bucket?.[Symbol.asyncDispose]();
    await rm(root, { recursive: true, force: true });
  });

  /** A host with a data folder of its own, empty at first. */
  async function host(url: string, deps: Partial<Parameters<typeof openAutoData>[1]> = {}, dataDir?: string) {
    const folder = dataDir ?? (await mkdtemp(join(root, 'data-')));
    const limits = { cacheMaxMb: 100, packMemoryMb: 0, autoData: true, autoDataMaxMb: 500, checkTimeoutMs: 60_000 };
    const config = { dataDir: folder, ...limits, overtureUrl: url, overtureIndexUrl: `${url}/stac`, bucket: place };
    const auto = openAutoData(config, { isCovered: () => false, log: QUIET, ...deps });
    return { ...auto, dataDir: folder, [Symbol.asyncDispose]: () => auto.close() };
  }
  const answersOf = (auto: Parameters<typeof ask>[0], at: readonly [number, number] = TOWN) =>
    Promise.all(QUESTIONS.map((question) => ask(auto, at, question, 1_000)));
  /** What was read of the release itself; which one is the newest every host looks up by itself. */
  const readsOf = (site: { readonly requests: readonly string[] }) =>
    site.requests.filter((request) => request.startsWith('/release'));
  const objectsInBucket = async (): Promise<string[]> => {
    const objects = openS3(place);
    try {
      return await Array.fromAsync(objects.list('cells/'), ({ key }) => key);
    } finally {
      await objects.close();
    }
  };

  it('answers on another with an empty folder as on the first, and nothing is fetched twice', async () => {
    await using site = await overtureSite(join(root, 'world'));
    await using one = await host(site.url);
    const first = await answersOf(one);
    assert.equal(first[0]?.dataset.version, RELEASE);
    assert.deepEqual(await objectsInBucket(), ['cells/n05.8w073.1.zip']);
    const reads = readsOf(site).length;
    assert.ok(reads > 0);
    await using other = await host(site.url);
    assert.deepEqual(await answersOf(other), first);
    assert.equal(readsOf(site).length, reads, 'the bucket has it');
    assert.equal((await autoPacks(other)).length, 1);
    // A machine without the public internet has what the others fetched, and nothing else.
    const network = openNetwork({ path: join(other.dataDir, 'network.json'), reach: () => Promise.resolve(false) });
    await using alone = await host(site.url, { network });
    assert.deepEqual(await answersOf(alone), first);
    assert.equal(await ask(alone, [TOWN[0] + 0.3, TOWN[1]], 'nearestRoad', 1_000), null);
    assert.equal(readsOf(site).length, reads);
  });

  it('is what all hosts have from a minute after one of them fetched a newer release', async () => {
    const world = join(root, 'renewed');
    await writeWorld(world, RELEASE);
    await writeOvertureCatalogue(world);
    await using site = await overtureSite(world);
    let [time, later] = [Date.now(), Date.now() + DAY_MS];
    await using one = await host(site.url, { now: () => time });
    await using other = await host(site.url, { now: () => later });
    await answersOf(one);
    await answersOf(other);
    await rm(join(world, 'release', RELEASE), { recursive: true });
    await writeWorld(world, NEXT);
    await writeOvertureCatalogue(world);
    const versionOf = async (auto: typeof one) => (await ask(auto, TOWN, 'nearestRoad', 1_000))?.dataset.version;
    const follows = async (auto: typeof one, step: () => void): Promise<void> => {
      for (let i = 0; (await versionOf(auto)) !== NEXT; i++) {
        assert.ok(i < 1_000, 'it never answered from the newer release');
        step();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    // The release is found to be gone, and sixty days later the cell is fetched again.
    await follows(one, () => (time += 5 * DAY_MS));
    const reads = readsOf(site).length;
    await follows(other, () => (later += 30_000));
    assert.equal(readsOf(site).length, reads, 'the second host took it from the bucket');
    assert.deepEqual(await answersOf(other), await answersOf(one));
  });

  it('is unknown while the bucket cannot be reached, and where what it holds is damaged', async () => {
    await using site = await overtureSite(join(root, 'world'));
    let time = Date.now();
    await using one = await host(site.url, { now: () => time });
    bucket.fault = () => ({ status: 403, code: 'AccessDenied' });
    await assert.rejects(ask(one, TOWN, 'nearestRoad', 1_000), /the files of this service cannot be reached/);
    bucket.fault = (line) => (line.startsWith('PUT') ? { status: 403, code: 'AccessDenied' } : null);
    time += 61_000;
    await assert.rejects(ask(one, TOWN, 'nearestRoad', 1_000), /the files of this service cannot be reached/);
    assert.deepEqual(await autoPacks(one), [], 'what no other host can see answers nowhere');
    bucket.fault = () => null;
    time += 61_000;
    assert.equal((await ask(one, TOWN, 'nearestRoad', 1_000))?.dataset.version, RELEASE);

    const objects = openS3(place);
    try {
      const other = [TOWN[0] + 0.1, TOWN[1]] as const;
      const taken = await objects.get('cells/n05.8w073.1.zip');
      // The pack of one cell under the name of its neighbour.
      await objects.put('cells/n05.8w073.0.zip', taken!.bytes);
      await assert.rejects(ask(one, other, 'nearestRoad', 1_000));
      const names = await readdir(join(one.dataDir, 'auto-packs'));
      assert.deepEqual(
        names.filter((name) => !name.startsWith('.')),
        ['n05.8w073.1'],
      );
      assert.deepEqual(
        names.filter((name) => name.startsWith('.making')),
        [],
      );
    } finally {
      await objects.close();
    }
  });
});
