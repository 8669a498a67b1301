import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { runService } from '../end-to-end/run-service.ts';
import { TWO_YEAR_PLACE, writeTwoYears, YEAR_AFTER, YEAR_BEFORE } from '../two-year-mosaic.ts';
import { browserSkip, openBrowser } from './browser.ts';

describe('two years of embeddings', { skip: browserSkip() }, () => {
  it('lie below the outline with a line between them that moves', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-years-'));
    t.after(() => rm(folder, { recursive: true }));
    await using service = await runService({ env: { PUBLIC_DATA: 'off', CATALOGUE: await writeTwoYears(folder) } });
    await using browser = await openBrowser(service.url, { maps: true });
    await using window = await browser.open();
    const { page } = window;
    const canvas = page.locator('.maplibregl-canvas');
    const [lon, lat] = TWO_YEAR_PLACE;
    await window.go(`/console/forest?at=${lat},${lon}&map=14/${lat}/${lon}&colours=1`);
    await window.signIn(service.token);
    await page.getByLabel('Before', { exact: true }).selectOption(String(YEAR_BEFORE));
    await page.getByLabel('After', { exact: true }).selectOption(String(YEAR_AFTER));
    const line = page.getByRole('slider', { name: 'Line between the years' });
    await line.waitFor();
    assert.match(page.url(), new RegExp(`years=${YEAR_BEFORE}(%2C|,)${YEAR_AFTER}`));
    /** Whether the west and the east of the place look alike on the map. */
    const isAlike = async (): Promise<boolean> => {
      const shot = (await canvas.screenshot()).toString('base64');
      return page.evaluate<boolean>(`(async () => {
        const bytes = Uint8Array.from(atob('${shot}'), (letter) => letter.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
        context.drawImage(image, 0, 0);
        const at = (x) => [...context.getImageData(image.width / 2 + x, image.height / 2 + 60, 1, 1).data];
        return at(-60).every((value, i) => Math.abs(value - at(60)[i]) < 20);
      })()`);
    };
    const until = async (wanted: boolean): Promise<void> => {
      for (let i = 0; (await isAlike()) !== wanted; i++) {
        assert.ok(i < 100, `west and east stayed ${wanted ? 'different' : 'alike'}`);
        await page.waitForTimeout(100);
      }
    };
    await line.fill('100');
    await until(false);
    await window.shot('forest-years');
    await line.fill('0');
    await until(true);
    assert.match(String(await line.getAttribute('aria-valuetext')), /2019 on 0 % of the picture from the west, 2024/);
    assert.deepEqual(await window.axe(), []);
    await page.reload();
    await line.waitFor();
    assert.equal(await page.getByLabel('Before', { exact: true }).inputValue(), String(YEAR_BEFORE));
    assert.deepEqual(window.faults, []);
  });
});
