import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readDoubt } from '../../console/pages/collections/plots/doubts.ts';
import { plotRow, type PlotFeature } from '../../console/pages/collections/plots/plot-row.ts';
import { filterPlots, readPlotSelection } from '../../console/pages/collections/plots/select-plots.ts';
import { openLocationFile } from '../../src/readers/formats/tables/open-location-file.ts';
import type { RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, type ConsoleBrowser, type ConsoleWindow } from './browser.ts';
import { chooseFile } from './choose-file.ts';
import { withConsole } from './with-console.ts';

const MILLS = `name,supplier,lat,lon,country,Lot no.
Mill one,Alpha Oils,4.5821,102.6124,MY,L-7
Mill two,Beta Oils,4.5990,102.5853,MY,L-8
Mill three,Alpha Oils,4.6102,102.6053,MY,L-9
Depot,,6.7001,-1.6001,GH,L-10
`;
const PLOTS = `Farmer,Lat,Long,Land,Hectares
Siti,4.590001,102.600001,MY,1.5
Budi,4.600001,102.610001,MY,2
Siti,north,102.620001,MY,2
`;
const MIXED = `name,supplier,lat,lon,country,commodity,location_type,area_ha,village
Plot one,Siti,4.590001,102.600001,MY,palm,plot,2,
Plot two,Siti,4.590001,112.600001,MY,palm,plot,2,
Unreadable,Siti,north,102.600001,MY,palm,plot,2,
By address,Budi,,,MY,palm,plot,2,Kuala Lipis
Not found,Budi,,,MY,palm,plot,2,Qwxzyvk
Mill,Alpha,4.5821,102.6124,MY,palm,facility,,
Depot,Alpha,6.7001,-1.6001,GH,cocoa,facility,,
`;
const csv = (name: string, text: string) => ({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });

describe('rows of results', { skip: browserSkip() }, () => {
  let service: RunningProcess;
  let browser: ConsoleBrowser;
  let window: ConsoleWindow;
  /** Address of the plots of a collection. */
  let growers = '';
  withConsole((opened) => ({ service, browser, window } = opened));

  const rows = () =>
    window.page.locator('.vtable-body [role=row]').filter({ hasNot: window.page.locator('.group-head') });
  const group = (name: string) => window.page.locator('.group-head').filter({ hasText: name });
  const row = (name: string) => rows().filter({ hasText: name });
  const chosen = () => window.page.locator('.marks-bar');
  const choose = async (...names: readonly string[]): Promise<void> => {
    for (const name of names) await row(name).first().getByRole('checkbox').click();
    await chosen().getByRole('status').getByText(`${names.length} row`).waitFor();
  };
  /** The value of a column of the first row, of those that the file itself had. */
  const own = async (column: string): Promise<string> => {
    const { page } = window;
    await page.locator('.columns-menu summary').click();
    const box = page.locator('.columns-list').getByRole('checkbox', { name: column });
    await box.check();
    await page.locator('.columns-menu summary').click();
    const titles = page.locator('.vtable-head [role=columnheader]');
    await titles.filter({ hasText: column }).waitFor();
    const at = (await titles.allInnerTexts()).findIndex((title) => title.startsWith(column));
    const cell = rows().first().getByRole('gridcell').nth(at);
    await cell.filter({ hasText: /\S/ }).waitFor();
    return cell.innerText();
  };

  it('stand in groups that can be closed, by mouse and keys, each with its counts', async () => {
    const { page } = window;
    await window.go('/console/facilities');
    await window.signIn(service.token);
    await chooseFile(page, csv('mills.csv', MILLS), 'palm');
    await page.getByRole('button', { name: 'Check 4 rows', exact: true }).click();
    await rows().nth(3).waitFor();
    await page.getByLabel('Group by').selectOption('supplier');
    await group('Alpha Oils').waitFor();
    assert.match(await group('Alpha Oils').innerText(), /2 results · .*\d/);
    assert.deepEqual(
      (await page.locator('.group-head strong').allInnerTexts()).map((text) => text.trim()),
      ['Alpha Oils', 'Beta Oils', 'Not stated'],
    );
    await group('Alpha Oils').click();
    await row('Mill one').waitFor({ state: 'detached' });
    assert.equal(await group('Alpha Oils').getAttribute('aria-expanded'), 'false');
    assert.equal(await rows().count(), 2);
    assert.deepEqual(await window.axe(), []);
    await window.shot('groups-closed');
    const table = page.locator('.vtable');
    await table.focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await row('Mill one').waitFor();
    await page.keyboard.press('Space');
    await row('Mill one').waitFor({ state: 'detached' });
    await group('Alpha Oils').focus();
    await page.keyboard.press('Enter');
    await row('Mill one').waitFor();
    await page.getByRole('button', { name: 'Close all groups' }).click();
    await row('Mill one').waitFor({ state: 'detached' });
    assert.deepEqual([await rows().count(), await page.locator('.group-head').count()], [0, 3]);
    await page.getByRole('button', { name: 'Open all groups' }).click();
    await rows().nth(3).waitFor();
    assert.ok(await page.getByRole('button', { name: 'Open all groups' }).isDisabled());
    await page.getByLabel('Group by').selectOption('country');
    assert.match(await group('Malaysia').innerText(), /3 results/);
    await window.shot('groups');
    assert.deepEqual(await window.axe(), []);
    const path = new URL(page.url());
    for (const other of [{ theme: 'dark' }, { width: 390, height: 844 }] as const) {
      await using opened = await browser.open(other);
      await opened.go(`${path.pathname}${path.search}`);
      await opened.signIn(service.token);
      await opened.page.locator('.group-head').filter({ hasText: 'Malaysia' }).waitFor();
      await opened.shot('groups');
      assert.deepEqual([await opened.axe(), await opened.overflows()], [[], false]);
    }
    await page.getByLabel('Group by').selectOption('');
  });

  it('of facilities that are selected are a workbook that this service reads, with row, file and own columns', async () => {
    const { page } = window;
    await choose('Mill three', 'Depot');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      chosen().getByRole('button', { name: 'XLSX' }).click(),
    ]);
    assert.equal(download.suggestedFilename(), 'facilities-selected.xlsx');
    const file = await openLocationFile(await download.path());
    assert.ok('tables' in file);
    const [table] = file.tables;
    assert.ok(table?.kind === 'grid');
    const found = (await Array.fromAsync(table.rows())).map(({ cells }) => cells);
    await file.close();
    const at = (name: string): number => found[0]!.indexOf(name);
    assert.deepEqual(
      found.slice(1).map((cells) => [cells[at('file')], cells[at('row')], cells[at('source.Lot no.')]]),
      [
        ['mills.csv', 4, 'L-9'],
        ['mills.csv', 5, 'L-10'],
      ],
    );
  });

  it('of facilities are checked again, and keep the file and the row that they came from', async () => {
    const { page } = window;
    const before = page.url();
    await chosen().getByRole('button', { name: 'Check again' }).click();
    await page.waitForURL((url) => url.href !== before);
    await row('Depot').waitFor();
    assert.equal(await rows().count(), 2);
    assert.deepEqual([await own('original_row'), await own('original_file')], ['4', 'mills.csv']);
  });

  it('of facilities become a collection', async () => {
    const { page } = window;
    await choose('Mill three');
    await chosen().getByRole('button', { name: 'Make a collection' }).click();
    await page.waitForURL(/collections\?id=/);
    await page.getByRole('heading', { name: /^Selected rows, / }).waitFor();
    await page.getByText('The file is kept and not processed yet.').waitFor();
  });

  it('whose outline cannot be used say where in words, three at first, and as programs count in the details', async () => {
    const { page } = window;
    const corners = [
      [102.61, 4.58],
      [102.612, 4.582],
      [102.612, 4.58],
      [102.61, 4.582],
      [102.61, 4.58],
    ];
    const features = [1, 2, 3, 4, 5].map((number) => ({
      type: 'Feature',
      properties: { name: `Yard ${number}`, commodity: 'palm', location_type: 'facility' },
      geometry: { type: 'Polygon', coordinates: [corners] },
    }));
    const text = JSON.stringify({ type: 'FeatureCollection', features });
    await window.go('/console/facilities');
    await chooseFile(page, { name: 'yards.geojson', mimeType: 'application/geo+json', buffer: Buffer.from(text) });
    await page.getByLabel('Repair outlines of plots, and list what was changed').waitFor();
    await page.getByRole('button', { name: 'Check 5 rows' }).click();
    const unread = page.locator('.unread-rows');
    await unread.getByText('5 rows whose place could not be read').waitFor();
    await unread.locator('li').first().waitFor();
    assert.equal(await unread.locator('li').count(), 3);
    const said = await unread.innerText();
    assert.match(
      said,
      /The outline crosses itself or another ring at longitude 102\.611, latitude 4\.581, near corner 3/,
    );
    assert.doesNotMatch(said, /coordinates\[|repair=/);
    const high = await page.evaluate<number>(`document.querySelector('.unread-rows').offsetHeight / innerHeight`);
    assert.ok(high < 0.4, `it takes ${high} of the window`);
    assert.deepEqual(await window.axe(), []);
    await unread.getByRole('button', { name: 'Show all 5' }).click();
    assert.equal(await unread.locator('li').count(), 5);
    await unread.getByRole('button', { name: 'Row 1', exact: true }).click();
    const details = page.locator('.detail .warnings details').first();
    await details.locator('summary').click();
    assert.match(await details.innerText(), /^Details\s+coordinates\[0\]$/);
    const detail = await page.locator('.detail').innerText();
    assert.equal(detail.match(/crosses itself/g)?.length, 1, 'the fault is said once');
    const [first] = (await unread.locator('li').allInnerTexts()).map((item) => item.replace(/\s+/g, ' '));
    assert.match(first!, /^Row 1 Yard 1 The geometry cannot be used: The outline crosses/);
  });

  it('of plots that cannot be read are corrected, and checked as a collection of their own', async () => {
    const { page } = window;
    await window.go('/console/collections');
    await chooseFile(page, csv('growers.csv', PLOTS), 'palm');
    await page.getByRole('button', { name: 'Process', exact: true }).click();
    await page.getByRole('heading', { name: 'Results', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Plots', exact: true }).click();
    const unread = page.locator('.unread-rows');
    await unread.getByText('1 row whose place could not be read').waitFor();
    await unread.getByText('They become a collection of their own.').waitFor();
    assert.match(await unread.innerText(), /Row 4\s+Coordinate cannot be read\. Column "Lat"/);
    assert.deepEqual(await window.axe(), []);
    await window.shot('unread-plots');
    const before = page.url();
    const detail = page.locator('.detail');
    await unread.getByRole('button', { name: 'Row 4' }).click();
    await detail.getByText('This location could not be measured').waitFor();
    const problem = await detail.locator('.notice').innerText();
    assert.match(problem, /Coordinate cannot be read\. Column "Lat", value "north"/);
    assert.doesNotMatch(problem, /no geometry/);
    await rows().first().click();
    await detail.getByText('The plot lies in Malaysia.').waitFor();
    await detail.getByRole('button', { name: 'Close' }).click();
    await unread.getByLabel('Row 4, Lat').fill('4.610001');
    await unread.getByRole('button', { name: 'Check 1 corrected row again' }).click();
    await page.getByRole('heading', { name: 'growers-corrected' }).waitFor();
    await page.getByRole('heading', { name: 'Results', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Plots', exact: true }).click();
    await rows().first().waitFor();
    assert.equal(await rows().count(), 1);
    assert.deepEqual([await own('original_row'), await unread.count()], ['4', 0]);
    growers = before;
  });

  it('are as many as the reasons for the confidence say that lead to them', async () => {
    const body = new FormData();
    body.append('collection_name', 'Reasons');
    body.append('validate_locations', 'true');
    body.append('file', new File([MIXED], 'mixed.csv', { type: 'text/csv' }));
    const json = async <T>(path: string, init: RequestInit = {}): Promise<T> =>
      (await (await service.fetch(path, init)).json()) as T;
    const work = await json<{ collection_id: string; task_id: string }>('/batch_process', { method: 'POST', body });
    for (;;) {
      const { status } = await json<{ status: string }>(`/tasks/${work.task_id}`);
      if (status === 'completed') break;
      assert.equal(status, 'processing');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const { messages } = await json<{ messages: { confidence_reasons: readonly Parameters<typeof readDoubt>[0][] } }>(
      `/collections/${work.collection_id}`,
    );
    const query = `filename=${work.collection_id}`;
    const accept = 'application/geo+json';
    const { features } = await json<{ features: readonly PlotFeature[] }>(`/fetch_deforestation_check?${query}`, {
      headers: { accept },
    });
    const all = features.map(plotRow);
    const kinds = new Set<string>();
    for (const codes of messages.confidence_reasons) {
      const doubt = readDoubt(codes);
      assert.ok(doubt !== null, JSON.stringify(codes));
      kinds.add(doubt.kind);
      const { length } = filterPlots(all, readPlotSelection(new URLSearchParams({ why: doubt.why })));
      assert.equal(length, doubt.count, doubt.why);
    }
    for (const kind of ['address', 'facilityLost', 'facilityUnknown', 'fail', 'location', 'unknown', 'warn'])
      assert.ok(kinds.has(kind), kind);
    const { page } = window;
    await window.go(`/console/collections?id=${work.collection_id}`);
    await page.getByText('Why', { exact: true }).click();
    await page.getByRole('link', { name: '1 plot found by address alone' }).click();
    await page.waitForURL(/why=state:by_address/);
    await rows().first().waitFor();
    assert.equal(await rows().count(), 1);
    assert.deepEqual(await window.axe(), []);
    await page.getByRole('button', { name: 'Remove the filter “1 plot found by address alone”' }).click();
    await rows().nth(1).waitFor();
    assert.equal(new URL(page.url()).searchParams.get('why'), null);
  });

  it('of plots are grouped, and checked again as a collection of their own', async () => {
    const { page } = window;
    await page.goto(growers);
    await rows().nth(2).waitFor();
    await page.getByLabel('Group by').selectOption('supplier');
    assert.match(await group('Siti').innerText(), /2 locations · /);
    await window.shot('groups-plots');
    await rows().first().getByRole('checkbox').click();
    await chosen().waitFor();
    assert.deepEqual(await window.axe(), []);
    await chosen().getByRole('button', { name: 'Check again' }).click();
    await page.getByRole('heading', { name: /^Selected rows, / }).waitFor();
    await page.getByRole('heading', { name: 'Results', exact: true }).waitFor();
    assert.equal(await page.locator('.figure', { hasText: 'Locations' }).locator('dd').first().innerText(), '1');
    assert.deepEqual(window.faults, []);
  });
});
