import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { districtLabels } from './district-labels.ts';
import { runCommand } from './run-command.ts';
import { runService, shareSampleDistrict } from './run-service.ts';

/** The mill of the sample district, in its estate. */
const MILL = 'POINT(102.6124 4.5821)';

describe('a head of ones own, trained without network on the sample district', () => {
  let dataDir = '';
  let labels = '';
  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'firstmile-train-'));
    await shareSampleDistrict(dataDir);
    labels = join(dataDir, 'cover.geojson');
    await writeFile(labels, JSON.stringify({ type: 'FeatureCollection', features: districtLabels(900) }));
  });
  after(async () => {
    await rm(dataDir, { recursive: true, force: true });
  });
  const run = (...args: string[]) => runCommand(['models', ...args], { DATA_DIR: dataDir });
  const train = (...more: string[]) =>
    run('train', '--labels', labels, '--column', 'cover', '--positive', 'palm', '--block', '0.004', ...more);

  it('is fitted and evaluated by fold and by region, with the counts of its labels', async () => {
    const trained = await train('--name', 'district-palm', '--commodity', 'palm', '--licence', 'CC0-1.0');
    assert.equal(trained.code, 0, trained.err);
    assert.match(
      trained.out,
      /^district-palm: \d+ pixels with the label, \d+ without, in 1\d\d blocks of 0\.004 degrees\./,
    );
    assert.match(trained.out, /Embeddings: sample-district, 2025\. Labels: cover\.geojson, SHA-256 [0-9a-f]{64}\./);
    assert.match(trained.out, /^all folds .* (0\.9\d\d|1\.000) +[01]\.\d{3}/m);
    assert.equal(trained.out.match(/^fold \d /gm)?.length, 5);
    assert.deepEqual(trained.out.match(/^region \w+/gm)?.toSorted(), ['region east', 'region west']);
    assert.match(trained.out, /WARNING: Fitted on generated embeddings: it says nothing about any real place\./);
    assert.match(trained.err, /Kept in .*models\. A running service answers from it at its next request\./);
  });

  it('is listed with its scores, passes the test, and its name is taken', async () => {
    const list = (await run('list')).out;
    assert.match(list, /^district-palm +palm +0\.\d+ +AUC /m);
    // The column is narrow: its words stand below each other.
    assert.match(list, /^ +(0\.9\d\d|1\.000), F1 /m);
    assert.match((await run('test')).out, /^district-palm +256 .*passed$/m);
    const again = await train('--name', 'district-palm');
    assert.deepEqual([again.code, /--replace takes its place/.test(again.err)], [2, true]);
    const [kept] = JSON.parse((await run('list', '--json')).out) as { training: { labels: { rows: number } } }[];
    assert.equal(kept.training.labels.rows, 900);
  });

  it('answers in the district, marked as generated, with licence and a link to its accuracy', async () => {
    await using service = await runService({ dataDir });
    const path = `/validate_facility?geometry=${encodeURIComponent(MILL)}&commodity_type=palm&commodity_radius=400`;
    const answer = (await (await service.fetch(path)).json()) as {
      features: { properties: { evidence: Record<string, unknown>[] } }[];
      properties: { datasets: { id: string; licence: string; synthetic: boolean }[] };
    };
    const [{ properties }] = answer.features;
    const evidence = properties.evidence.find(({ indicator }) => indicator === 'commodity_presence') ?? {};
    const { status, value, dataset, synthetic, about } = evidence;
    assert.deepEqual(
      [status, value, dataset, synthetic],
      ['present', 1, 'district-palm', true],
      JSON.stringify(evidence),
    );
    assert.equal(about, '/docs/detection-models#heads-of-your-own');
    const cited = answer.properties.datasets.find(({ id }) => id === 'district-palm');
    assert.deepEqual([cited?.licence, cited?.synthetic], ['CC0-1.0', true]);
    const page = await service.fetch(String(about));
    assert.match(await page.text(), /<h2 id="heads-of-your-own">/);
    const plantations = await service.fetch(path.replace('commodity_type=palm', 'commodity_type=tea'));
    assert.match(await plantations.text(), /a generic plantation mask \(district-palm\) was used instead/);
  });

  it('can be removed, and labels that are too few are refused with what is missing', async () => {
    const removed = await run('remove', 'district-palm');
    assert.deepEqual(
      [removed.code, removed.err],
      [0, 'Removed district-palm. A running service notices at its next request.\n'],
    );
    assert.equal((await run('remove', 'district-palm')).code, 2);
    await writeFile(labels, JSON.stringify({ type: 'FeatureCollection', features: districtLabels(60) }));
    const refused = await train('--name', 'too-few');
    assert.equal(refused.code, 1);
    assert.match(
      refused.err,
      /too few labels: wanted 50 pixels with the label "there" and embeddings, got \d+\nNothing was kept\./,
    );
    assert.match((await run('list')).err, /There is no model/);
  });

  it('says what a call lacks', async () => {
    for (const [args, message] of [
      [['--name', 'x'], /--labels is missing/],
      [['--labels', labels, '--name', 'X y'], /--name: wanted up to 60 of a-z, 0-9/],
      [['--labels', labels, '--name', 'aef'], /there is a dataset aef already/],
      [
        ['--labels', labels, '--name', 'x', '--commodity', 'wheat'],
        /--commodity: wanted one of rubber, .*, built-up, got "wheat"/,
      ],
      [['--labels', labels, '--name', 'x', '--block', '99'], /--block: wanted 0\.002 to 10 degrees, got "99"/],
      [['--labels', join(dataDir, 'nowhere.csv'), '--name', 'x'], /--labels: .*nowhere\.csv cannot be read \(ENOENT\)/],
    ] as const) {
      const { code, err } = await run('train', ...args);
      assert.deepEqual([code, message.test(err)], [2, true], err);
    }
  });
});
