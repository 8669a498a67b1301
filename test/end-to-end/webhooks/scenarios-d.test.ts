import assert from 'node:assert/strict';
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createConnect } from '../../../src/webhooks/connect-checked.ts';
import type { Attempt } from '../../../src/webhooks/delivery.ts';
import { openPoster, type Poster } from '../../../src/webhooks/open-poster.ts';
import { startReceiver, TEST_AUTHORITY } from './webhooks-receiver.ts';
import { completeWork, eventually, newUser } from './webhooks-site.ts';
import { describeOnEngines, pause, sized } from './webhooks-suite.ts';

/** 15 s with FIRSTMILE_WEBHOOK_SCENARIOS=full; receivers that hold on to the end cost that much time. */
const DEADLINE_MS = sized(4_000, 15_000);
/** For a machine that has other work. */
const GRACE_MS = 2_500;
const ROUNDS = sized(2, 10);

/** Status and reason of one attempt at each hostile receiver. */
const EXPECTED: Readonly<Record<string, readonly [status: number | null, reason: string | null]>> = {
  'd1-no-tls': [null, 'tls_timeout'],
  'd2-no-headers': [null, 'answer_timeout'],
  'd3-slow-headers': [null, 'answer_timeout'],
  'd4-slow-body': [200, null],
  'd5-10-gb': [200, null],
  'd5-endless-chunks': [200, null],
  'd6-gzip-bomb': [200, null],
  'd7-large-headers': [null, 'answer_headers_too_large'],
  'd7-many-headers': [200, null],
  'd7-endless-headers': [null, 'answer_headers_too_large'],
  'd7-bytes-in-headers': [null, 'answer_invalid'],
  'd7-latin1-in-headers': [200, null],
  'd7-folded-header': [null, 'answer_invalid'],
  'd8-continue-flood': [null, 'answer_invalid'],
  'd8-hints-flood': [null, 'answer_invalid'],
  'd8-hints-then-200': [200, null],
  'd8-upgrade': [null, 'answer_invalid'],
  'd9-reset-in-body': [200, null],
  'd9-reset': [null, 'connection_reset'],
  'd9-close': [null, 'connection_closed'],
  'd9-close-in-headers': [null, 'connection_closed'],
  'd10-more-than-said': [200, null],
  'd10-less-than-said': [200, null],
  'd10-bad-chunks': [200, null],
  'd10-two-lengths': [null, 'answer_invalid'],
  'd10-length-and-chunks': [null, 'answer_invalid'],
  'd10-http-0-9': [null, 'answer_invalid'],
  'd10-http-2': [null, 'answer_invalid'],
  'd10-status-of-four-digits': [null, 'answer_invalid'],
  'd10-no-status': [null, 'answer_invalid'],
  'd11-never-reads': [null, 'answer_timeout'],
  'd12-200-before-the-body': [200, null],
  'd13-retry-after': [503, 'status_5xx'],
  'd14-challenge': [401, 'status_4xx'],
  'd14-proxy-challenge': [407, 'status_4xx'],
  'd15-bytes-in-body': [500, 'status_5xx'],
  healthy: [200, null],
};

interface Hostile extends AsyncDisposable {
  url(name: string): string;
  readonly names: readonly string[];
  stats(): Promise<Readonly<Record<string, { readonly longestMs: number }>>>;
}

describeOnEngines(`D. hostile receivers, ${DEADLINE_MS} ms an attempt`, (suite) => {
  let hostile: Hostile;
  const attempts = new Map<string, Attempt>();
  const healthyMs: number[] = [];
  before(async () => {
    hostile = await startHostile();
    await using receiver = await startReceiver();
    await using site = await suite.open({ deadlineMs: DEADLINE_MS });
    const neighbour = newUser('neighbour');
    await site.webhooks.register(neighbour, receiver.url());
    // Nearly as large as an event may be, for receivers that do not read it.
    const large = { data: { text: 'x'.repeat(250_000) } };
    const users = new Map(hostile.names.map((name) => [name, newUser(name)]));
    for (const [name, userId] of users) await site.webhooks.register(userId, hostile.url(name));
    for (const [name, userId] of users)
      await completeWork(suite.store(), site.webhooks, userId, /^d1[12]/.test(name) ? large : {});
    for (let i = 1; i <= 20; i++) {
      const begun = performance.now();
      await completeWork(suite.store(), site.webhooks, neighbour);
      await receiver.until(i);
      healthyMs.push(performance.now() - begun);
    }
    for (const [name, userId] of users)
      attempts.set(name, await eventually(() => firstAttempt(userId), DEADLINE_MS + 20_000));

    async function firstAttempt(userId: string): Promise<Attempt | null> {
      const [delivery] = await site.webhooks.list(userId, { limit: 1 });
      return delivery === undefined ? null : ((await site.webhooks.get(userId, delivery.id))?.attempts[0] ?? null);
    }
  });
  after(() => hostile?.[Symbol.asyncDispose]());

  it('D1 to D15 each ends as it should, within the deadline of an attempt', () => {
    assert.deepEqual([...attempts.keys()].toSorted(), Object.keys(EXPECTED).toSorted());
    for (const [name, { status, reason, durationMs }] of attempts) {
      assert.deepEqual([status, reason], EXPECTED[name], name);
      assert.ok(durationMs <= DEADLINE_MS + GRACE_MS, `${name} took ${durationMs} ms`);
    }
  });

  it('D1 to D15 do not hold up another receiver meanwhile', () => {
    assert.equal(healthyMs.length, 20);
    assert.ok(Math.max(...healthyMs) < 4_000, `took ${healthyMs.map(Math.round).join(', ')} ms`);
  });

  it('D3 to D5 are closed by the sender', async () => {
    await pause(100);
    const stats = await hostile.stats();
    for (const name of ['d3-slow-headers', 'd4-slow-body', 'd5-10-gb', 'd5-endless-chunks', 'd7-endless-headers']) {
      const { longestMs = 0 } = stats[name] ?? {};
      assert.ok(longestMs > 0 && longestMs <= DEADLINE_MS + GRACE_MS, `${name} was open for ${longestMs} ms`);
    }
  });

  it('D5 and D6 keep 16 KiB of what was sent, never decompressed', () => {
    assert.equal(attempts.get('d5-10-gb')?.excerpt, 'x'.repeat(16_384));
    const bomb = attempts.get('d6-gzip-bomb')?.excerpt ?? '';
    assert.ok(bomb.length > 0 && bomb.length <= 16_384);
    assert.doesNotMatch(bomb, /\0/);
  });

  it('D13 Retry-After changes nothing: the next attempt is in 10 s', () => {
    const { startedAt, durationMs, nextAttemptAt } = attempts.get('d13-retry-after') as Attempt;
    const waitMs = (nextAttemptAt?.getTime() ?? 0) - startedAt.getTime() - durationMs;
    assert.ok(waitMs >= 9_990 && waitMs < 10_000 + GRACE_MS, `${waitMs} ms`);
  });

  it('D15 bytes that are no text are stored as text', () => {
    assert.equal(attempts.get('d15-bytes-in-body')?.excerpt, '\ufffd\ufffd\ufffd(\ufffd\ufffd\ufffd[A\nA');
  });
});

describe('D. the memory of the sender', () => {
  let hostile: Hostile;
  let poster: Poster;
  before(async () => {
    hostile = await startHostile();
    const connect = createConnect({ allowLocal: true, resolve: async () => ['127.0.0.1'], ca: [TEST_AUTHORITY] });
    poster = openPoster({ connect, deadlineMs: DEADLINE_MS });
  });
  after(async () => {
    poster?.close();
    await hostile?.[Symbol.asyncDispose]();
  });
  const post = (name: string, body = '{}') =>
    poster.post({ url: hostile.url(name), headers: {}, body }, new AbortController().signal);

  it(`D5 and D6 grow it by less than 20 MB in ${ROUNDS * 20} attempts`, async () => {
    const round = async (): Promise<void> => {
      for (let i = 0; i < ROUNDS; i++)
        await Promise.all(
          ['d5-10-gb', 'd5-endless-chunks', 'd6-gzip-bomb', 'd7-endless-headers'].flatMap((name) =>
            Array.from({ length: 5 }, () => post(name)),
          ),
        );
    };
    await round();
    const before = residentBytes();
    await round();
    const grownMb = (residentBytes() - before) / 1_000_000;
    assert.ok(grownMb < 20, `grew by ${grownMb.toFixed(1)} MB`);
  });

  it('D10 bytes after the end of an answer do not spoil the next attempt', async () => {
    for (let i = 0; i < 20; i++) assert.equal((await post('d10-more-than-said'))?.status, 200);
    for (let i = 0; i < 20; i++) assert.equal((await post('healthy'))?.status, 200);
  });
});

async function startHostile(): Promise<Hostile> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'webhooks-hostile.fixture.ts'), [], { execArgv: [] });
  const [ready] = (await once(child, 'message')) as [{ names: string[]; tls: number; silent: number }];
  return {
    names: ['d1-no-tls', ...ready.names],
    url: (name) => `https://${name}.receivers.test:${name === 'd1-no-tls' ? ready.silent : ready.tls}/hook`,
    async stats() {
      const answer = once(child, 'message');
      child.send('stats');
      return (await answer)[0] as Awaited<ReturnType<Hostile['stats']>>;
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

function residentBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage.rss();
}
