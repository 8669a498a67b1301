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

  const url = (): string => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;

  it('registers an address and shows its secret once', async () => {
    const { page } = window;
    await window.go('/console/webhooks');
    await window.signIn(service.token);
    await page.getByLabel('Address').fill('http://10.0.0.1/hook');
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByRole('alert').waitFor();
    assert.deepEqual(await window.axe(), []);
    await page.getByLabel('Address').fill(url());
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    secret = await page.locator('.secret code').innerText();
    assert.match(secret, /^whsec_/);
    assert.deepEqual(await window.axe(), []);
    await page.getByRole('button', { name: 'I have kept it' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'Send a test' }).waitFor();
    assert.doesNotMatch(await page.content(), /whsec_/);
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

  it('makes a new secret and removes the webhook, each after asking once more', async () => {
    const { page } = window;
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'New secret' }).click();
    const rotated = await page.locator('.secret code').innerText();
    assert.notEqual(rotated, secret);
    await page.getByText('Old secret signs until').waitFor();
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

  it('asked nobody else for anything, and broke no rule of its policy', () => {
    assert.deepEqual(window.faults, []);
  });
});
