import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse as parseCsv } from 'csv-parse/sync';
import PostalMime from 'postal-mime';
import { GROUP_WORDS, PLOT_GROUPS, type PlotGroup } from '../../src/collections/plot-group.ts';
import { unzipped } from '../due-diligence-export.ts';
import { rasterDataset, writeMadeUpTiff } from '../made-up-rasters.ts';
import { startSmtpServer, type TestSmtpServer } from '../smtp-fault-server.ts';
import { runCommand } from '../end-to-end/run-command.ts';
import { runService, type RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, openBrowser, type ConsoleBrowser, type ConsoleWindow } from './browser.ts';

/** Rows of the spreadsheet from 2 on, with the group that each has to be in. */
const ROWS: readonly (readonly [line: string, group: PlotGroup])[] = [
  ['A1,Kampung Satu,Siti,MY,palm,4.0,102.5,2,plot', 'cleared'],
  ['A2,Kampung Dua,Siti,MY,palm,4.0,102.6,2,plot', 'deforested'],
  ['A3,Kampung Tiga,Ahmad,MY,palm,4.0,102.7,2,plot', 'cleared'],
  // Its dataset of losses cannot be read.
  ['A4,Bukit,Ahmad,MY,palm,4.0,103.2,2,plot', 'open'],
  ['A5,Without a place,Ahmad,MY,palm,,,2,plot', 'left_out'],
  ['A6,Unreadable,Ahmad,MY,palm,north,east,2,plot', 'left_out'],
  // The same ground as A1.
  ['A7,Kampung Satu again,Siti,MY,palm,4.0,102.5,2,plot', 'cleared'],
  ['A8,Mill,Siti,MY,palm,4.001,102.55,,facility', 'facility'],
  // Nobody has data there.
  ['A9,Far away,Siti,MY,palm,4.5,101.6,2,plot', 'open'],
];
const HEAD = 'id,name,supplier,country,commodity,latitude,longitude,area_ha,location_type';
const CSV = `${HEAD}\n${ROWS.map(([line]) => line).join('\n')}\n`;
const DAYS = 'monitoring_start=2020-12-31&monitoring_end=2024-12-31';
const WANTED = Object.fromEntries(
  PLOT_GROUPS.map((group) => [group, ROWS.filter(([, wanted]) => wanted === group).length]),
);
const WANTED_ROWS = ROWS.map(([, group], i) => [i + 2, group] as const);

interface Feature {
  readonly properties: Readonly<Record<string, unknown>>;
}

const NO_POPPLER = spawnSync('pdftotext', ['-v']).error === undefined ? false : 'needs pdftotext of poppler-utils';

describe('the numbers of one collection', { skip: browserSkip() || NO_POPPLER }, () => {
  const stack = new AsyncDisposableStack();
  let smtp: TestSmtpServer;
  let service: RunningProcess;
  let browser: ConsoleBrowser;
  let window: ConsoleWindow;
  let token = '';
  let id = '';
  let files: Readonly<Record<string, Buffer>> = {};
  let folder = '';

  const call = (path: string, init: RequestInit = {}) =>
    fetch(`${service.url}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
  const json = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const answer = await call(path, init);
    const text = await answer.text();
    assert.ok(answer.ok, `${path}: ${answer.status} ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-same-numbers-'));
    stack.defer(() => rm(folder, { recursive: true }));
    const raster = { width: 320, height: 32, west: 102.45, north: 4.016, pixel: 0.001 };
    const inSecond = (x: number): boolean => Math.abs(102.45 + (x + 0.5) * 0.001 - 102.6) < 0.005;
    const coverage = [102.45, 3.984, 102.77, 4.016];
    const losses = { role: 'loss-year', options: { baseYear: 2000, lastYear: 2024 } } as const;
    const datasets = [
      {
        ...rasterDataset({ id: 'mask', role: 'forest-mask', options: { classes: [1] }, date: '2020' }),
        path: writeMadeUpTiff(folder, 'mask.tif', { ...raster, at: (x) => (inSecond(x) ? 1 : 0) }),
        coverage,
      },
      {
        ...rasterDataset({ id: 'losses', ...losses }),
        path: writeMadeUpTiff(folder, 'losses.tif', { ...raster, at: (x) => (inSecond(x) ? 23 : 0) }),
        coverage,
      },
      {
        ...rasterDataset({ id: 'broken', ...losses }),
        path: join(folder, 'not-there.tif'),
        coverage: [103.1, 3.9, 103.3, 4.1],
      },
    ];
    const catalogue = join(folder, 'catalogue.json');
    await writeFile(catalogue, JSON.stringify({ datasets }));
    smtp = stack.use(await startSmtpServer());
    service = stack.use(
      await runService({
        env: {
          CATALOGUE: catalogue,
          SAMPLE_DISTRICT: 'off',
          MODELS: 'manual',
          SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
          SMTP_TLS: 'off',
          EMAIL_FROM: 'Firstmile <firstmile@example.org>',
        },
      }),
    );
    const command = (...words: string[]) => runCommand(words, service.settings);
    await command('user', 'add', 'ana@example.org', '--no-password');
    token = (await command('token', 'create', '--user', 'ana@example.org')).out.trim();
    const body = new FormData();
    const fields = {
      collection_name: 'Lot 7',
      validate_locations: 'true',
      eudr_dds: 'true',
      monitoring_end: '2024-12-31',
    };
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    body.append('file', new Blob([CSV]), 'lot.csv');
    const work = await json<{ collection_id: string; task_id: string }>('/batch_process', { method: 'POST', body });
    id = work.collection_id;
    for (;;) {
      const { status } = await json<{ status: string }>(`/tasks/${work.task_id}`);
      if (status === 'completed') break;
      assert.equal(status, 'processing');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const answer = await call(`/export_eudr_dds?filename=${id}&${DAYS}`);
    assert.equal(answer.status, 200);
    files = unzipped(Buffer.from(await answer.arrayBuffer()));
    browser = stack.use(await openBrowser(service.url));
    window = stack.use(await browser.open());
  });
  after(() => stack.disposeAsync());

  it('are those of each row, counted once, in the collection and in its totals', async () => {
    const { counts } = await json<{ counts: Record<string, unknown> }>(`/collections/${id}`);
    const { groups, ...others } = counts;
    assert.deepEqual(groups, WANTED);
    // Clear, lost and the duplicate; of the others nobody knows whether forest was lost.
    assert.deepEqual(others, { locations: 9, plots: 8, facilities: 1, measured: 4, problems: 2 });
    const { properties: totals } = await json<Feature>(
      `/fetch_deforestation_check?filename=${id}&${DAYS}&aggregate=true`,
    );
    const some = Object.fromEntries(Object.entries(WANTED).filter(([, count]) => count > 0));
    assert.deepEqual(totals['plot_group_counts'], some);
    assert.equal((totals['eudr_status_counts'] as Record<string, number>)['unknown'], 8 - 4);
    const { features } = await json<{ features: readonly Feature[] }>(
      `/fetch_deforestation_check?filename=${id}&${DAYS}`,
      { headers: { accept: 'application/geo+json' } },
    );
    const rows = features.map(({ properties }) => [properties['source_row'], properties['plot_group']]);
    assert.deepEqual(rows, WANTED_ROWS);
  });

  it('are the same in plots.csv and checks.json', () => {
    const rows: readonly Record<string, string>[] = parseCsv(files['plots.csv']!, { columns: true, bom: true });
    assert.deepEqual(
      rows.map((row) => [Number(row['row']), row['plot_group'], row['plot_group_words']]),
      WANTED_ROWS.map(([row, group]) => [row, group, GROUP_WORDS[group]]),
    );
    const { counts } = JSON.parse(files['checks.json']!.toString()) as { counts: Record<string, unknown> };
    assert.deepEqual(counts['locations_by_group'], WANTED);
  });

  it('are the same in the audit trail, on its cover, in its summary and row by row', () => {
    const { stdout } = spawnSync('pdftotext', ['-layout', '-', '-'], { input: files['audit.pdf'] });
    const pages = stdout.toString().split('\f');
    const summary = pages[1]!;
    const count = (words: string): number =>
      Number(new RegExp(`${words} .*? (\\d+)$`, 'm').exec(summary)?.[1] ?? Number.NaN);
    assert.deepEqual(Object.fromEntries(PLOT_GROUPS.map((group) => [group, count(GROUP_WORDS[group])])), WANTED);
    assert.match(summary, /All rows +9$/m);
    const cover = pages[0]!.split('\n').find((line) => /^ *6 +\S+ +1 +2$/.test(line));
    assert.ok(cover !== undefined, `six in the statement, one with signs of deforestation, two not fit:\n${pages[0]}`);
    const words = PLOT_GROUPS.map((group) => GROUP_WORDS[group]).join('|');
    const line = new RegExp(`^ *Row (\\d+) .*? (${words}) +\\d+$`, 'gm');
    const list = pages.flatMap((page) => [...page.matchAll(line)].map(([, row, word]) => [Number(row), word]));
    assert.deepEqual(
      list,
      // It is a list of plots.
      WANTED_ROWS.filter(([, group]) => group !== 'facility').map(([row, group]) => [row, GROUP_WORDS[group]]),
    );
  });

  it('are the same in the email that brings the report', async () => {
    while (smtp.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    const { text = '' } = await PostalMime.parse(smtp.received[0]!.bytes);
    assert.match(text, /All 9 rows, each in one group/);
    for (const group of PLOT_GROUPS)
      assert.match(text, new RegExp(`^ {2}${GROUP_WORDS[group]}: ${WANTED[group]}$`, 'm'));
    assert.match(text, /Plots in the draft: 6/);
    assert.match(text, /Plots left out: 2/);
  });

  it('are the same in the console: the overview, the filters and the table', async () => {
    const { page } = window;
    await window.go(`/console/collections?id=${id}`);
    await window.signIn(token);
    const counts = page.locator('.result-counts li');
    await counts.first().waitFor();
    const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
    const found = PLOT_GROUPS.filter((group) => WANTED[group]! > 0);
    assert.deepEqual(
      (await counts.allInnerTexts()).map(plain).toSorted(),
      found.map((group) => `${WANTED[group]} ${GROUP_WORDS[group]}`).toSorted(),
    );
    // Four plots of which nobody knows whether forest was lost are no plain success.
    const state = page.locator('.status', { hasText: 'completed, 4 not measured' });
    assert.equal(await state.getAttribute('data-status'), 'unknown');
    await window.shot('same-numbers-overview');
    await page.getByText('Why', { exact: true }).click();
    const reason = page.getByRole('link', { name: /plots? could not be checked: Deforestation$/ });
    const many = /^\d+/.exec(await reason.innerText())?.[0];
    await reason.click();
    await page.getByText(`${many} of 9 locations`).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: GROUP_WORDS.left_out }).click();
    await page.getByText('2 of 9 locations').waitFor();
    const rowsShown = async (): Promise<readonly (readonly string[])[]> =>
      (await page.locator('.vtable-body [role=row]').allInnerTexts()).map((row) =>
        row.split('\n').map((cell) => cell.trim()),
      );
    assert.deepEqual(
      (await rowsShown()).map((cells) => Number(cells.find((cell) => /^\d+$/.test(cell)))),
      [6, 7],
    );
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await page.getByText('9 locations', { exact: true }).waitFor();
    const chips = await page.locator('.chips').first().locator('.chip').allInnerTexts();
    assert.deepEqual(
      chips.map(plain).toSorted(),
      found.map((group) => `${GROUP_WORDS[group]} ${WANTED[group]}`).toSorted(),
    );
    const table = (await rowsShown()).map((cells) => [
      Number(cells.find((cell) => /^\d+$/.test(cell))),
      cells.find((cell) => Object.values(GROUP_WORDS).some((words) => cell.startsWith(words))),
    ]);
    assert.deepEqual(
      table.map(([row, words]) => [row, PLOT_GROUPS.find((group) => String(words).startsWith(GROUP_WORDS[group]))]),
      WANTED_ROWS,
    );
    const heads = async () => (await page.locator('.vtable-head [role=columnheader]').allInnerTexts()).map(plain);
    await page.getByText('Columns', { exact: true }).click();
    await page.getByRole('checkbox', { name: 'Review' }).uncheck();
    await page.getByRole('button', { name: 'Move Name up', exact: true }).click();
    assert.deepEqual(await window.axe(), []);
    await window.shot('same-numbers-columns');
    await page.reload();
    await page.getByText('9 locations', { exact: true }).waitFor();
    const shown = await heads();
    assert.ok(shown.indexOf('Name') < shown.indexOf('Result'), String(shown));
    assert.ok(!shown.includes('Review'), String(shown));
    await page.getByText('Columns', { exact: true }).click();
    await page.getByRole('button', { name: 'Reset columns' }).click();
    assert.ok((await heads()).includes('Review'));
    await page.keyboard.press('Escape');
    await window.mapIdle();
    await window.shot('same-numbers-plots');
    await window.go('/console/');
    const recent = page.locator('.recent-list li', { hasText: 'Lot 7' });
    await recent.getByText('No deforestation found 3').waitFor();
    assert.equal(await recent.locator('.status').getAttribute('data-status'), 'unknown');
    assert.equal(await recent.locator('.status').innerText(), '4 not measured');
    await window.shot('same-numbers-recent');
    assert.deepEqual(window.faults, []);
  });

  it('are the same on the command line, which says what is not measured', async () => {
    const command = (...words: string[]) => runCommand(words, service.settings);
    const user = ['--user', 'ana@example.org'];
    const { out: list } = await command('collections', 'list', ...user);
    assert.ok(
      list.split('\n').every((line) => line.length <= 80),
      list,
    );
    assert.deepEqual(cellsOf(list), [
      id,
      'completed, 4 not measured',
      '9: 1 signs, 2 not settled, 3 none found, 2 not fit',
      'Lot 7',
    ]);
    const { out: shown } = await command('collections', 'show', id, ...user);
    for (const group of PLOT_GROUPS.filter((name) => WANTED[name]! > 0))
      assert.match(shown, new RegExp(` ${WANTED[group]} ${GROUP_WORDS[group]}$`, 'm'));
  });
});

/** The cells of a table with one row, which goes on below in its columns. */
function cellsOf(table: string): readonly string[] {
  const [, rule = '', ...lines] = table.trimEnd().split('\n');
  return [...rule.matchAll(/-+/g)].map(({ index, 0: { length } }) =>
    lines
      .map((line) => line.slice(index, index + length).trim())
      .filter((part) => part !== '')
      .join(' '),
  );
}
