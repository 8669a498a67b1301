import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { demoCollection } from '../../src/service/collections/demo-collection.ts';
import type { RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, type ConsoleBrowser, type ConsoleWindow } from './browser.ts';
import { chooseFile } from './choose-file.ts';
import { withConsole } from './with-console.ts';

const PLACES = '4.5821, 102.6124, Kilang Sawit Contoh\n4.599, 102.5853, Depot\n4.6102, 102.6053, Station';
/** A batch of two dozen plots on a busy machine. */
const BATCH_MS = 240_000;

/** Pixels by which a table is wider than its place. */
function sideways({ page }: ConsoleWindow): Promise<number> {
  return page.evaluate<number>(
    `(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)(document.querySelector('.vtable'))`,
  );
}

describe('reviews in the console', { skip: browserSkip() }, () => {
  let service: RunningProcess;
  let browser: ConsoleBrowser;
  let window: ConsoleWindow;
  withConsole((opened) => ({ service, browser, window } = opened));

  const rows = () => window.page.locator('.vtable-body [role=row]');
  const detail = () => window.page.locator('.detail');
  const bar = () => window.page.locator('.marks-bar');
  const looks = async (name: string): Promise<void> => {
    assert.deepEqual(await window.axe(), []);
    assert.equal(await window.overflows(), false);
    await window.shot(name);
  };

  it('are recorded in the details of a rated place, with a note and who decided', async () => {
    const { page } = window;
    await window.go('/console/facilities');
    await window.signIn(service.token);
    await page.getByLabel('Or paste coordinates').fill(PLACES);
    await page.getByRole('button', { name: 'Check 3' }).click();
    await rows().nth(2).click();
    await detail().getByText('Nobody has reviewed this yet.').waitFor();
    await detail().getByLabel('Note').fill('Called the owner.');
    await detail().getByRole('button', { name: 'Reviewed' }).click();
    await detail().locator('.review-note', { hasText: 'Called the owner.' }).waitFor();
    await detail().getByRole('button', { name: 'Rejected' }).click();
    await detail().getByText('2 reviews so far').click();
    assert.match(await detail().locator('details li').first().innerText(), /Rejected\s+bootstrap/);
    await window.mapIdle();
    await looks('review-facility');
    await detail().getByRole('button', { name: 'Close' }).click();
    assert.match(await rows().nth(2).innerText(), /Rejected/);
  });

  it('are recorded for all rows that are marked, and filter the table', async () => {
    const { page } = window;
    await rows().first().getByRole('checkbox').click();
    await rows()
      .nth(1)
      .getByRole('checkbox')
      .click({ modifiers: ['Shift'] });
    await bar().getByText('2 rows selected').waitFor();
    await bar().locator('summary', { hasText: 'Record a review' }).click();
    await looks('review-marked');
    await bar().getByRole('button', { name: 'Accepted' }).click();
    await page.locator('.chip', { hasText: 'Accepted' }).getByText('2').waitFor();
    await bar().getByRole('button', { name: 'Clear selection' }).click();
    await page.locator('.chip', { hasText: 'Rejected' }).click();
    await page.waitForURL(/[?&]rev=rejected/);
    assert.equal(await rows().count(), 1);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('checkbox', { name: 'Select all rows shown' }).click();
    await bar().getByText('3 rows selected').waitFor();
    await page.reload();
    await page.locator('.chip', { hasText: 'Accepted' }).getByText('2').waitFor();
  });

  it('leave all columns of the table in sight, and on a phone those that say most', async () => {
    const { page } = window;
    const before = page.viewportSize()!;
    for (const width of [1440, 1280, 390, 360]) {
      await page.setViewportSize({ width, height: 900 });
      const last = width > 1000 ? 10 : 5;
      await page.locator(`.vtable-head [role=columnheader]:nth-child(${last}):last-child`).waitFor();
      assert.equal(await sideways(window), 0, `${width} px`);
    }
    await page.setViewportSize(before);
  });

  it('stand next to the results of plots, and say when they are of an earlier run', async () => {
    const { page } = window;
    await window.go('/console/collections');
    const buffer = Buffer.from(JSON.stringify({ type: 'FeatureCollection', features: demoCollection().features }));
    const file = { name: 'synthetic-plots.geojson', mimeType: 'application/geo+json', buffer };
    await chooseFile(page, file);
    await page.getByRole('button', { name: 'Process', exact: true }).click();
    await page.getByRole('heading', { name: 'Results', exact: true }).waitFor({ timeout: BATCH_MS });
    await page.getByRole('button', { name: 'Plots', exact: true }).click();
    await rows().first().waitFor();
    await page.locator('.vtable').focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Space');
    await bar().locator('summary', { hasText: 'Record a review' }).click();
    await bar().getByLabel('Note').fill('Seen on the image of 2024.');
    await bar().getByRole('button', { name: 'Accepted' }).click();
    await page.locator('.chip', { hasText: 'Accepted' }).getByText('2').waitFor();
    await bar().getByRole('button', { name: 'Clear selection' }).click();
    await window.mapIdle();
    await looks('review-plots');
    await rows().first().click();
    await detail().locator('.review-note', { hasText: 'Seen on the image of 2024.' }).waitFor();
    await looks('review-plot');
    const address = page.url();
    const id = new URL(address).searchParams.get('id')!;
    const csv = await service.fetch(`/fetch_plots?filename=${id}&review_state=accepted`, {
      headers: { authorization: `Bearer ${service.token}`, accept: 'text/csv' },
    });
    assert.equal((await csv.text()).trim().split('\r\n').length, 3);
    await detail().getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Overview', exact: true }).click();
    await page.locator('summary', { hasText: 'Process again' }).click();
    await page.getByRole('button', { name: 'Process', exact: true }).click();
    await page.locator('progress').waitFor();
    await page.getByRole('heading', { name: 'Results', exact: true }).waitFor({ timeout: BATCH_MS });
    await page.goto(address);
    await detail().getByText('Decided before the last run').waitFor();
    await detail().getByRole('button', { name: 'Close' }).click();
    const before = page.viewportSize()!;
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.locator('.vtable-head [role=columnheader]').getByText('Confidence', { exact: true }).waitFor();
    assert.equal(await sideways(window), 0);
    await page.setViewportSize(before);
    await page.goto(address);
  });

  it('say what is missing where a token may not record them', async () => {
    const made = await service.fetch('/tokens', {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ label: 'reader', scopes: ['validate'], email: 'dev@localhost' }),
    });
    const { token } = (await made.json()) as { token: string };
    await using other = await browser.open();
    await other.go('/console/facilities');
    await other.signIn(token);
    await other.page.getByLabel('Or paste coordinates').fill(PLACES);
    await other.page.getByRole('button', { name: 'Check 3' }).click();
    await other.page.locator('.vtable-body [role=row]').first().click();
    await other.page.locator('.detail').getByText('Your token has no right to record reviews').waitFor();
    assert.equal(await other.page.locator('.detail .review-form').count(), 0);
  });

  for (const [width, theme] of [
    [1440, 'dark'],
    [390, 'light'],
  ] as const)
    it(`fit into ${width} pixels, ${theme}`, async () => {
      const address = new URL(window.page.url());
      await using other = await browser.open({ width, height: width === 390 ? 800 : 900, theme });
      await other.go('/console/facilities');
      await other.signIn(service.token);
      await other.go(address.pathname + address.search);
      await other.page.locator('.detail .review-note').first().waitFor();
      await other.page.locator('.detail .review-form').scrollIntoViewIfNeeded();
      assert.deepEqual(await other.axe(), []);
      assert.equal(await other.overflows(), false);
      await other.shot('review');
      await other.page.locator('.detail').getByRole('button', { name: 'Close' }).click();
      await other.page.locator('.vtable-body [role=row]').first().getByRole('checkbox').click();
      assert.equal(await sideways(other), 0);
      await other.page.locator('.marks-bar summary').first().click();
      assert.deepEqual(await other.axe(), []);
      assert.equal(await other.overflows(), false);
      await other.shot('review-bar');
      assert.deepEqual(other.faults, []);
    });
});
