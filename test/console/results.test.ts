import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { meanOf } from '../../console/pages/facilities/mean-of.ts';
import type { ResultRow } from '../../console/pages/facilities/result-row.ts';
import type { RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, type ConsoleWindow } from './browser.ts';
import { withConsole } from './with-console.ts';

const PLACES = `name,commodity,latitude,longitude,location_type
Kilang,palm,4.5821,102.6124,facility
Gudang,palm,4.5990,102.5853,facility
Far away,cocoa,6.7,-1.6,facility
Plot,palm,4.600001,102.600001,plot
Nowhere,palm,,,facility
`;

describe('the mean of rows', () => {
  const row = (score: number | null, range: ResultRow['range'] = null) => ({ score, range }) as ResultRow;

  it('is of those that have a score, with what is not known of them', () => {
    assert.deepEqual(meanOf([row(0.5), row(null), row(1)]), { score: 0.75, range: null });
    assert.deepEqual(meanOf([row(0.5, [0.25, 1]), row(1)]), { score: 0.75, range: [0.625, 1] });
    assert.equal(meanOf([row(null)]), null);
  });
});

describe('results', { skip: browserSkip() }, () => {
  let service: RunningProcess;
  let window: ConsoleWindow;
  withConsole((opened) => ({ service, window } = opened), {
    maps: true,
    // Nothing listens there.
    env: {
      AUTO_DATA: 'on',
      PUBLIC_DATA: 'off',
      OVERTURE_URL: 'http://127.0.0.1:9',
      OVERTURE_INDEX_URL: 'http://127.0.0.1:9',
    },
  });

  /** Checks the places as a program does that knows nothing of the console. */
  const checked = async (accept: string): Promise<string> => {
    const body = new FormData();
    body.append('file', new File([PLACES], 'from elsewhere.csv', { type: 'text/csv' }));
    const answer = await service.fetch('/validate_locations?async_mode=true', {
      method: 'POST',
      body,
      headers: { accept },
    });
    const { task_id: id } = (await answer.json()) as { task_id: string };
    for (;;) {
      const { status } = (await (await service.fetch(`/tasks/${id}`)).json()) as { status: string };
      if (status === 'completed') return id;
      assert.equal(status, 'processing');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const rows = () => window.page.locator('.vtable-body [role=row]');

  it('of a check that was begun elsewhere are shown, with the name of its file', async () => {
    const { page } = window;
    await checked('application/geo+json, application/json;q=0.5');
    await window.go('/console');
    await window.signIn(service.token);
    await window.mapIdle();
    const first = new URL(page.url()).searchParams.get('map');
    await page.getByRole('link', { name: 'from elsewhere.csv' }).click();
    await rows().nth(4).waitFor();
    // The map shows the results, not what the map of the page before showed.
    await page.waitForURL((url) => ![null, first].includes(url.searchParams.get('map')));
    assert.equal(await rows().count(), 5);
    await page.getByText('How the file was read').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.deepEqual(window.faults, []);
  });

  it('have each row in exactly one group', async () => {
    const { page } = window;
    const chips = await page.locator('.chips').first().locator('button').allInnerTexts();
    const counts = chips.map((text) => Number(/\d+$/.exec(text.trim())?.[0]));
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      5,
      chips.join(),
    );
    await page.getByRole('button', { name: 'not processed 1' }).click();
    await page.locator('.totals').getByText('1 of 5').waitFor();
    assert.match(await rows().first().innerText(), /Nowhere/);
    assert.doesNotMatch(await page.locator('.totals').innerText(), /Mean/);
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
  });

  it('have the mean of the rows that a filter leaves', async () => {
    const { page } = window;
    const totals = page.locator('.totals');
    const meanIn = async (): Promise<string> => /Mean score ([\d.]+)/.exec(await totals.innerText())?.[1] ?? '';
    const all = await meanIn();
    const scores = await rows().evaluateAll((items) =>
      items.map((item) => [item.textContent, /0\.\d\d/.exec(item.textContent)?.[0] ?? '']),
    );
    const chip = page.getByRole('button', { name: /^high/ });
    await chip.click();
    await totals.getByText(/1 of 5/).waitFor();
    const [, score] = scores.find(([text]) => text?.includes('high') === true) ?? [];
    assert.equal(await meanIn(), score);
    assert.notEqual(await meanIn(), all);
    await chip.click();
    await totals.getByText(/^5 results/).waitFor();
  });

  it('have room for all columns next to a map at 1280, and a line between them that keys and pointer move for good', async () => {
    const { page } = window;
    const line = page.getByRole('separator', { name: 'Width of the table next to the map' });
    const widths = async (): Promise<readonly number[]> =>
      await page.evaluate<number[]>(
        `['.results-table', '.results-map', '.vtable'].map((part) => document.querySelector(part).clientWidth)
          .concat(document.querySelector('.vtable').scrollWidth)`,
      );
    // The page is laid out anew after each key and each move, and may be busy.
    const until = async (isSo: (now: readonly number[]) => boolean, what: string): Promise<readonly number[]> => {
      let now = await widths();
      for (let tries = 0; !isSo(now) && tries < 400; tries++) {
        await page.waitForTimeout(50);
        now = await widths();
      }
      assert.ok(isSo(now), `${what}: ${now.join()}`);
      return now;
    };
    const [, map] = await until(([, map, shown, wide]) => map! >= 360 && wide === shown, 'all columns, and a map');
    await line.focus();
    for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowLeft');
    const byKeys = await until(([, now]) => Math.abs(now! - map! - 128) < 16, `keys moved the line from ${map}`);
    assert.equal(await line.getAttribute('aria-valuenow'), String(Math.round((byKeys[0]! / 1280) * 100)));
    assert.deepEqual(await window.axe(), []);
    const { x, y, width } = (await line.boundingBox())!;
    await page.mouse.move(x + width / 2, y + 40);
    await page.mouse.down();
    await page.mouse.move(640, y + 60, { steps: 3 });
    await page.mouse.up();
    await until(([table]) => Math.abs(table! - 640) < 4, 'the pointer moved the line');
    await page.reload();
    await rows().first().waitFor();
    await until(([table]) => Math.abs(table! - 640) < 4, 'the line is where it was');
    await line.dblclick();
    await until(([, now]) => Math.abs(now! - map!) < 2, 'the line is back');
    assert.equal(await window.overflows(), false);
  });

  it('that are unverified say what would settle them, and offer to fetch it for this place', async () => {
    const { page } = window;
    await page.getByText(/^\d places? unverified: what would settle that/).click();
    const part = page.locator('.missing-data');
    await part.getByRole('row', { name: /^Roads/ }).waitFor();
    await part.getByRole('button', { name: 'Fetch map data of 1 cell', exact: true }).waitFor();
    assert.deepEqual(await window.axe(), []);
    await window.shot('missing-data');
    await rows().filter({ hasText: 'Far away' }).click();
    const own = page.locator('.detail .missing-data');
    await own.locator('.open-indicators').waitFor();
    const open = await own.innerText();
    assert.match(open, /Roads: can be fetched/);
    // What is known, and what has no weight, would settle nothing.
    assert.doesNotMatch(open, /Water|Ports|Country|Latitude/);
    await own.getByRole('button', { name: 'Fetch map data of 1 cell', exact: true }).click();
    // Nothing could be fetched, so nothing is said to be here.
    await own.getByText('could not be fetched').waitFor();
    assert.equal(await own.getByRole('button', { name: 'Check again' }).count(), 0);
    await window.shot('missing-data-place');
    assert.equal(await window.overflows(), false);
  });

  it('open on a phone and at 200 % without pushing the bar away, which leaves room for them', async () => {
    const { page } = window;
    const address = page.url();
    for (const [width, height] of [
      [390, 844],
      // A window of 1280 by 800 at 200 %.
      [640, 400],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.goto(address.replace(/&sel=\d+/, ''));
      await rows().first().waitFor();
      const first = (await rows().first().boundingBox())!;
      if (height === 844) assert.ok(first.y < height / 2, `the rows begin at ${first.y} px`);
      await rows().first().click();
      await page.locator('.detail').waitFor();
      await page.locator('.detail .evidence').scrollIntoViewIfNeeded();
      await page.keyboard.press('Tab');
      const {
        top,
        bar,
        page: scrolled,
        main,
      } = await page.evaluate<Record<string, number>>(`({
        top: document.querySelector('.top').getBoundingClientRect().top,
        bar: document.querySelector('.top').offsetHeight,
        page: document.scrollingElement.scrollTop,
        main: innerHeight - document.querySelector('main').getBoundingClientRect().bottom,
      })`);
      assert.deepEqual([top, scrolled, main], [0, 0, 0], `${width} px: the page itself was scrolled`);
      assert.ok(bar! <= 120, `the bar takes ${bar} px`);
      assert.equal(await window.overflows(), false);
      const [map, detail] = await Promise.all(
        ['.results-map .map', '.results-detail'].map((part) => page.locator(part).boundingBox()),
      );
      assert.ok(map!.height >= 260 && map!.y + map!.height <= detail!.y + 1, 'the map lies over the detail');
      const strip = page.locator('.top nav');
      assert.equal(await strip.getAttribute('data-after'), String(width < 600));
    }
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('that were requested as a table are said to be elsewhere, in words', async () => {
    const { page } = window;
    const id = await checked('text/csv, application/json;q=0.5');
    await window.go(`/console/facilities?task=${id}`);
    await page.getByRole('alert').getByText('These results were requested as text/csv').waitFor();
  });
});
