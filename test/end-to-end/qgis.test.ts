import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { writeQgisPlugin } from '../../tools/write-qgis-plugin.ts';
import { PYTHON, qgisSkip } from './qgis-skip.ts';
import { ROOT, runService, type RunningProcess } from './run-service.ts';

const run = promisify(execFile);
const skip = qgisSkip();

interface Run {
  readonly rows: readonly (Readonly<Record<string, unknown>> & { readonly geometry: string | null })[];
  readonly progress: readonly number[];
  readonly infos: readonly string[];
}
interface Answer {
  readonly rated: Run;
  readonly reprojected: Run;
  readonly patches: Run;
  readonly verdicts: Run;
  readonly cancelled: Run;
  readonly cancelled_batch: Run;
  readonly wrong_token: string;
  readonly no_service: string;
  readonly layer: { readonly valid: boolean; readonly count: number; readonly fields: readonly string[] };
  readonly tiles: { readonly valid: boolean; readonly colours: number };
  readonly token_in_the_clear: boolean;
}

describe('the plugin for QGIS', () => {
  it('is a ZIP file of one folder that QGIS can install', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-qgis-'));
    const names = await writeQgisPlugin(join(folder, 'firstmile.zip'));
    assert.ok(names.includes('firstmile/metadata.txt') && names.includes('firstmile/LICENSE'));
    assert.ok(names.every((name) => name.startsWith('firstmile/') && !name.includes('__pycache__')));
    const sources = await readdir(join(ROOT, 'clients/qgis/firstmile'));
    for (const name of sources.filter((one) => one.endsWith('.py'))) {
      assert.ok(names.includes(`firstmile/${name}`), name);
      const { status, stderr } = spawnSync(
        'python3',
        ['-m', 'py_compile', join(ROOT, 'clients/qgis/firstmile', name)],
        {
          env: { ...process.env, PYTHONPYCACHEPREFIX: folder },
        },
      );
      assert.equal(status, 0, String(stderr));
    }
    await rm(folder, { recursive: true });
  });
});

describe('the plugin in QGIS without a window', { skip }, () => {
  let service: RunningProcess;
  let answer: Answer;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-qgis-'));
    await writeQgisPlugin(join(folder, 'firstmile.zip'));
    await run(PYTHON, ['-m', 'zipfile', '-e', join(folder, 'firstmile.zip'), folder]);
    service = await runService();
    const script = join(ROOT, 'clients/qgis/tests/run_headless.py');
    const env = { PATH: process.env['PATH'], QT_QPA_PLATFORM: 'offscreen', HOME: folder };
    const { stdout } = await run(PYTHON, [script, folder, service.url, service.token], { env, maxBuffer: 50_000_000 });
    answer = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Answer;
  });
  after(async () => {
    await service?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it('rates the points of a layer, in whatever coordinate system it is', () => {
    const { rows, progress } = answer.rated;
    assert.equal(rows.length, 3);
    assert.deepEqual(
      rows.map((row) => row['confidence_level']),
      ['high', 'low', 'low'],
    );
    assert.equal(rows[0]['name'], 'place 0', 'its own columns stay');
    assert.match(String(rows[1]['unknown']), /road_access/);
    assert.equal(progress.at(-1), 100);
    assert.equal(answer.reprojected.rows[0].geometry, 'Point (102.6 4.6)');
  });

  it('gives patches of forest, and the reason where there is none', () => {
    const [none, patch, unknown] = answer.patches.rows;
    assert.match(String(patch.geometry), /^MultiPolygon/);
    assert.match(String(patch['segment_id']), /^seg_/);
    assert.equal(patch['area_ha'], 1.5, 'a column of the layer keeps its name');
    assert.ok(Number(patch['firstmile_area_ha']) > 1);
    assert.equal(none.geometry, null);
    assert.match(String(none['warnings']), /not forest/);
    assert.match(String(unknown['warnings']), /could not be looked up/);
  });

  it('checks plots, follows the batch and keeps the collection', async () => {
    const { rows } = answer.verdicts;
    assert.equal(rows.length, 2);
    for (const row of rows) {
      assert.match(String(row['eudr_status']), /^(compliant|more_information_needed|non_compliant)/);
      assert.equal(row['monitored_until'], '2024-12-31');
    }
    const kept = await service.fetch(`/collections/${String(rows[0]['collection_id'])}`);
    assert.equal(kept.status, 200);
  });

  it('stops when it is cancelled, and stops the batch too', async () => {
    assert.equal(answer.cancelled.rows.length, 50);
    assert.ok(answer.cancelled.infos.some((info) => info.startsWith('Cancelled')));
    assert.deepEqual(answer.cancelled_batch.rows, []);
    const { collections } = (await (await service.fetch('/get_collections')).json()) as {
      collections: readonly { collection_name: string; status: string }[];
    };
    assert.equal(collections.find(({ collection_name: name }) => name === 'cancelled')?.status, 'cancelled');
  });

  it('says in the words of the service what went wrong', () => {
    assert.match(answer.wrong_token, /answered 401: This request needs a credential/);
    assert.match(answer.no_service, /cannot be reached/);
  });

  it('lets QGIS itself read layers and tiles of the service, with the token of its store alone', () => {
    assert.deepEqual([answer.layer.valid, answer.layer.count], [true, 475]);
    assert.ok(answer.layer.fields.includes('class'));
    assert.equal(answer.tiles.valid, true);
    assert.ok(answer.tiles.colours > 5, `${answer.tiles.colours} colours`);
    assert.equal(answer.token_in_the_clear, false);
  });
});
