import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { samplePlots } from '../../src/readers/sample-district/sample-plots.ts';
import type { RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, type ConsoleWindow } from './browser.ts';
import { withConsole } from './with-console.ts';

/** The years of the losses of the sample district are these; it says nothing of later ones. */
const LAST_COVERED = 2024;

describe('the map of plots', { skip: browserSkip() }, () => {
  let service: RunningProcess;
  let window: ConsoleWindow;
  let id: string;
  withConsole((opened) => ({ service, window } = opened), { maps: true });

  before(async () => {
    const features = [
      ...samplePlots(),
      { type: 'Feature', properties: { name: 'Without a place' }, geometry: null },
      { type: 'Feature', properties: { name: 'Left empty' }, geometry: { type: 'Point', coordinates: [0, 0] } },
    ];
    const form = new FormData();
    form.set('collection_name', 'Map of plots');
    form.set('stats', 'true');
    form.set('validate_locations', 'true');
    form.set('file', new File([JSON.stringify({ type: 'FeatureCollection', features })], 'plots.geojson'));
    const answer = await service.fetch('/batch_process', { method: 'POST', body: form });
    ({ collection_id: id } = (await answer.json()) as { collection_id: string });
    for (let status = 'processing'; status === 'processing';) {
      await new Promise((done) => setTimeout(done, 200));
      const found = await service.fetch(`/collections/${id}`);
      ({ status } = (await found.json()) as { status: string });
    }
  });

  const place = (): readonly number[] =>
    (new URL(window.page.url()).searchParams.get('map') ?? '').split('/').map(Number);

  it('shows the plots as a whole, and rows without a place or far from all others do not pull the view', async () => {
    const { page } = window;
    await window.go(`/console/collections?id=${id}&tab=plots`);
    await window.signIn(service.token);
    await page.locator('.vtable-body [role=row]').first().waitFor();
    await page.waitForURL(/map=/);
    await window.mapIdle();
    const [zoom = 0, lat = 0, lon = 0] = place();
    assert.ok(zoom > 11 && Math.abs(lat - 4.596) < 0.03 && Math.abs(lon - 102.599) < 0.03, place().join());
    const address = page.url();
    const far = page.getByRole('button', { name: '1 place far from the others: show all' });
    await far.click();
    await page.waitForURL(/[?&]map=[0-3](\.\d+)?(\/|%2F)/);
    assert.equal(await far.count(), 0);
    await page.goto(address);
    await page.locator('.vtable-body [role=row]').first().waitFor();
    await window.mapIdle();
    assert.deepEqual(await window.axe(), []);
  });

  it('colours them by year of loss, with a slider from 2001 to now and hatched years without data', async () => {
    const { page } = window;
    const canvas = page.locator('.maplibregl-canvas');
    await page.getByLabel('Colour by').selectOption('loss');
    await page.locator('.time-bar-year > span').first().waitFor();
    const years = page.locator('.time-bar-year');
    const covered = await years.evaluateAll((all) =>
      all.map((year) => (year as unknown as { dataset: { covered: string } }).dataset.covered),
    );
    const last = 2000 + covered.length;
    assert.ok(last >= 2026, String(last));
    assert.deepEqual(
      covered,
      Array.from({ length: covered.length }, (_, i) => String(2001 + i <= LAST_COVERED)),
    );
    const slider = page.getByRole('slider');
    assert.equal(await slider.getAttribute('min'), '2001');
    assert.equal(await slider.inputValue(), String(last));
    assert.equal(await page.locator('.time-bar-note').innerText(), `${last}: no data.`);
    await window.mapIdle();
    await window.shot('plots-years');
    const now = await canvas.screenshot();
    await slider.fill('2010');
    await page.getByText('Up to the end of 2010').waitFor();
    assert.equal(await page.locator('.time-bar-note').innerText(), '2010: loss in 3 plots');
    assert.match(page.url(), /colour=loss/);
    assert.match(page.url(), /year=2010/);
    for (let i = 0; (await canvas.screenshot()).equals(now); i++) {
      assert.ok(i < 100, 'the map stayed as it was');
      await page.waitForTimeout(100);
    }
    assert.deepEqual(await window.axe(), []);
    await page.reload();
    await page.getByText('Up to the end of 2010').waitFor();
    await slider.press('ArrowRight');
    await page.getByText('Up to the end of 2011').waitFor();
    assert.match(await page.locator('.map-legend').textContent().then(String), /2008.*no loss up to 2011.*no data/s);
    await page.getByLabel('Colour by').selectOption('result');
    await slider.waitFor({ state: 'detached' });
    assert.doesNotMatch(page.url(), /year=/);
    assert.deepEqual(window.faults, []);
  });
});
