import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { meanOf } from '../../console/pages/facilities/mean-of.ts';
import type { ResultRow } from '../../console/pages/facilities/result-row.ts';
import type { RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, type ConsoleWindow } from './browser.ts';
import { withConsole } from './with-console.ts';

const PLACES = `name,commodity,latitude,longitude
Kilang,palm,4.5821,102.6124
Gudang,palm,4.5990,102.5853
Far away,cocoa,6.7,-1.6
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
    await page.getByRole('link', { name: 'from elsewhere.csv' }).click();
    await rows().nth(2).waitFor();
    assert.equal(await rows().count(), 3);
    await page.getByText('How the file was read').waitFor();
    assert.equal(await page.getByRole('alert').count(), 0);
    assert.deepEqual(window.faults, []);
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
    await totals.getByText(/1 of 3/).waitFor();
    const [, score] = scores.find(([text]) => text?.includes('high') === true) ?? [];
    assert.equal(await meanIn(), score);
    assert.notEqual(await meanIn(), all);
    await chip.click();
    await totals.getByText(/^3 results/).waitFor();
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
    await own.getByRole('row', { name: /^Roads/ }).waitFor();
    assert.match(await own.innerText(), /0 \/ 1/);
    await own.getByRole('button', { name: 'Fetch map data of 1 cell', exact: true }).click();
    // Nothing could be fetched, so nothing is said to be here.
    await own.getByText('could not be fetched').waitFor();
    assert.equal(await own.getByRole('button', { name: 'Check again' }).count(), 0);
    await window.shot('missing-data-place');
    assert.equal(await window.overflows(), false);
  });

  it('that were requested as a table are said to be elsewhere, in words', async () => {
    const { page } = window;
    const id = await checked('text/csv, application/json;q=0.5');
    await window.go(`/console/facilities?task=${id}`);
    await page.getByRole('alert').getByText('These results were requested as text/csv').waitFor();
  });
});
