import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { signatureHeader } from '../../src/webhooks/sign.ts';
import { runService, type RunningProcess } from './run-service.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const EXAMPLES = join(ROOT, 'examples/webhook-receivers');
const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const OTHER = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const START_TIMEOUT_MS = 60_000;

interface Vector {
  readonly name: string;
  readonly valid: boolean;
  readonly secret: string;
  readonly body: string;
  readonly header: string;
  readonly standard_signature?: string;
}
const vectors = (
  JSON.parse(readFileSync(join(ROOT, 'test/oracles/signatures/vectors.json'), 'utf8')) as {
    vectors: readonly Vector[];
  }
).vectors;
const bodies = vectors.filter((vector) => vector.standard_signature !== undefined).map((vector) => vector.body);

/** Each example with the command that starts it on a port; skipped where its language is not installed. */
const RECEIVERS: readonly { file: string; command: string; args: (port: number) => readonly string[] }[] = [
  { file: 'receiver.mjs', command: process.execPath, args: () => ['receiver.mjs'] },
  { file: 'receiver.py', command: 'python3', args: () => ['receiver.py'] },
  { file: 'receiver.go', command: 'go', args: () => ['run', 'receiver.go'] },
  { file: 'Receiver.java', command: 'java', args: () => ['Receiver.java'] },
  { file: 'receiver.php', command: 'php', args: (port) => ['-S', `127.0.0.1:${port}`, 'receiver.php'] },
];
const absent = (command: string) =>
  spawnSync(command, ['-h'], { stdio: 'ignore' }).error ? `${command} is not installed here` : false;

/** A running example. */
interface Receiver extends AsyncDisposable {
  post(body: string | Buffer, header?: string): Promise<number>;
}

async function startReceiver(
  { file, command, args }: (typeof RECEIVERS)[number],
  secret: string,
  port: number,
): Promise<Receiver> {
  const child = spawn(command, args(port), {
    cwd: EXAMPLES,
    env: { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  const url = `http://127.0.0.1:${port}/hook`;
  const receiver: Receiver = {
    async post(body, header) {
      const headers = { 'content-type': 'application/json', ...(header === undefined ? {} : { [HEADER]: header }) };
      const response = await fetch(url, { method: 'POST', headers, body: new Uint8Array(Buffer.from(body)) });
      await response.arrayBuffer();
      return response.status;
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      // The group: `go run` starts the receiver as a process of its own.
      process.kill(-child.pid!, 'SIGKILL');
      await ended;
    },
  };
  const giveUpAt = performance.now() + START_TIMEOUT_MS;
  while ((await receiver.post('', '').catch(() => 0)) !== 401) {
    assert.ok(child.exitCode === null && performance.now() < giveUpAt, `${file} did not start: ${said}`);
    await new Promise((done) => setTimeout(done, 50));
  }
  return receiver;
}

for (const example of RECEIVERS) {
  describe(`the example ${example.file}`, { skip: absent(example.command) }, () => {
    let receiver: Receiver;
    const post: Receiver['post'] = (body, header) => receiver.post(body, header);

    before(async () => {
      receiver = await startReceiver(example, `${OTHER},${SECRET}`, await freePort());
    });
    after(() => receiver[Symbol.asyncDispose]());

    it('accepts the bodies of the vectors, signed now with either secret, and a repetition', async () => {
      for (const secret of [SECRET, OTHER, SECRET]) {
        for (const body of bodies) assert.equal(await post(body, signatureHeader(body, secret, seconds())), 200, body);
      }
    });

    it('accepts what is up to 300 s away from now and nothing beyond', async () => {
      const at = (offset: number) => post(bodies[0]!, signatureHeader(bodies[0]!, SECRET, seconds() + offset));
      assert.deepEqual([await at(-297), await at(297)], [200, 200]);
      assert.deepEqual([await at(-303), await at(303)], [401, 401]);
    });

    it('refuses every invalid vector and every broken header', async () => {
      for (const { name, body, header } of vectors.filter(({ valid }) => !valid)) {
        assert.equal(await post(body, header.replace('1732150080', String(seconds()))), 401, name);
      }
      const body = bodies[1]!;
      const good = signatureHeader(body, SECRET, seconds());
      const broken = [undefined, '', 't=abc', good.slice(0, -1), `${good}0`, good.toUpperCase(), `t=1, ${good}`];
      for (const header of broken) assert.equal(await post(body, header), 401, String(header));
      assert.equal(await post(`${body} `, good), 401);
      assert.equal(await post(JSON.stringify(JSON.parse(body)), good), 401);
      assert.equal(await post(body, signatureHeader(body, `${SECRET}x`, seconds())), 401);
    });

    it('refuses a flipped bit wherever it is', async () => {
      const body = Buffer.from(bodies[0]!);
      const header = signatureHeader(bodies[0]!, SECRET, seconds());
      for (let bit = 0; bit < body.length * 8; bit += 37) {
        const altered = Buffer.from(body);
        altered[bit >> 3]! ^= 1 << (bit & 7);
        assert.equal(await post(altered, header), 401, `bit ${bit}`);
      }
    });
  });
}

describe('the examples with live deliveries', () => {
  let service: RunningProcess;
  before(async () => {
    service = await runService({ env: { WEBHOOK_ALLOW_LOCAL: 'on' } });
  });
  after(() => service[Symbol.asyncDispose]());

  const call = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
    const headers = { 'content-type': 'application/json' };
    const response = await service.fetch(path, { method, ...(body && { headers, body: JSON.stringify(body) }) });
    const answer = (await response.json()) as Record<string, unknown>;
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };

  for (const example of RECEIVERS) {
    it(
      `${example.file} accepts what the service sends`,
      {
        skip: absent(example.command),
      },
      async () => {
        // The port first: the secret comes with the registration, and the receiver starts with it.
        const port = await freePort();
        const url = `http://127.0.0.1:${port}/hook`;
        const { client_secret: secret } = await call('POST', '/webhooks/register', { url });
        const test = async (given: string): Promise<readonly unknown[]> => {
          await using _receiver = await startReceiver(example, given, port);
          const { delivered, attempt } = (await call('POST', '/webhooks/test')) as {
            delivered: boolean;
            attempt: { status_code: number };
          };
          return [delivered, attempt.status_code];
        };
        // Once is enough: a user may send ten tests a minute.
        if (example.command === 'python3') assert.deepEqual(await test(OTHER), [false, 401]);
        assert.deepEqual(await test(String(secret)), [true, 200]);
        await call('DELETE', '/webhooks/remove');
      },
    );
  }

  it('firstmile webhook listen registers itself, verifies the test event, and removes the registration', async () => {
    const words = ['webhook', 'listen', '--port', '0', '--service', service.url, '--token', service.token];
    const child = spawn(process.execPath, [join(ROOT, 'bin/firstmile.js'), ...words], { cwd: ROOT });
    const ended = once(child, 'exit');
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (out += chunk));
    const giveUpAt = performance.now() + START_TIMEOUT_MS;
    while (!out.includes('"This is a test event"')) {
      assert.ok(child.exitCode === null && performance.now() < giveUpAt, out);
      await new Promise((done) => setTimeout(done, 20));
    }
    assert.match(out, /test_event {2}evt_\w+ {2}attempt 1\n +verified {2}-> {2}200\n/);
    assert.equal((await call('GET', '/webhooks'))['failures'], 0);
    child.kill('SIGINT');
    assert.equal((await ended)[0], 0);
    assert.equal((await service.fetch('/webhooks')).status, 404);
  });
});

describe('the example verify.sh', { skip: absent('openssl') || absent('sh') }, () => {
  it('accepts the valid vectors and refuses an altered one', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-verify-'));
    try {
      const run = async (body: string, header: string, secret: string) => {
        const path = join(folder, 'body.json');
        await writeFile(path, body);
        const env = { ...process.env, WEBHOOK_SECRET: secret };
        return spawnSync('sh', [join(EXAMPLES, 'verify.sh'), path, header], { env, encoding: 'utf8' });
      };
      for (const { name, body, header, secret } of vectors.filter((vector) => vector.standard_signature)) {
        assert.equal((await run(body, header, secret)).status, 0, name);
      }
      const { body, header, secret } = vectors[0]!;
      assert.match((await run(`${body} `, header, secret)).stderr, /does not fit/);
      assert.match((await run(body, 't=abc', secret)).stderr, /the header is not/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

// Imported by its name from a packed package: webhooks-package.test.ts.
describe('firstmile/webhooks', () => {
  it('is one file that needs node:crypto alone, so that it can be copied', async () => {
    const source = await readFile(join(ROOT, 'src/webhooks/verify-webhook.ts'), 'utf8');
    const imports = [...source.matchAll(/^(?:import|export).*from '([^']+)'/gm)].map((match) => match[1]);
    assert.deepEqual(imports, ['node:crypto']);
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-copied-'));
    try {
      await writeFile(join(folder, 'verify-webhook.ts'), source);
      const program = `import { verifyWebhook } from './verify-webhook.ts';
        try { verifyWebhook('{}', 't=1, v1=', 'x'); } catch (error) { console.log(error.reason); }`;
      await writeFile(join(folder, 'main.mjs'), program);
      const { stdout } = spawnSync(process.execPath, [join(folder, 'main.mjs')], { encoding: 'utf8' });
      assert.equal(stdout, 'header_malformed\n');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('docs/webhooks.md', () => {
  it('shows every example as it is', async () => {
    const page = await readFile(join(ROOT, 'docs/webhooks.md'), 'utf8');
    for (const file of [...RECEIVERS.map((receiver) => receiver.file), 'verify.sh']) {
      const text = await readFile(join(EXAMPLES, file), 'utf8');
      assert.ok(page.includes(`\n${text}\`\`\`\n`), `${file} is not in the page as it is`);
    }
  });
});

const HEADER = 'x-service-webhook-signature';

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
