import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { RunningProcess } from '../end-to-end/run-service.ts';
import { browserSkip, type ConsoleBrowser, type ConsoleWindow } from './browser.ts';
import { withConsole } from './with-console.ts';

interface Received {
  readonly body: string;
  readonly signature: string;
}

const ALWAYS = ['batch_zonal_stats_complete', 'test_event'];

/** Does what changes the webhook, and waits until it is saved. */
async function changed(page: ConsoleWindow['page'], work: () => Promise<void>): Promise<void> {
  const answer = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await work();
  assert.equal((await answer).status(), 200);
}

describe('the page of the webhook', { skip: browserSkip() }, () => {
  let service: RunningProcess;
  let browser: ConsoleBrowser;
  let window: ConsoleWindow;
  let receiver: Server;
  let secret = '';
  const received: Received[] = [];
  /** What the receiver answers. */
  let status = 200;

  before(async () => {
    receiver = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        received.push({ body, signature: String(request.headers['x-service-webhook-signature']) });
        response.writeHead(status).end('the receiver says so');
      });
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  });
  after(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  withConsole((opened) => ({ service, browser, window } = opened), { env: { WEBHOOK_ALLOW_LOCAL: 'on' } });

  const url = (path = 'hook'): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${path}`;
  const registered = async (): Promise<{ url: string; events: string[] }> =>
    (await (await service.fetch('/webhooks')).json()) as { url: string; events: string[] };

  it('registers an address and shows its secret once', async () => {
    const { page } = window;
    await window.go('/console/webhooks');
    await window.signIn(service.token);
    await page.getByLabel('Address').fill('http://10.0.0.1/hook');
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByRole('alert').waitFor();
    assert.deepEqual(await window.axe(), []);
    await page.getByLabel('Address').fill(url('first'));
    const failedBatches = page.getByLabel('Send an event also when a batch fails');
    assert.equal(await failedBatches.isChecked(), false);
    await failedBatches.check();
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    secret = await page.locator('.secret code').innerText();
    assert.match(secret, /^whsec_/);
    assert.deepEqual(await window.axe(), []);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Send a test' }).waitFor();
    assert.doesNotMatch(await page.content(), /whsec_/);
    const webhook = await registered();
    assert.deepEqual([webhook.url, webhook.events], [url('first'), [...ALWAYS, 'batch_failed']]);
  });

  it('chooses by key whether failed batches are reported, at once', async () => {
    const { page } = window;
    const failedBatches = page.getByLabel('Send an event also when a batch fails');
    assert.equal(await failedBatches.isChecked(), true);
    await failedBatches.focus();
    await changed(page, () => page.keyboard.press('Space'));
    assert.deepEqual((await registered()).events, ALWAYS);
    await page.reload();
    await failedBatches.waitFor();
    assert.equal(await failedBatches.isChecked(), false);
    await changed(page, () => failedBatches.check());
    assert.deepEqual((await registered()).events, [...ALWAYS, 'batch_failed']);
  });

  it('takes the choice back where it could not be saved', async () => {
    const { page } = window;
    const failedBatches = page.getByLabel('Send an event also when a batch fails');
    await page.route('**/webhooks', (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    await failedBatches.click();
    await page.getByRole('alert').waitFor();
    assert.equal(await failedBatches.isChecked(), true);
    await page.unroute('**/webhooks');
    await page.reload();
  });

  it('changes the address by keys and keeps the secret and the events', async () => {
    const { page } = window;
    const change = page.getByRole('button', { name: 'Change address' });
    await change.focus();
    await page.keyboard.press('Enter');
    const field = page.getByLabel('New address');
    await field.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await change.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    assert.equal(await field.inputValue(), url('first'));
    await page.getByText('The secret stays the same').waitFor();
    await field.fill('http://10.0.0.1/hook');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    assert.equal((await registered()).url, url('first'));
    assert.deepEqual(await window.axe(), []);
    await window.shot('webhooks-address');
    await field.fill(url());
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: url(), exact: true }).waitFor();
    await change.and(page.locator(':focus')).waitFor();
    assert.deepEqual((await registered()).events, [...ALWAYS, 'batch_failed']);
    assert.deepEqual(await window.axe(), []);
  });

  it('warns of an address whose host is not known', async () => {
    const { page } = window;
    for (const [address, warnings] of [
      ['https://hooks.invalid/firstmile', 1],
      [url(), 0],
    ] as const) {
      await page.getByRole('button', { name: 'Change address' }).click();
      await page.getByLabel('New address').fill(address);
      await page.getByRole('button', { name: 'Save address' }).click();
      await page.getByRole('heading', { name: address, exact: true }).waitFor();
      assert.equal(await page.getByText('The host of this address cannot be found').count(), warnings);
    }
  });

  it('sends a test and logs its attempts', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The receiver answered 200').waitFor();
    status = 500;
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The test was not delivered').waitFor();
    await page.locator('table.plain tbody tr').nth(1).waitFor();
    await page.locator('button.link').first().click();
    await page.getByRole('heading', { name: 'Attempts' }).waitFor();
    await page.getByText('HTTP 500', { exact: true }).waitFor();
    await page.getByText('Answer of the receiver').click();
    await page.getByText('the receiver says so').waitFor();
    assert.deepEqual(await window.axe(), []);
    await window.shot('webhooks');
  });

  it('keeps the chosen delivery in its address, and sends it again', async () => {
    const { page } = window;
    assert.match(page.url(), /delivery=/);
    await page.reload();
    await page.getByText('HTTP 500', { exact: true }).waitFor();
    status = 200;
    const before = received.length;
    await page.getByRole('button', { name: 'Send again', exact: true }).click();
    while (received.length === before) await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByLabel('State').selectOption('failed');
    assert.match(page.url(), /state=failed/);
  });

  it('says which mistake a receiver makes with a signature', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'Check a signature' }).click();
    const last = received.at(-1);
    await page.getByLabel('Body as received').fill(last?.body ?? '');
    await page.getByLabel('Header X-Service-Webhook-Signature').fill(last?.signature ?? '');
    await page.getByLabel('Secret as the receiver has it').fill(secret);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('Body, signature and secret fit together').waitFor();
    await page.getByLabel('Body as received').fill('{"another": "body"}');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByText('They do not fit together').waitFor();
    assert.deepEqual(await window.axe(), []);
  });

  it('makes a new secret and removes the webhook, each after a confirmation', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'New secret' }).click();
    const rotated = await page.locator('.secret code').innerText();
    assert.notEqual(rotated, secret);
    await page.getByText('Old secret signs until').waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'Register a webhook' }).waitFor();
    await page.getByLabel('Address').fill(url());
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByRole('heading', { name: url(), exact: true }).waitFor();
    assert.deepEqual((await registered()).events, ALWAYS, 'failed batches are reported on request alone');
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('heading', { name: 'Register a webhook' }).waitFor();
  });

  it('works in the dark and on a narrow screen', async () => {
    await using other = await browser.open({ theme: 'dark', width: 360, height: 740 });
    await other.go('/console/webhooks');
    await other.signIn(service.token);
    await other.page.getByRole('heading', { name: 'Register a webhook' }).waitFor();
    await other.page.locator('table.plain').waitFor();
    assert.deepEqual(await other.axe(), []);
    assert.equal(await other.overflows(), false);
    await other.shot('webhooks');
    assert.deepEqual(other.faults, []);
  });

  it('sent no request elsewhere, and broke no rule of its policy', () => {
    assert.deepEqual(window.faults, []);
  });
});
