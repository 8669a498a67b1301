import assert from 'node:assert/strict';
import { readFile, rename, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { createServer as createHttpServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { verifyWebhook } from '../../../src/webhooks/verify-webhook.ts';
import { runCommand } from '../run-command.ts';
import { runService, type RunningProcess } from '../run-service.ts';
import { eventually } from './webhooks-site.ts';

type Json = Readonly<Record<string, unknown>>;
/** The user of the token that tests are run with. */
const USER = 'bootstrap';
const QUERY = 'token=in-the-address-0123456789';

describe('webhooks over a whole run of the program, with everything it logs', () => {
  let service: RunningProcess;
  let dataDir = '';
  /** What no log and no answer may hold. */
  const secrets: string[] = [];
  const answers: string[] = [];
  const logs: string[] = [];
  let refuse = false;
  const received: { readonly body: string; readonly signature: string }[] = [];
  const receiver = createHttpServer((request, response) => {
    let body = '';
    request.setEncoding('latin1').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      received.push({ body, signature: String(request.headers['x-service-webhook-signature']) });
      response.writeHead(refuse ? 500 : 200).end();
    });
  });
  let proxied = 0;
  const proxy = createServer((socket) => {
    proxied++;
    socket.destroy();
  });
  let url = '';
  let env: Record<string, string> = {};

  before(async () => {
    receiver.listen(0, '127.0.0.1');
    proxy.listen(0, '127.0.0.1');
    await Promise.all([once(receiver, 'listening'), once(proxy, 'listening')]);
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook?${QUERY}`;
    const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    env = {
      WEBHOOK_ALLOW_LOCAL: 'on',
      LOG_LEVEL: 'trace',
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: proxyUrl,
      HTTPS_PROXY: proxyUrl,
      ALL_PROXY: proxyUrl,
      http_proxy: proxyUrl,
      https_proxy: proxyUrl,
      all_proxy: proxyUrl,
      NO_PROXY: '',
    };
    // Its key is a file of the data folder, which the commands read too.
    const first = await runService({ env, database: 'embedded' });
    dataDir = first.dataDir;
    service = first;
  });
  after(async () => {
    receiver.closeAllConnections();
    receiver.close();
    proxy.close();
    await service?.[Symbol.asyncDispose]();
    if (dataDir !== '') await rm(dataDir, { recursive: true, force: true });
  });

  async function call(method: string, path: string, body?: object): Promise<Json> {
    const response = await service.fetch(path, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const answer = JSON.parse(text) as Json;
    if (typeof answer['client_secret'] === 'string') secrets.push(answer['client_secret']);
    else answers.push(text);
    return answer;
  }
  async function command(...words: string[]): Promise<{ code: number | null; text: string }> {
    const { code, out, err } = await runCommand(words, { ...env, DATA_DIR: dataDir });
    answers.push(out, err);
    return { code, text: `${out}${err}` };
  }
  const delivered = (state: string, count: number): Promise<unknown> =>
    eventually(async () => {
      const { deliveries } = await call('GET', `/webhooks/deliveries?status=${state}&limit=100`);
      return (deliveries as unknown[]).length >= count ? true : null;
    });

  it('registers, tests, announces a batch once, and delivers both signed', async () => {
    await call('POST', '/webhooks/register', { url });
    assert.equal((await call('POST', '/webhooks/test'))['delivered'], true);
    const words = ['webhook', 'announce', '--user', USER, '--id', 'lot-7', '--name', 'cocoa lot 7'];
    assert.equal((await command(...words)).code, 0);
    assert.equal((await command(...words)).code, 1);
    await delivered('delivered', 2);
    assert.equal(received.length, 2);
    const [test, batch] = received.map(({ body, signature }) => verifyWebhook(body, signature, secrets[0] as string));
    assert.deepEqual([test?.type, test?.data], ['test_event', { message: 'This is a test event' }]);
    assert.equal(batch!.type, 'batch_zonal_stats_complete');
    const { collection_name: name, urls } = batch!.data as { collection_name: string; urls: Record<string, string> };
    assert.equal(name, 'cocoa lot 7');
    assert.match(urls['export_eudr_dds'] ?? '', /\/export_eudr_dds\?filename=lot-7&monitoring_start=2020-12-31&/);
  });

  it('meets the mistakes of a developer without repeating what it was given in a log', async () => {
    const secret = secrets[0] as string;
    const signature = received[0]?.signature;
    await call('POST', '/webhooks/register', { url: `https://user:${secret}@example.org/` });
    await call('POST', '/webhooks/verify', { body: '{}', signature, secret });
    await call('POST', '/webhooks/rotate');
    refuse = true;
    assert.equal((await call('POST', '/webhooks/test'))['delivered'], false);
    await command('webhook', 'announce', '--user', USER, '--id', 'lot-8');
    await delivered('pending', 1);
    refuse = false;
  });

  it('rotates the key of the file while it runs, and reads everything after a restart', async () => {
    const path = join(dataDir, 'secrets.key');
    const before = await readFile(path, 'utf8');
    const { code, text } = await command('secrets', 'rotate');
    assert.equal(code, 0, text);
    assert.match(
      text,
      /^The key k[0-9a-f]{8} is new and seals from now on\.\n2 secrets, 2 of them sealed again with it\.\n/,
    );
    const after = await readFile(path, 'utf8');
    assert.deepEqual(after.trim().split('\n').slice(1), [before.trim()]);
    secrets.push(
      ...after
        .trim()
        .split('\n')
        .map((line) => line.split(':')[1] as string),
    );
    await restart();
    const count = received.length;
    assert.equal((await call('POST', '/webhooks/test'))['delivered'], true);
    const { body, signature } = received[count]!;
    assert.ok(
      verifyWebhook(
        body,
        signature,
        secrets.filter((secret) => secret.startsWith('whsec_')),
      ),
    );
  });

  it('does not start without the key, and starts again when the key or the webhook is given up', async () => {
    const path = join(dataDir, 'secrets.key');
    await stop();
    await rename(path, `${path}.away`);
    const refused = await command('serve');
    assert.equal(refused.code, 2, refused.text);
    assert.match(refused.text, /secrets\.key: wanted the key k[0-9a-f]{8} too/);
    const counted = await command('secrets', 'rotate');
    assert.equal(counted.code, 1);
    assert.match(counted.text, /no key that is loaded opens the secret of 1 webhook/);
    assert.equal((await command('secrets', 'rotate', '--remove-unreadable')).code, 0);
    service = await runService({ env, dataDir });
    assert.equal((await call('GET', '/webhooks'))['code'], 'webhook_not_found');
    await call('POST', '/webhooks/register', { url });
    assert.equal((await call('POST', '/webhooks/test'))['delivered'], true);
    await call('DELETE', '/webhooks/remove');
  });

  it('B7 holds no secret, key or query in any log line, list or answer', async () => {
    await stop();
    const logged = logs.join('\n');
    assert.ok((logged.match(/webhooks/g) ?? []).length > 20, `the log tells of requests: ${logged.length} characters`);
    assert.ok(secrets.length >= 4 && answers.length > 10);
    for (const secret of secrets) {
      const bare = secret.replace('whsec_', '');
      for (const form of [bare, encodeURIComponent(bare), Buffer.from(bare, 'base64').toString('hex')]) {
        assert.ok(!logged.includes(form), 'a secret is in the log');
        assert.ok(!answers.some((text) => text.includes(form)), 'a secret is in an answer');
      }
    }
    assert.ok(!logged.includes(QUERY) && !logged.includes(service.token));
    assert.ok(!logged.includes('cocoa lot 7'), 'a body is in the log');
  });

  it('C7 sends nothing through a proxy that the environment names', () => {
    assert.ok(received.length >= 5);
    assert.equal(proxied, 0);
  });

  async function stop(): Promise<void> {
    await service.stop();
    const { out, err } = service.output();
    logs.push(out, err);
  }
  async function restart(): Promise<void> {
    await stop();
    service = await runService({ env, dataDir });
  }
});
