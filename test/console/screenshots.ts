import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, runService } from '../end-to-end/run-service.ts';
import { openBrowser, type ConsoleWindow } from './browser.ts';
import { chooseFile } from './choose-file.ts';
import { samplePlots } from '../../src/readers/sample-district/sample-plots.ts';

/*
 * Makes the pictures of the documentation from the sample district: `npm run screenshots`. Everything in them is synthetic.
 */

const PICTURES = join(ROOT, 'docs/pictures');
const SIZE = { width: 1280, height: 760 };
const PLACES = `4.5821, 102.6124, Kilang Sawit Contoh
4.5990, 102.5853, Gudang Getah Contoh
4.6004, 102.5921, Gudang Koko Contoh
4.6102, 102.6053, Station Contoh
4.6165, 102.5780, Hutan Contoh`;

await using service = await runService();
await using browser = await openBrowser(service.url, { maps: true });
await using window = await browser.open(SIZE);
await mkdir(PICTURES, { recursive: true });
await window.go('/console/facilities');
await window.signIn(service.token);
await facilities(window);
await forest(window);
await collection(window);
await plot(window);
await home(window);

async function facilities({ page, mapIdle }: ConsoleWindow): Promise<void> {
  await page.getByLabel('Commodity', { exact: true }).selectOption('palm');
  await page.getByLabel('Or paste coordinates').fill(PLACES);
  await page.getByRole('button', { name: 'Check 5' }).click();
  // One with several penalties, so that the waterfall has steps.
  await page.locator('.vtable-body [role=row]').filter({ hasText: 'Station' }).click({ timeout: 60_000 });
  await page.getByText('counted for the score').waitFor({ state: 'attached' });
  await settle({ page, mapIdle });
  // A little farther away, where a mark of each level is in view.
  const address = new URL(page.url());
  address.searchParams.set('map', '12.4/4.593/102.606');
  await page.goto(address.href);
  await page.getByText('counted for the score').waitFor({ state: 'attached' });
  await settle({ page, mapIdle });
  await picture('console-facilities');
}

async function forest({ page, mapIdle }: ConsoleWindow): Promise<void> {
  await page.goto(`${service.url}/console/forest?at=4.6,102.61&raw=1`);
  await page.locator('.figure').first().waitFor({ timeout: 60_000 });
  await settle({ page, mapIdle });
  await picture('console-forest');
}

async function collection({ page }: ConsoleWindow): Promise<void> {
  const file = JSON.stringify({ type: 'FeatureCollection', features: samplePlots() });
  const form = new FormData();
  form.set('collection_name', 'Sample collection');
  form.set('stats', 'true');
  form.set('validate_locations', 'true');
  form.set('file', new File([file], 'plots.geojson', { type: 'application/geo+json' }));
  const answer = await service.fetch('/batch_process', { method: 'POST', body: form });
  const { collection_id: id } = (await answer.json()) as { collection_id: string };
  await page.goto(`${service.url}/console/collections?id=${id}`);
  await page.getByText('completed').first().waitFor({ timeout: 120_000 });
  await page.waitForLoadState('networkidle');
  await picture('console-collection');
}

/** A plot across several stands: its verdict with the votes, then the kinds of ground inside. */
async function plot({ page, go, mapIdle }: ConsoleWindow): Promise<void> {
  const ring = [
    [102.599, 4.6],
    [102.606, 4.6],
    [102.606, 4.606],
    [102.599, 4.606],
    [102.599, 4.6],
  ];
  const geometry = { type: 'Polygon', coordinates: [ring] };
  const feature = { type: 'Feature', properties: { name: 'Across', commodity: 'rubber' }, geometry };
  await go('/console/collections');
  await chooseFile(page, {
    name: 'across.geojson',
    mimeType: 'application/geo+json',
    buffer: Buffer.from(JSON.stringify({ type: 'FeatureCollection', features: [feature] })),
  });
  await page.getByRole('button', { name: 'Process', exact: true }).click();
  await page.getByRole('heading', { name: 'Results', exact: true }).waitFor({ timeout: 120_000 });
  await page.getByRole('button', { name: 'Plots', exact: true }).click();
  await page.locator('.vtable-body [role=row]').filter({ hasText: 'Across' }).click();
  const detail = page.locator('.detail');
  await detail.getByRole('heading', { name: 'Across', exact: true }).waitFor();
  await detail.getByRole('heading', { name: 'All layers together' }).evaluate((title) => {
    let panel = title.parentElement!;
    for (panel.scrollTop = 1; panel.scrollTop === 0; panel.scrollTop = 1) panel = panel.parentElement!;
    panel.scrollTop += title.getBoundingClientRect().top - panel.getBoundingClientRect().top - 16;
  });
  await settle({ page, mapIdle });
  await picture('console-verdict');
  await detail.getByRole('button', { name: 'Look at the ground' }).click();
  await detail.getByText(/^Clearly more than one thing/).waitFor();
  await detail.locator('.plot-split').scrollIntoViewIfNeeded();
  await settle({ page, mapIdle });
  await picture('console-plot-split');
}

/** The first page, with what was worked on before. */
async function home({ page, go, mapIdle }: ConsoleWindow): Promise<void> {
  await go('/console');
  await page.getByText('Sample collection').first().waitFor();
  await settle({ page, mapIdle });
  await picture('console-home');
}

/** Until the map stands still, with labels and what packs hold. */
async function settle({ page, mapIdle }: Pick<ConsoleWindow, 'page' | 'mapIdle'>): Promise<void> {
  await mapIdle();
  await page.waitForLoadState('networkidle');
  await mapIdle();
}

async function picture(name: string): Promise<void> {
  const { page } = window;
  const bytes = await page.screenshot({ animations: 'disabled' });
  await writeFile(join(PICTURES, `${name}.png`), bytes);
}
