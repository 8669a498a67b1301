import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, type ConsoleBrowser, type ConsoleWindow } from './browser.ts';
import { withConsole } from './with-console.ts';

describe('the page of datasets', { skip: browserSkip() }, () => {
  let service: RunningProcess;
  let browser: ConsoleBrowser;
  let window: ConsoleWindow;
  // Nothing listens there.
  const env = {
    AUTO_DATA: 'on',
    PUBLIC_DATA: 'off',
    OVERTURE_URL: 'http://127.0.0.1:9',
    OVERTURE_INDEX_URL: 'http://127.0.0.1:9',
  };
  withConsole((opened) => ({ service, browser, window } = opened), { maps: true, env });

  it('says for people what is known of a theme, where, since when and how well it answers', async () => {
    const { page } = window;
    await window.go('/console/facilities');
    await window.signIn(service.token);
    await window.go('/console/datasets?map=11/4.59/102.61');
    await window.mapIdle();
    const roads = page.locator('.themes').getByRole('row', { name: /^Roads/ });
    assert.match(await roads.innerText(), /Roads\s+1 dataset\s+in part\s+\S+\s+● on this machine/);
    assert.match(
      await page
        .locator('.themes')
        .getByRole('row', { name: /^Countries/ })
        .innerText(),
      /Worldwide\s+covered/,
    );
    await roads.getByRole('button', { name: 'Roads', exact: true }).click();
    assert.match(page.url(), /role=roads/);
    const card = page.locator('.dataset');
    assert.equal(await card.count(), 1);
    // What it is about stands first, its technical name after it, and the version is folded.
    assert.match(await card.innerText(), /^Roads\s+synthetic\s+● on this machine\s+sample-district-roads/);
    assert.equal(await card.getByText('flatgeobuf').isVisible(), false);
    await page.locator('.map-legend').getByText('Where its theme is mapped').waitFor();
    await window.go('/console/datasets?role=roads&map=3/40/-100');
    await window.mapIdle();
    assert.match(await roads.innerText(), /no data/);
    assert.deepEqual(await window.axe(), []);
    await window.shot('datasets-theme');
  });

  it('says what is missing in view, and fetches it on request', async () => {
    const { page } = window;
    await window.go('/console/datasets?map=12/5.7/-73.1');
    await window.mapIdle();
    await page.getByRole('button', { name: 'Look at this view' }).click();
    const looked = page.getByText(/^Looked at \d+ places, at least one in every cell in view/);
    await looked.waitFor();
    const places = Number(/\d+/.exec(await looked.innerText())?.[0]);
    assert.ok(places >= 2 && places <= 100, String(places));
    const region = page.locator('.missing-here');
    const row = async (name: RegExp): Promise<readonly string[]> =>
      await region.getByRole('row', { name }).locator('td').allInnerTexts();
    assert.deepEqual((await row(/^Roads/)).slice(0, 3), [`0 / ${places}`, String(places), '–']);
    assert.deepEqual((await row(/^Loss by year/)).slice(0, 3), [`0 / ${places}`, '–', String(places)]);
    const fetch = region.getByRole('button', { name: /^Fetch map data of \d cells/ });
    const cells = /\d+ cells/.exec(await fetch.innerText())![0];
    await fetch.click();
    await page.getByRole('alert').getByText(`Map data of ${cells} could not be fetched.`).waitFor();
    assert.deepEqual((await row(/^Roads/)).slice(0, 3), [`0 / ${places}`, String(places), '–']);
    assert.deepEqual(await window.axe(), []);
    await window.shot('datasets-missing');

    await window.go('/console/datasets?map=12/4.59/102.61');
    await window.mapIdle();
    await page.getByLabel('Commodity', { exact: true }).selectOption('palm');
    await page.getByRole('button', { name: 'Look at this view' }).click();
    await looked.waitFor();
    assert.doesNotMatch((await row(/^Roads/))[0]!, /^0 /);
    assert.doesNotMatch((await row(/^Commodity/))[0]!, /^0 /);
    assert.deepEqual(window.faults, []);
  });

  it('cannot fetch for half a continent, and says how to', async () => {
    const { page } = window;
    await window.go('/console/datasets?map=4/5/-70');
    await window.mapIdle();
    await page.getByRole('button', { name: 'Look at this view' }).click();
    await page.getByText(/^Looked at 100 places, spread evenly.*Move closer/).waitFor();
    assert.equal(await page.getByRole('button', { name: /^Fetch map data/ }).count(), 0);
  });

  it('works in the dark and on a narrow screen, without a token too', async () => {
    await using other = await browser.open({ width: 390, height: 844, theme: 'dark' });
    await other.go('/console/datasets');
    await other.page.locator('.dataset').first().waitFor();
    await other.mapIdle();
    await other.page.getByText('Sign in with a token that has the right “validate”.').waitFor();
    assert.equal(await other.overflows(), false);
    assert.deepEqual(await other.axe(), []);
    await other.shot('datasets-narrow');
    assert.deepEqual(other.faults, []);
  });
});
