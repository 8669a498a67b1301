import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, type ConsoleWindow } from './browser.ts';
import { chooseFile } from './choose-file.ts';
import { withConsole } from './with-console.ts';

/** A batch of three plots on a busy machine. */
const BATCH_MS = 240_000;

/** Boxes in the synthetic sample district: across several stands, inside one, and outside of all data. */
const FEATURES = [
  ['Across', 102.599, 4.6, 102.606, 4.606],
  ['Inside', 102.6161, 4.5901, 102.617, 4.591],
  ['Nowhere', 0, -75, 0.002, -74.999],
] as const;

describe('the question whether a plot is one', { skip: browserSkip() }, () => {
  let service: RunningProcess;
  let window: ConsoleWindow;
  withConsole((opened) => ({ service, window } = opened), { maps: true });

  const detail = () => window.page.locator('.detail');
  const choose = async (name: string): Promise<void> => {
    await window.page.locator('.vtable-body [role=row]').filter({ hasText: name }).click();
    await detail().getByRole('heading', { name, exact: true }).waitFor();
  };

  it('is answered with shares, parts on the map and a file', async () => {
    const { page } = window;
    await window.go('/console/collections');
    await window.signIn(service.token);
    const features = FEATURES.map(([name, west, south, east, north]) => ({
      type: 'Feature',
      properties: { name, commodity: 'rubber' },
      geometry: {
        type: 'Polygon',
        coordinates: [
          [
            [west, south],
            [east, south],
            [east, north],
            [west, north],
            [west, south],
          ],
        ],
      },
    }));
    await chooseFile(page, {
      name: 'mixed.geojson',
      mimeType: 'application/geo+json',
      buffer: Buffer.from(JSON.stringify({ type: 'FeatureCollection', features })),
    });
    await page.getByRole('button', { name: 'Process', exact: true }).click();
    await page.getByRole('heading', { name: 'Results', exact: true }).waitFor({ timeout: BATCH_MS });
    await page.getByRole('button', { name: 'Plots', exact: true }).click();
    await choose('Across');
    await detail().getByRole('button', { name: 'Look at the ground' }).click();
    await detail()
      .getByText(/^Clearly more than one thing: \d+ parts proposed$/)
      .waitFor();
    const shares = await detail().locator('.plot-split tbody tr td:nth-child(3)').allInnerTexts();
    assert.ok(shares.length >= 2);
    const sum = shares.reduce((total, share) => total + Number.parseFloat(share), 0);
    assert.ok(Math.abs(sum - 100) < 2, shares.join());
    assert.match(await detail().locator('.plot-split').innerText(), /generated and describe no real place/);
    await detail().locator('.plot-split summary').first().click();
    await detail().locator('.plot-split .evidence-name', { hasText: 'Forest' }).first().waitFor();
    await window.mapIdle();
    assert.deepEqual(await window.axe(), []);
    await window.shot('plot-split');
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      detail().getByRole('button', { name: 'Download the parts as GeoJSON' }).click(),
    ]);
    assert.equal(saved.suggestedFilename(), 'Across-parts.geojson');
    const file = JSON.parse(await readFile(await saved.path(), 'utf8')) as {
      features: readonly { properties: { plot: string; part: string } }[];
    };
    assert.ok(file.features.length >= 2);
    assert.equal(file.features[0]!.properties.plot, 'Across');
  });

  it('is answered with one plot, and with unknown where nothing can be looked at', async () => {
    await choose('Inside');
    assert.equal(await detail().getByText('Clearly more than one thing').count(), 0);
    await detail().getByRole('button', { name: 'Look at the ground' }).click();
    await detail().getByText('One plot: no split is proposed').waitFor();
    await choose('Nowhere');
    await detail().getByRole('button', { name: 'Look at the ground' }).click();
    await detail().getByText('Unknown: nobody can say').waitFor();
    assert.equal(
      await detail()
        .getByRole('button', { name: /Download the parts/ })
        .count(),
      0,
    );
    assert.deepEqual(await window.axe(), []);
    await window.shot('plot-split-unknown');
  });

  it('says that the service refused, and looks again on request', async () => {
    const { page } = window;
    const address = /\/plots\/split/;
    await page.route(address, (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/problem+json',
        body: '{"detail":"Full.","code":"queue_full","status":503}',
      }),
    );
    await choose('Inside');
    await detail().getByRole('button', { name: 'Look at the ground' }).click();
    await detail().getByRole('alert').waitFor();
    await page.unroute(address);
    await detail().getByRole('button', { name: /again/i }).click();
    await detail().getByText('One plot: no split is proposed').waitFor();
  });
});
