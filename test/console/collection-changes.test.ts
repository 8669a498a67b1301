import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { rasterDataset, writeMadeUpTiff } from '../made-up-rasters.ts';
import { runCommand } from '../end-to-end/run-command.ts';
import { runService, type RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, openBrowser, type ConsoleWindow } from './browser.ts';

const CSV = `id,name,supplier,country,commodity,latitude,longitude,area_ha,location_type
A1,Kampung Satu,Siti,MY,palm,4.0,102.5,2,plot
A2,Kampung Dua,Siti,MY,palm,4.0,102.6,2,plot
A3,Kampung Tiga,Siti,MY,palm,4.0,102.7,2,plot
A4,Without a place,Siti,MY,palm,,,2,plot
`;

interface Changes {
  readonly before: { readonly run_id: string; readonly groups: Readonly<Record<string, number>> };
  readonly after: { readonly run_id: string; readonly groups: Readonly<Record<string, number>> };
  readonly counts: Readonly<Record<string, number>>;
  readonly changes: readonly { readonly row: number; readonly plot: string; readonly direction: string }[];
  readonly not_measured: readonly { readonly row: number; readonly reasons: readonly string[] }[];
}

describe('two batches of one collection', { skip: browserSkip() }, () => {
  const stack = new AsyncDisposableStack();
  let service: RunningProcess;
  let window: ConsoleWindow;
  let folder = '';
  let id = '';

  const json = async <T>(path: string, init: RequestInit = {}, status = 200): Promise<T> => {
    const answer = await service.fetch(path, init);
    const text = await answer.text();
    assert.equal(answer.status, status, `${path}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  };
  /** Processes the file, or the collection once more. */
  const process = async (): Promise<void> => {
    const body = new FormData();
    body.append('monitoring_end', '2024-12-31');
    if (id === '') {
      body.append('collection_name', 'Lot 7');
      body.append('file', new Blob([CSV]), 'lot.csv');
    } else body.append('filename', id);
    const work = await json<{ collection_id: string; task_id: string }>(
      '/batch_process',
      { method: 'POST', body },
      202,
    );
    id = work.collection_id;
    for (;;) {
      const { status } = await json<{ status: string }>(`/tasks/${work.task_id}`);
      if (status === 'completed') return;
      assert.equal(status, 'processing');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  /** The batches of the collection, the newest first. */
  const runs = async (): Promise<readonly string[]> => {
    const { runs: kept } = await json<{ runs: readonly { run_id: string }[] }>(`/collections/${id}`);
    return kept.map(({ run_id: run }) => run);
  };
  /** Lists losses: none, in the second plot, or of a file that is not there. */
  const publish = async (losses: 'none' | 'second' | 'missing', version: string): Promise<void> => {
    const raster = { width: 320, height: 32, west: 102.45, north: 4.016, pixel: 0.001 };
    const inSecond = (x: number): boolean => Math.abs(102.45 + (x + 0.5) * 0.001 - 102.6) < 0.005;
    const mask = writeMadeUpTiff(folder, 'mask.tif', { ...raster, at: (x) => (inSecond(x) ? 1 : 0) });
    const lost = writeMadeUpTiff(folder, `${losses}.tif`, {
      ...raster,
      at: (x) => (losses === 'second' && inSecond(x) ? 23 : 0),
    });
    const datasets = [
      { ...rasterDataset({ id: 'mask', role: 'forest-mask', options: { classes: [1] }, date: '2020' }), path: mask },
      {
        ...rasterDataset({ id: 'losses', role: 'loss-year', version, options: { baseYear: 2000, lastYear: 2024 } }),
        path: losses === 'missing' ? join(folder, 'not-there.tif') : lost,
      },
    ].map((dataset) => ({ ...dataset, coverage: [102.45, 3.984, 102.77, 4.016] }));
    await writeFile(join(folder, 'catalogue.json'), JSON.stringify({ datasets }));
  };
  /** The catalogue is read again once the service has seen that it changed. */
  const untilListed = async (version: string): Promise<void> => {
    for (;;) {
      const { datasets } = await json<{ datasets: readonly { id: string; version: string }[] }>('/datasets');
      if (datasets.some((dataset) => dataset.id === 'losses' && dataset.version === version)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-changes-'));
    stack.defer(() => rm(folder, { recursive: true }));
    await publish('none', '1');
    service = stack.use(
      await runService({
        env: { CATALOGUE: join(folder, 'catalogue.json'), SAMPLE_DISTRICT: 'off', MODELS: 'manual' },
      }),
    );
    await process();
    window = stack.use(await stack.use(await openBrowser(service.url)).open());
  });
  after(() => stack.disposeAsync());

  it('are not compared while there is one', async () => {
    assert.equal((await runs()).length, 1);
    const { detail } = await json<{ detail: string }>(`/collections/${id}/changes`, {}, 404);
    assert.match(detail, /processed once/);
    await json('/collections/nonsense/changes', {}, 404);
  });

  it('have nothing to say where nothing changed', async () => {
    await process();
    const { counts, changes } = await json<Changes>(`/collections/${id}/changes`);
    assert.deepEqual(
      [counts['plots'], counts['unchanged'], counts['changed'], counts['only_before'], counts['only_after']],
      [4, 4, 0, 0, 0],
    );
    assert.deepEqual(changes, []);
  });

  it('say which plots changed, by the row of the spreadsheet', async () => {
    await publish('second', '2');
    await untilListed('2');
    await process();
    const { before: first, after: last, counts, changes } = await json<Changes>(`/collections/${id}/changes`);
    assert.deepEqual([counts['unchanged'], counts['changed'], counts['worse']], [3, 1, 1]);
    assert.deepEqual(
      changes.map(({ row, plot, direction }) => [row, plot, direction]),
      [[3, 'A2', 'worse']],
    );
    assert.deepEqual([first.groups['deforested'], last.groups['deforested']], [0, 1]);
    const { user_id: user } = await json<{ user_id: string }>('/principal');
    const command = ['collections', 'changes', id, '--user', user];
    const { out, err } = await runCommand(command, service.settings);
    assert.equal(err, '');
    assert.match(out, /4 plots: 3 unchanged, 1 changed \(1 worse, 0 better\)/);
    assert.match(out, /^ *3 +A2 +worse .*\n.*2\.\d\d ha lost/m);
    assert.match(out, /^Signs of deforestation +0 +1$/m);
  });

  it('can be any two of those that are kept', async () => {
    const [last, middle, first] = await runs();
    const of = (query: string) => json<Changes>(`/collections/${id}/changes?${query}`);
    const whole = await of(`before=${first}`);
    assert.deepEqual([whole.before.run_id, whole.after.run_id, whole.counts['changed']], [first, last, 1]);
    const early = await of(`after=${middle}`);
    assert.deepEqual([early.before.run_id, early.after.run_id, early.counts['changed']], [first, middle, 0]);
    for (const [query, status, detail] of [
      [`before=${last}&after=${middle}`, 422, /wanted a batch that was completed before/],
      ['before=nonsense', 422, /wanted the run_id of one of the runs/],
      [`after=${first}`, 404, /No batch is kept from before this one/],
    ] as const) {
      const problem = await json<{ detail: string }>(`/collections/${id}/changes?${query}`, {}, status);
      assert.match(problem.detail, detail);
    }
    const { user_id: user } = await json<{ user_id: string }>('/principal');
    const command = ['collections', 'changes', id, '--user', user, '--after', middle!];
    const { out } = await runCommand(command, service.settings);
    assert.match(out, /4 plots: 4 unchanged, 0 changed/);
    assert.match(out, new RegExp(`^${first} +\\d{4}-`, 'm'));
  });

  it('show it in the console, with the way to the plot', async () => {
    const { page } = window;
    await window.go('/console/collections');
    await window.signIn(service.token);
    const row = page.getByRole('row', { name: /Lot 7/ });
    await row.getByText('Signs of deforestation').waitFor();
    assert.match(await row.innerText(), /completed, 1 not measured/);
    assert.equal(await row.getByRole('button', { name: 'Delete Lot 7' }).isVisible(), false);
    assert.deepEqual(await window.axe(), []);
    await window.shot('collections-verdicts');
    await page.setViewportSize({ width: 390, height: 800 });
    await window.shot('collections-verdicts-narrow');
    const { right } = await row
      .getByText('Signs of deforestation')
      .evaluate((element) =>
        (element as unknown as { getBoundingClientRect(): { right: number } }).getBoundingClientRect(),
      );
    assert.ok(right <= 390, 'the results of a collection are in the window');
    assert.deepEqual(await window.axe(), []);
    assert.equal(await window.overflows(), false);
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('link', { name: 'Lot 7' }).click();
    const card = page.locator('section', {
      has: page.getByRole('heading', { name: 'Two batches compared' }),
    });
    await card.getByText('1 changed (1 worse, 0 better), 3 unchanged').waitFor();
    await card.scrollIntoViewIfNeeded();
    assert.deepEqual(await window.axe(), []);
    await window.shot('collection-changes');
    const [earlier, later] = [card.getByLabel('Earlier batch'), card.getByLabel('Later batch')];
    await later.selectOption({ index: 1 });
    await card.getByText('0 changed (0 worse, 0 better), 4 unchanged').waitFor();
    await card.getByText('Links lead to the plots as the last batch found them.').waitFor();
    assert.equal(await earlier.locator('option').count(), 1, 'no later batch can be the earlier one');
    assert.match(
      await earlier.locator('option').innerText(),
      /4 locations · Not settled 1 · Not fit to submit 1 · No deforestation found 2/,
    );
    await later.selectOption({ index: 0 });
    await earlier.selectOption({ index: 1 });
    await card.getByText('1 changed (1 worse, 0 better), 3 unchanged').waitFor();
    assert.equal(new URL(page.url()).searchParams.get('before'), (await runs()).at(-1));
    await card.getByRole('link', { name: 'A2' }).click();
    await page.locator('.detail').getByText('Signs of deforestation').waitFor();
    assert.deepEqual(window.faults, []);
  });

  it('do not take a dataset that failed for a change', async () => {
    await publish('missing', '3');
    await untilListed('3');
    await process();
    const { counts, not_measured: missing } = await json<Changes>(`/collections/${id}/changes`);
    assert.deepEqual([counts['changed'], counts['not_measured']], [0, 3]);
    assert.deepEqual(
      missing.map(({ row }) => row),
      [2, 3, 4],
    );
    assert.match(missing[0]!.reasons.join(), /losses/);
  });
});
