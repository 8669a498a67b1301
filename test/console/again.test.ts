import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, type ConsoleWindow } from './browser.ts';
import { withConsole } from './with-console.ts';

/** A page, what it asks the service for, and what it shows once that came. */
const LISTS = [
  ['facilities', '/tasks', 'Check facilities'],
  ['forest?at=4.6,102.61', '/forest_polygon/lookup', 'Synthetic data'],
  ['collections', '/get_collections', 'No collections yet'],
  ['collections?id=00000000-0000-4000-8000-000000000000', '/collections/*', 'This collection is not there'],
  ['webhooks', '/webhooks', 'Register a webhook'],
  ['webhooks', '/webhooks/deliveries', 'No deliveries'],
  ['tokens', '/tokens', 'There are no tokens'],
  ['datasets', '/datasets', 'sample-district-roads'],
] as const;

describe('what did not come', { skip: browserSkip() }, () => {
  let service: RunningProcess;
  let window: ConsoleWindow;
  withConsole((opened) => ({ service, window } = opened));

  it('can be requested again wherever a page shows something', async () => {
    const { page } = window;
    await window.go('/console/facilities');
    await window.signIn(service.token);
    for (const [path, asked, found] of LISTS) {
      const isAsked = (url: URL): boolean => new RegExp(`^${asked.replace('*', '[^/]+')}$`).test(url.pathname);
      await page.route(isAsked, (route) => route.abort());
      await window.go(`/console/${path}`);
      const alert = page.getByRole('alert').filter({ hasText: 'The service cannot be reached' });
      await alert.waitFor();
      assert.deepEqual(await window.axe(), [], path);
      await page.unroute(isAsked);
      await alert.getByRole('button', { name: 'Try again' }).click();
      await alert.waitFor({ state: 'detached' });
      await page.getByText(found, { exact: true }).first().waitFor();
    }
    assert.deepEqual(window.faults, []);
  });
});
