import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { connect } from 'node:tls';
import { before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { createLog } from '../../../src/log.ts';
import type { WebhookService } from '../../../src/service/webhooks/webhooks.ts';
import type { Attempt } from '../../../src/webhooks/delivery.ts';
import { LITERAL_HOSTS } from './webhook-url-vectors.ts';
import { accept, answers, startReceiver, TEST_AUTHORITY, type CertificateName } from './webhooks-receiver.ts';
import { completeWork, eventually, newUser, settled } from './webhooks-site.ts';
import { describeOnEngines } from './webhooks-suite.ts';

// C2 is src/webhooks/address-policy.test.ts, C7 is in webhooks-whole-run.test.ts.

/** A network namespace in which every address of IPv4 and IPv6 leads to this machine. */
const EVERYWHERE = 'ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo';
const IN_NAMESPACE = ['-rn', 'sh', '-c', `${EVERYWHERE} && exec "$0" "$@"`];
const noNamespace = spawnSync('unshare', [...IN_NAMESPACE, 'true']).status !== 0;
const REBINDING_TRIES = 1_000;

interface Scenario {
  readonly name: string;
  readonly outcomes: Readonly<Record<string, number>>;
  /** Connections that the kernel counted. */
  readonly opens: number;
  /** Addresses they arrived at. */
  readonly accepted: readonly string[];
}

describe(
  'C. where every address would answer, counted by the kernel',
  { skip: noNamespace && 'unshare and ip cannot make a network namespace here' },
  () => {
    const scenarios = new Map<string, Scenario>();
    const FORBIDDEN_COUNT = 19;
    before(async () => {
      const fixture = join(import.meta.dirname, 'webhooks-forbidden.fixture.ts');
      const env = { ...process.env, REBINDING_TRIES: String(REBINDING_TRIES) };
      const { stdout } = await promisify(execFile)('unshare', [...IN_NAMESPACE, process.execPath, fixture], { env });
      for (const line of stdout.trim().split('\n')) {
        const scenario = JSON.parse(line) as Scenario;
        scenarios.set(scenario.name, scenario);
      }
    });
    const expect = (name: string, wanted: Omit<Scenario, 'name'>): void =>
      assert.deepEqual(scenarios.get(name), { name, ...wanted });

    it('a public address is reached, so the count counts', () => {
      const accepted = ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'];
      expect('a public address is reached', { outcomes: { 200: 2 }, opens: 2, accepted });
    });

    it('C1 a name that was public before leads to no connection inside', () => {
      const outcomes = { 200: FORBIDDEN_COUNT, address_refused: FORBIDDEN_COUNT };
      expect('C1 public, then inside', { outcomes, opens: FORBIDDEN_COUNT, accepted: ['93.184.216.34'] });
    });

    it('C1 a name that alternates is connected to only when it is public, in 1,000 tries', () => {
      const half = REBINDING_TRIES / 2;
      const outcomes = { 200: half, address_refused: half };
      expect('C1 alternating', { outcomes, opens: half, accepted: ['93.184.216.34'] });
    });

    it('C3 no literal of an address inside is connected to, in any notation', () => {
      expect('C3 literals', { outcomes: { address_refused: LITERAL_HOSTS.length }, opens: 0, accepted: [] });
    });

    it('C4 one address inside refuses a name, before or after public ones', () => {
      expect('C4 mixed', { outcomes: { address_refused: 2 * FORBIDDEN_COUNT }, opens: 0, accepted: [] });
    });

    it('C4 an alias of a name inside is refused', () => {
      expect('C4 alias', { outcomes: { address_refused: FORBIDDEN_COUNT }, opens: 0, accepted: [] });
    });

    it('C4 one address inside among 64 is refused', () => {
      expect('C4 one of 64', { outcomes: { address_refused: 1 }, opens: 0, accepted: [] });
    });

    it('C5 no redirect is followed, inside or to another public address', () => {
      expect('C5 redirects', { outcomes: { status_redirect: 15 }, opens: 15, accepted: ['93.184.216.34'] });
    });
  },
);

describeOnEngines('C. deliveries', (suite) => {
  it('C1 a name that leads inside at delivery has failed at once, and no log of a user says where it led', async () => {
    await using receiver = await startReceiver();
    let address = '127.0.0.1';
    await using site = await suite.open({ resolve: async () => [address] });
    for (const inside of ['10.0.0.1', '169.254.169.254', 'fd00:ec2::254', '::ffff:127.0.0.1']) {
      const userId = newUser();
      address = '127.0.0.1';
      await site.webhooks.register(userId, receiver.url());
      address = inside;
      await completeWork(suite.store(), site.webhooks, userId);
      const { delivery, attempts } = await settled(site.webhooks, userId);
      assert.equal(delivery.state, 'failed');
      assert.equal(attempts.length, 1);
      assert.equal(attempts[0]?.reason, 'address_refused');
      assert.match(attempts[0]?.detail ?? '', / leads to an address that is never connected to\.$/);
      assert.ok(!JSON.stringify({ delivery, attempts }).includes(inside), inside);
      assert.equal(attempts[0]?.address, null);
    }
    assert.equal(receiver.connections(), 0);
  });

  it('C1 the log of the service alone names the address that was refused', async () => {
    await using receiver = await startReceiver();
    const lines: string[] = [];
    const stream = new Writable({ write: (chunk, _encoding, done) => (lines.push(String(chunk)), done()) });
    let address = '127.0.0.1';
    const log = createLog({ level: 'info', json: true, stream });
    await using site = await suite.open({ resolve: async () => [address], log });
    const userId = newUser();
    await site.webhooks.register(userId, receiver.url());
    address = '10.11.12.13';
    const answer = JSON.stringify(await site.webhooks.test(userId));
    assert.match(answer, /address_refused/);
    assert.ok(!answer.includes(address), answer);
    assert.ok(!JSON.stringify(await site.webhooks.list(userId, { limit: 10 })).includes(address));
    const line = lines.find((text) => text.includes('a webhook leads to an address that is never connected to'));
    assert.ok(line?.includes(address), `no line names ${address}: ${lines.join('')}`);
  });

  it('C5 a redirect is an answer like any other, and its target is not visited', async () => {
    await using target = await startReceiver();
    await using site = await suite.open({ retryDelaysS: [3_600, 3_600, 3_600] });
    for (const status of [301, 302, 303, 307, 308]) {
      await using receiver = await startReceiver((_request, response) => {
        response.writeHead(status, { location: target.url() }).end();
      });
      const attempt = await attemptAt(site.webhooks, receiver.url());
      assert.deepEqual([attempt.status, attempt.reason], [status, 'status_redirect']);
      assert.equal(receiver.received.length, 1);
    }
    assert.equal(target.connections(), 0);
  });

  const CERTIFICATES: readonly (readonly [CertificateName, string])[] = [
    ['expired', 'tls_expired'],
    ['future', 'tls_not_yet_valid'],
    ['self-signed', 'tls_self_signed'],
    ['untrusted', 'tls_untrusted'],
    ['other-name', 'tls_wrong_name'],
  ];
  it('C6 a certificate that does not verify is a failure with a reason of its own, whatever the environment says', async () => {
    await using site = await suite.open({ retryDelaysS: [3_600, 3_600, 3_600] });
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      for (const [certificate, reason] of CERTIFICATES) {
        await using receiver = await startReceiver(accept, certificate);
        const attempt = await attemptAt(site.webhooks, receiver.url());
        assert.deepEqual([attempt.status, attempt.reason], [null, reason]);
        // How far it came helps whoever looks for the wrong certificate.
        assert.equal(attempt.address, '127.0.0.1');
        assert.ok(attempt.timings.dnsMs !== null && attempt.timings.connectMs !== null);
        assert.equal(receiver.received.length, 0);
      }
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
  });

  it('C6 TLS 1.0 and 1.1 are refused, 1.2 and 1.3 accepted', async () => {
    await using site = await suite.open({ retryDelaysS: [3_600, 3_600, 3_600] });
    for (const version of ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const) {
      const old = version < 'TLSv1.2';
      const lax = { minVersion: version, maxVersion: version, ...(old && { ciphers: 'DEFAULT@SECLEVEL=0' }) };
      await using receiver = await startReceiver(answers(200), 'valid', lax);
      // The receiver does speak this version to a client that agrees.
      await handshake(receiver.port, lax);
      const attempt = await attemptAt(site.webhooks, receiver.url());
      assert.deepEqual([attempt.status, attempt.reason], old ? [null, 'tls_failed'] : [200, null], version);
    }
  });

  /** The first attempt of an event to a new user's webhook there. */
  async function attemptAt(webhooks: WebhookService, url: string): Promise<Attempt> {
    const userId = newUser();
    await webhooks.register(userId, url);
    await completeWork(suite.store(), webhooks, userId);
    return eventually(async () => {
      const [delivery] = await webhooks.list(userId, { limit: 1 });
      return delivery?.attempts === 1 ? ((await webhooks.get(userId, delivery.id))?.attempts[0] ?? null) : null;
    });
  }
});

function handshake(port: number, options: object): Promise<void> {
  return new Promise((resolve, reject) => {
    const servername = 'a.receivers.test';
    const socket = connect({ port, host: '127.0.0.1', servername, ca: TEST_AUTHORITY, ...options }, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
