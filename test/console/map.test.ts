import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { encodePng } from '../../src/service/forest/png.ts';
import { runService } from '../end-to-end/run-service.ts';
import { browserSkip, openBrowser, type ConsoleWindow } from './browser.ts';
import { chooseFile } from './choose-file.ts';
import { withConsole, type OpenConsole } from './with-console.ts';

const PLACES = '4.5821, 102.6124, Kilang Sawit Contoh\n4.599, 102.5853, Depot\n4.6102, 102.6053, Station';
const CANVAS = `document.querySelector('.maplibregl-canvas')`;
/** Where the roads of the sample district are. */
const DISTRICT = '/console/forest?map=14/4.5821/102.6124';

describe('the map of the console', { skip: browserSkip() }, () => {
  let opened: OpenConsole;
  withConsole((found) => (opened = found), { maps: true });

  const legend = (window: ConsoleWindow, key: string) => window.page.locator(`.map-legend [data-key="${key}"]`);
  /** Opens all parts of the legend. */
  const openLegend = async ({ page }: ConsoleWindow): Promise<void> => {
    await page.locator('.map-legend details').first().waitFor();
    await page.evaluate(`document.querySelectorAll('.map-legend details').forEach((part) => (part.open = true))`);
  };

  it('draws packs and forest segments as vector tiles, which can be left out for good', async () => {
    const { window, service } = opened;
    const { page } = window;
    const tiles: string[] = [];
    page.on('response', (response) => {
      const [, set] = /\/tiles\/([\w-]+)\/\d+\/\d+\/\d+$/.exec(response.url()) ?? [];
      if (set !== undefined && response.status() === 200) tiles.push(set);
    });
    await window.go('/console/forest?map=6/4.5821/102.6124');
    await window.signIn(service.token);
    await window.mapIdle();
    assert.equal(tiles.length, 0, 'nothing is requested from afar');
    // A map that is slow to hear which sets there are is idle before it has their tiles.
    const arriving = ['roads', 'water', 'buildings', 'labels'].map((set) =>
      page.waitForResponse((response) => response.ok() && response.url().includes(`/tiles/sample-district-${set}/`)),
    );
    await window.go(DISTRICT);
    await Promise.all(arriving);
    await window.mapIdle();
    await openLegend(window);
    await legend(window, 'roads').waitFor();
    await legend(window, 'segments').waitFor();
    assert.deepEqual(await window.axe(), []);
    await window.shot('map-ground');
    const canvas = page.locator('.maplibregl-canvas');
    const withRoads = await canvas.screenshot();
    await legend(window, 'ground').getByRole('checkbox').uncheck();
    await legend(window, 'roads').waitFor({ state: 'detached' });
    await page.reload();
    await window.mapIdle();
    await openLegend(window);
    assert.equal(await legend(window, 'ground').getByRole('checkbox').isChecked(), false);
    assert.equal(await legend(window, 'roads').count(), 0);
    const without = await canvas.screenshot();
    assert.notDeepEqual(without, withRoads);
    await legend(window, 'ground').getByRole('checkbox').check();
    await legend(window, 'roads').waitFor();
    await page.getByRole('img', { name: 'North is up' }).waitFor();
    await page.locator('.maplibregl-ctrl-scale').waitFor();
    assert.match(await page.locator('.maplibregl-ctrl-attrib').innerText(), /OpenStreetMap/);
  });

  it('is drawn with a quarter of the pixels while it moves, where the processor draws it', async () => {
    const { window } = opened;
    const { page } = window;
    await window.go(DISTRICT);
    await window.mapIdle();
    const canvas = page.locator('.maplibregl-canvas');
    const shared = (): Promise<number> =>
      page.evaluate<number>(`(({ width, clientWidth }) => width / (clientWidth * devicePixelRatio))(${CANVAS})`);
    const isSmooth = await page.evaluate(`${CANVAS}.getContext('webgl2').getContextAttributes().antialias`);
    assert.equal(isSmooth, false);
    assert.ok(Math.abs((await shared()) - 1) < 0.01);
    const { x, y, width, height } = (await canvas.boundingBox())!;
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2 + 80, y + height / 2, { steps: 4 });
    await page.locator('.map-canvas:not([data-idle])').waitFor();
    assert.ok(Math.abs((await shared()) - 0.5) < 0.01);
    await page.mouse.up();
    await window.mapIdle();
    assert.ok(Math.abs((await shared()) - 1) < 0.01);
    // What is drawn is the map, in all of its pixels.
    assert.ok((await canvas.screenshot()).length > 10_000);
  });

  it('has circles on demand, and keeps those that are wanted in the address', async () => {
    const { window } = opened;
    const { page } = window;
    await window.go('/console/facilities');
    await page.getByLabel('Commodity', { exact: true }).selectOption('palm');
    await page.getByLabel('Or paste coordinates').fill(PLACES);
    await page.getByRole('button', { name: 'Check 3' }).click();
    await page.locator('.vtable-body [role=row]').first().click();
    await page.locator('.detail').waitFor();
    await openLegend(window);
    const circle = (metres: number) => legend(window, String(metres)).getByRole('checkbox');
    assert.deepEqual(
      await Promise.all([100, 1_000, 2_000, 5_000, 50_000].map((metres) => circle(metres).isChecked())),
      [true, false, true, true, false],
    );
    await circle(50_000).check();
    await circle(100).uncheck();
    await page.waitForURL(/circles=2000(%2C|,)5000(%2C|,)50000/);
    await page.reload();
    await page.locator('.detail').waitFor();
    await openLegend(window);
    assert.equal(await circle(50_000).isChecked(), true);
    assert.equal(await circle(100).isChecked(), false);
  });

  it('marks in table, map and evidence what is pointed at in one of them', async () => {
    const { window } = opened;
    const { page } = window;
    const row = page.locator('.vtable-body [role=row]');
    const canvas = page.locator('.maplibregl-canvas');
    await page
      .locator('.map-legend details[open] summary')
      .evaluateAll((all) => all.forEach((summary) => (summary as unknown as { click(): void }).click()));
    await page.getByRole('heading', { name: 'How the score came about' }).waitFor();
    await window.mapIdle();
    const still = await canvas.screenshot();
    const road = page.locator('.evidence > li', { hasText: 'Roads' });
    await road.getByRole('button', { name: 'Roads' }).focus();
    assert.equal(await road.getAttribute('data-pointed'), 'true');
    await changed(window, canvas, still);
    await window.shot('map-pointed');
    await page.locator('.vtable').focus();
    assert.equal(await road.getAttribute('data-pointed'), 'false');
    // The facility stands in the middle of the map.
    const box = (await canvas.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2 + 60, box.y + box.height / 2 + 90);
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 3 });
    await row.and(page.locator('[data-pointed=true]')).waitFor();
    assert.match(await row.and(page.locator('[data-pointed=true]')).innerText(), /Kilang Sawit Contoh/);
    await row.nth(1).hover();
    assert.equal(await row.nth(1).getAttribute('data-pointed'), 'true');
    assert.equal(await row.nth(0).getAttribute('data-pointed'), 'false');
    assert.deepEqual(window.faults, []);
  });

  it('draws a crowd as dots, of which each can be chosen, and follows the filter', async () => {
    const { window } = opened;
    const { page } = window;
    // All but the last lie together; that one stands alone in the middle of the map.
    const rows = Array.from({ length: 2_101 }, (_, i) =>
      i === 2_100 ? 'Alone,5,104' : `Crowd ${i},${(4.5 + (i % 50) * 1e-3).toFixed(3)},${(102.5 + i * 1e-4).toFixed(4)}`,
    );
    await window.go('/console/facilities');
    const buffer = Buffer.from(['name,latitude,longitude', ...rows].join('\n'));
    await chooseFile(page, { name: 'crowd.csv', mimeType: 'text/csv', buffer });
    await page.locator('.file-review .button.primary').click();
    await page.locator('.vtable[aria-rowcount="2102"]').waitFor();
    const task = new URL(page.url()).searchParams.get('task');
    await window.go(`/console/facilities?task=${task}&map=7/5/104`);
    await page.locator('.vtable[aria-rowcount="2102"]').waitFor();
    const canvas = page.locator('.maplibregl-canvas');
    const box = (await canvas.boundingBox())!;
    const pointed = page.locator('.vtable-body [data-pointed=true]');
    /** Whether something can be clicked in the middle. */
    const marked = async (isThere: boolean): Promise<void> => {
      for (let i = 0; ; i++) {
        await window.mapIdle();
        await page.mouse.move(box.x + box.width / 2 + 60, box.y + box.height / 2 + 60);
        await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 3 });
        await page.waitForTimeout(100);
        const cursor = await canvas.evaluate((at) => (at as unknown as { style: { cursor: string } }).style.cursor);
        if ((cursor === 'pointer') === isThere) return;
        assert.ok(i < 100, `the mark is ${isThere ? 'not ' : ''}there`);
      }
    };
    await marked(true);
    await page.getByPlaceholder('Name, id, country').fill('Crowd');
    await page.locator('.vtable[aria-rowcount="2101"]').waitFor();
    await marked(false);
    await page.getByPlaceholder('Name, id, country').fill('Alone');
    await page.locator('.vtable[aria-rowcount="2"]').waitFor();
    await marked(true);
    await pointed.waitFor();
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await page.getByRole('heading', { name: 'Alone', exact: true }).waitFor();
    assert.deepEqual(window.faults, []);
  });

  /** Waits until a picture is another one. */
  async function changed(
    { page }: ConsoleWindow,
    canvas: { screenshot(): Promise<Buffer> },
    before: Buffer,
  ): Promise<void> {
    for (let i = 0; i < 100; i++) {
      if (!(await canvas.screenshot()).equals(before)) return;
      await page.waitForTimeout(100);
    }
    assert.fail('the map stayed as it was');
  }
});

/** A server of tiles: imagery of one colour, and heights in the Terrarium encoding that rise and fall to the east. */
async function openTiles() {
  const size = 256;
  const picture = (colour: (x: number) => readonly [number, number, number]): Buffer => {
    const rgb = new Uint8Array(3 * size * size);
    for (let i = 0; i < size * size; i++) rgb.set(colour(i % size), 3 * i);
    return Buffer.from(encodePng({ width: size, height: size, rgb }));
  };
  const pictures = {
    imagery: picture(() => [150, 60, 160]),
    heights: picture((x) => {
      const metres = 32_768 + 1_500 + 1_500 * Math.sin(x / 12);
      return [Math.floor(metres / 256), Math.floor(metres % 256), 0];
    }),
  };
  const served = new Set<string>();
  const server = createServer((request, response) => {
    const [, kind = ''] = /^\/(imagery|heights)\/\d+\/\d+\/\d+\.png$/.exec(request.url ?? '') ?? [];
    const bytes = pictures[kind as keyof typeof pictures];
    served.add(kind === '' ? String(request.url) : kind);
    response.writeHead(bytes === undefined ? 404 : 200, {
      'content-type': 'image/png',
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
    response.end(bytes);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    served,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

describe('tiles that an operator names', { skip: browserSkip() }, () => {
  it('lie below what the console draws, shade the slopes, and are requested from their host alone', async () => {
    await using tiles = await openTiles();
    await using service = await runService({
      env: {
        CONSOLE_TILES: `${tiles.url}/imagery/{z}/{x}/{y}.png`,
        CONSOLE_TILES_ATTRIBUTION: 'Imagery of the operator',
        CONSOLE_TERRAIN: `${tiles.url}/heights/{z}/{x}/{y}.png`,
      },
    });
    await using browser = await openBrowser(service.url, { maps: true });
    await using window = await browser.open();
    const { page } = window;
    const tones = async (): Promise<readonly string[]> => {
      await window.mapIdle();
      const shot = await page.locator('.maplibregl-canvas').screenshot();
      // A strip in the middle, away from legend and controls.
      return page.evaluate<readonly string[]>(`(async () => {
        const bytes = Uint8Array.from(atob('${shot.toString('base64')}'), (letter) => letter.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(image.width / 2, image.height / 2, 200, 1);
        const found = new Set();
        for (let i = 0; i < data.length; i += 4) found.add([data[i], data[i + 1], data[i + 2]].join());
        return [...found];
      })()`);
    };
    await window.go('/console/forest?map=9/0.5/-30');
    await window.signIn(service.token);
    await page.locator('.map-legend details').first().waitFor();
    await page.evaluate(`document.querySelectorAll('.map-legend details').forEach((part) => (part.open = true))`);
    const turn = (name: string) => page.getByRole('checkbox', { name });
    assert.ok((await tones()).length > 10, 'slopes are shaded');
    await window.shot('map-tiles');
    assert.match(await page.locator('.maplibregl-ctrl-attrib').innerText(), /Imagery of the operator/);
    await turn('Terrain shading').uncheck();
    assert.deepEqual(await tones(), ['150,60,160']);
    await turn('Imagery').uncheck();
    assert.deepEqual(await tones(), ['195,217,230']);
    assert.deepEqual([...tiles.served].toSorted(), ['heights', 'imagery']);
    assert.deepEqual(
      window.faults.filter((fault) => !fault.startsWith(`request to ${tiles.url}/`)),
      [],
    );
  });
});
