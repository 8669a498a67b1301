import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, type ConsoleBrowser, type ConsoleWindow } from './browser.ts';
import { withConsole } from './with-console.ts';

describe('the page of forest patches', { skip: browserSkip() }, () => {
  let service: RunningProcess;
  let browser: ConsoleBrowser;
  let window: ConsoleWindow;
  withConsole((opened) => ({ service, browser, window } = opened), { maps: true });

  const figure = (name: string) => window.page.locator('.figure', { hasText: name }).locator('dd');

  it('finds the patch under a click', async () => {
    const { page } = window;
    await window.go('/console/forest?map=14/4.6/102.61');
    await window.signIn(service.token);
    await window.mapIdle();
    assert.deepEqual(await window.axe(), []);
    const box = await page.locator('.maplibregl-canvas').boundingBox();
    await page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2);
    await figure('Area').first().waitFor();
    assert.equal(await figure('Area').first().innerText(), '9.71 ha');
    assert.match(await figure('Read from').innerText(), /tier [12]/);
    assert.equal(await figure('Year').innerText(), '2025');
    await page.getByText('Synthetic data').waitFor();
    assert.match(page.url(), /at=4\.6\d*,102\.6\d*/);
  });

  it('shows what it was before smoothing, and keeps that in the address', async () => {
    const { page } = window;
    await page.getByLabel('Show the outline before smoothing').check();
    assert.match(page.url(), /raw=1/);
    await page.reload();
    await figure('Area').first().waitFor();
    assert.ok(await page.getByLabel('Show the outline before smoothing').isChecked());
    await window.mapIdle();
    assert.deepEqual(await window.axe(), []);
    await window.shot('forest');
  });

  it('gives the patch in a coordinate system of ones own', async () => {
    const { page } = window;
    await page.getByLabel('Coordinate system').fill('EPSG:32648');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download GeoJSON' }).click(),
    ]);
    const { crs, features } = JSON.parse(await readFile(await download.path(), 'utf8')) as {
      crs: { properties: { name: string } };
      features: { geometry: { coordinates: number[][][] }; properties: Record<string, unknown> }[];
    };
    assert.equal(crs.properties.name, 'urn:ogc:def:crs:EPSG::32648');
    const [x = 0] = features[0]?.geometry.coordinates[0]?.[0] ?? [];
    assert.ok(x > 231_000 && x < 237_000, String(x));
    assert.equal(features[0]?.properties['raw_outline'], undefined);
    await page.getByLabel('Coordinate system').fill('EPSG:1');
    await page.getByRole('button', { name: 'Download GeoJSON' }).click();
    await page.getByRole('alert').waitFor();
  });

  it('shows the neighbouring patches, and counts what it found around', async () => {
    const { page } = window;
    await page.getByLabel('Show the neighbouring patches').check();
    const note = page.getByText(/neighbouring patch(es)? at 48 places 50 m outside the outline/);
    await note.waitFor();
    assert.match(await note.innerText(), /^[1-9]\d* neighbouring/);
    assert.match(page.url(), /neighbours=1/);
    const legend = page.locator('.map-legend');
    for (const name of ['Forest patch', 'Outline before smoothing', 'Neighbouring patch', 'Place in a patch'])
      await legend.getByText(name, { exact: true }).first().waitFor();
    await window.mapIdle();
    assert.deepEqual(await window.axe(), []);
    await window.shot('forest-neighbours');
  });

  it('lays embeddings in false colour below the outline, and says what they are', async () => {
    const { page } = window;
    const canvas = page.locator('.maplibregl-canvas');
    await window.mapIdle();
    const without = await canvas.screenshot();
    await page.getByLabel('Show satellite embeddings in false colour').check();
    await page.getByText(/The three directions in which the 64 bands vary most here/).waitFor();
    assert.match(page.url(), /colours=1/);
    await page.locator('.map-legend').getByText('Embeddings in false colour').waitFor();
    for (let i = 0; (await canvas.screenshot()).equals(without); i++) {
      assert.ok(i < 100, 'the map stayed as it was');
      await page.waitForTimeout(100);
    }
    assert.deepEqual(await window.axe(), []);
    await window.shot('forest-colours');
    await page.getByLabel('Show satellite embeddings in false colour').uncheck();
  });

  it('says where there is none', async () => {
    const { page } = window;
    await page.getByLabel('Latitude, longitude', { exact: true }).first().fill('4.5821, 102.6124');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.getByRole('heading', { name: 'No forest patch here' }).waitFor();
  });

  const mapPlace = (): readonly number[] =>
    (new URL(window.page.url()).searchParams.get('map') ?? '').split('/').map(Number);

  it('opens a place without a patch so that one sees where it is, and does not move away from where one clicked', async () => {
    const { page } = window;
    await window.go('/console/forest?at=6.7,-1.6');
    await page.waitForURL(/map=/);
    await window.mapIdle();
    const [zoom = 0, lat = 0, lon = 0] = mapPlace();
    assert.ok(zoom >= 7 && zoom <= 10 && Math.abs(lat - 6.7) < 0.1 && Math.abs(lon + 1.6) < 0.1, mapPlace().join());
    await window.go('/console/forest?map=13/6.7/-1.6');
    await window.mapIdle();
    const box = (await page.locator('.maplibregl-canvas').boundingBox())!;
    await page.mouse.click(box.x + box.width * 0.6, box.y + box.height * 0.6);
    await page.getByRole('heading', { name: 'Unknown whether there is a forest patch here' }).waitFor();
    await window.mapIdle();
    assert.equal(mapPlace()[0], 13);
  });

  it('opens at patches and not at a pole, and shows all on request', async () => {
    const { page } = window;
    const places = [
      [102.61, 4.6],
      [102.6, 4.59],
      [0, 89],
    ].map((coordinates) => ({ type: 'Feature', properties: {}, geometry: { type: 'Point', coordinates } }));
    const answer = await service.fetch('/forest_polygon/lookup?async_mode=true', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'FeatureCollection', features: places }),
    });
    const { task_id: task } = (await answer.json()) as { task_id: string };
    await window.go(`/console/forest?task=${task}`);
    await page.getByRole('heading', { name: '2 patches for 3 places' }).waitFor();
    await page.waitForURL(/map=/);
    await window.mapIdle();
    const [zoom = 0, lat = 0, lon = 0] = mapPlace();
    assert.ok(zoom > 12 && Math.abs(lat - 4.595) < 0.02 && Math.abs(lon - 102.605) < 0.02, mapPlace().join());
    await page.getByRole('button', { name: '1 place far from the others: show all' }).click();
    await page.waitForURL(/[?&]map=[0-3](\.\d+)?(\/|%2F)/);
    await page.locator('.patch-list button').nth(2).click();
    await window.go('/console/forest?at=89,0');
    await page.waitForURL(/[?&]map=[0-3](\.\d+)?(\/|%2F)/);
    await window.mapIdle();
    assert.deepEqual(await window.axe(), []);
  });

  it('shows the same whether the map is there before the answer or after it', async () => {
    const { page } = window;
    for (const [at, zoom] of [
      ['89,0', 2],
      ['6.7,-1.6', 9],
    ] as const)
      for (const [late, sooner] of [
        [/\/open-map[^/]*\.js$/, page.getByRole('heading', { name: /forest patch here/ })],
        [/\/forest_polygon\/lookup/, page.locator('.map-canvas[data-state=ready]')],
      ] as const) {
        const held = Promise.withResolvers<void>();
        await page.route(late, async (route) => {
          await held.promise;
          await route.continue();
        });
        await window.go(`/console/forest?at=${at}`);
        await sooner.waitFor();
        held.resolve();
        await page.waitForURL(/map=/);
        assert.equal(mapPlace()[0], zoom, `${at}, ${late}`);
        await page.unroute(late);
      }
  });

  it('looks up many places, from text and from a file', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'Look up other places' }).click();
    await page.getByLabel('Paste coordinates').fill('4.6, 102.61, Block of Ann\n4.59, 102.6\n89, 0, Pole');
    // Its colours are those of a button that cannot be pressed until then.
    const find = page.getByRole('button', { name: 'Find 3', disabled: false });
    await find.waitFor();
    assert.deepEqual(await window.axe(), []);
    await find.click();
    await page.getByRole('heading', { name: /2 patches for 3 places/ }).waitFor();
    const places = page.locator('.patch-list button');
    assert.match(await places.nth(0).innerText(), /Block of Ann\s+4\.6, 102\.61/);
    assert.match(await places.nth(2).innerText(), /Pole/);
    await page.reload();
    await page.getByRole('heading', { name: /Forest patch Block of Ann/ }).waitFor();
    await places.nth(1).click();
    assert.match(page.url(), /sel=1/);
    assert.deepEqual(await window.axe(), []);
    await window.shot('forest-batch');
    await page.getByRole('button', { name: 'Look up other places' }).click();
    const file = JSON.stringify({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [102.61, 4.6] },
      properties: {},
    });
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'a.geojson', mimeType: 'application/geo+json', buffer: Buffer.from(file) });
    await page.getByRole('heading', { name: /1 patch for 1 place(?!s)/ }).waitFor();
  });

  it('works in the dark and on a narrow screen', async () => {
    await using other = await browser.open({ theme: 'dark', width: 360, height: 740 });
    await other.go('/console/forest?at=4.6,102.61');
    await other.signIn(service.token);
    await other.page.locator('.figure').first().waitFor();
    await other.mapIdle();
    assert.deepEqual(await other.axe(), []);
    assert.equal(await other.overflows(), false);
    await other.shot('forest');
    assert.deepEqual(other.faults, []);
  });

  it('sent no request elsewhere, and broke no rule of its policy', () => {
    assert.deepEqual(window.faults, []);
  });
});
