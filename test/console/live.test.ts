import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { backoffMs } from '../../console/state/backoff.ts';
import { runService, type RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, openBrowser, type ConsoleWindow } from './browser.ts';
import { withConsole } from './with-console.ts';

const PLOTS = `id,name,country,commodity,latitude,longitude,area_ha,location_type
A1,Kampung Satu,MY,palm,4.600001,102.600001,2,plot
`;

function processed(service: RunningProcess, name: string): Promise<Response> {
  const body = new FormData();
  body.append('collection_name', name);
  body.append('file', new File([PLOTS], 'plots.csv', { type: 'text/csv' }));
  return service.fetch('/batch_process', { method: 'POST', body });
}

describe('looking for a service that is away', () => {
  it('waits twice as long each time, to half a minute, and spreads', () => {
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6, 60].map((lost) => backoffMs(lost, 1)),
      [1_500, 3_000, 6_000, 12_000, 24_000, 30_000, 30_000],
    );
    assert.equal(backoffMs(1, 0), 1_125);
  });
});

describe('a page that is left open', { skip: browserSkip() }, () => {
  let service: RunningProcess;
  let window: ConsoleWindow;
  let receiver: Server;
  /** What the receiver answers. */
  let status = 500;
  before(async () => {
    receiver = createServer((request, response) => {
      request.resume().on('end', () => response.writeHead(status).end('no'));
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  });
  after(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  withConsole((opened) => ({ service, window } = opened), {
    env: { WEBHOOK_ALLOW_LOCAL: 'on' },
  });

  it('shows a batch that was begun elsewhere, and how it ends, without being loaded again', async () => {
    const { page } = window;
    await window.go('/console/collections');
    await window.signIn(service.token);
    await page.getByRole('heading', { name: 'No collections yet' }).waitFor();
    await page.evaluate('window.isTheSamePage = true');
    assert.equal((await processed(service, 'Begun elsewhere')).status, 202);
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Begun elsewhere' }) });
    await row.waitFor();
    await row.getByText(/^completed/).waitFor();
    await window.go('/console');
    await page.getByRole('link', { name: 'Begun elsewhere' }).waitFor();
    await processed(service, 'Later still');
    await page.getByRole('link', { name: 'Later still' }).waitFor();
    assert.deepEqual(window.faults, []);
  });

  it('shows deliveries and their attempts as they happen, to the second', async () => {
    const { page } = window;
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    const registered = await service.fetch('/webhooks/register', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url }),
    });
    assert.equal(registered.status, 200);
    await window.go('/console/webhooks');
    await page.getByRole('heading', { name: 'No deliveries' }).waitFor();
    await page.evaluate('window.isTheSamePage = true');
    await processed(service, 'To be told');
    const row = page.locator('tbody tr').first();
    await row.waitFor();
    assert.match(await row.innerText(), /\d{1,2}:\d{2}:\d{2}/);
    await row.getByRole('button').click();
    const attempts = page.locator('.evidence > li');
    await attempts.nth(1).waitFor();
    assert.match(await attempts.first().innerText(), /HTTP 500\s+.*\d{1,2}:\d{2}:\d{2}/);
    status = 200;
    await row.getByText('delivered').waitFor();
    await page.locator('#delivery-title').getByText('delivered').waitFor();
    assert.equal(await page.evaluate('window.isTheSamePage'), true);
    assert.deepEqual(await window.axe(), []);
    await window.shot('live-webhooks');
    assert.deepEqual(window.faults, []);
  });
});

describe('a page that is open while the service restarts', { skip: browserSkip() }, () => {
  it('keeps what it shows, says since when it may be old, and goes on by itself', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'firstmile-live-'));
    try {
      const first = await runService({ dataDir });
      await using browser = await openBrowser(first.url);
      await using window = await browser.open();
      const { page } = window;
      await processed(first, 'Kept in sight');
      await window.go('/console/collections');
      await window.signIn(first.token);
      const link = page.getByRole('link', { name: 'Kept in sight' });
      await link.waitFor();
      await first.stop();
      const said = page.getByText('The service does not answer. What is shown was true at');
      await said.waitFor();
      assert.equal(await link.isVisible(), true);
      assert.equal(await page.getByRole('alert').count(), 0);
      await window.shot('live-lost');
      assert.deepEqual(await window.axe(), []);
      await using second = await runService({ dataDir, env: { PORT: new URL(first.url).port } });
      await said.waitFor({ state: 'detached' });
      await processed(second, 'After it came back');
      await page.getByRole('link', { name: 'After it came back' }).waitFor();
    } finally {
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
    }
  });
});
