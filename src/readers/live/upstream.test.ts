import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { inTurn, json, MISBEHAVIOURS, openLiveSite } from '../../../test/live-site.ts';
import { Problem } from '../../errors.ts';
import { ByteSourceError } from '../io/byte-error.ts';
import { openDiskCache } from '../io/disk-cache-folder.ts';
import { createAnswerCache } from './answer-cache.ts';
import { createUpstream, createUpstreamState, type UpstreamOptions, type UpstreamQuestion } from './upstream.ts';

const site = openLiveSite();
let folder = '';
before(async () => void (folder = await mkdtemp(join(tmpdir(), 'firstmile-live-'))));
after(() => rm(folder, { recursive: true, force: true }));

/** A service that waits for nothing between attempts; the waits it would have made are in `waits`. */
function service(over: Partial<UpstreamOptions> = {}) {
  const waits: number[] = [];
  const wait = (ms: number): Promise<void> => {
    waits.push(ms);
    return Promise.resolve();
  };
  const upstream = createUpstream({
    name: 'The Service',
    deadlineMs: 5_000,
    state: createUpstreamState(4),
    cache: null,
    freshMs: 0,
    staleMs: 0,
    maxBytes: 100_000,
    retries: { attempts: 3, wait, random: () => 1 },
    ...over,
  });
  return { upstream, waits };
}

function question(key = 'a'): UpstreamQuestion<number> {
  return { method: 'GET', url: `${site.base}/${key}?key=secret`, key, read: readNumber };
}

function readNumber(body: unknown): number {
  const { number, remark } = body as { number?: unknown; remark?: string };
  if (remark !== undefined) throw new ByteSourceError('refused', 'The Service', 'gave up the query');
  if (typeof number !== 'number') throw new Error('no number');
  return number;
}

const never = new AbortController().signal;

function failure(wanted: RegExp) {
  return (error: unknown): true => {
    assert.ok(error instanceof Problem);
    assert.equal(error.code, 'dependency_unavailable');
    assert.match(error.message, wanted);
    assert.doesNotMatch(error.message, /secret|127\.0\.0\.1/);
    return true;
  };
}

describe('a live service', () => {
  it('gives the answer and when it came', async () => {
    site.handler = json({ number: 7 });
    const answer = await service({ now: () => 1_000 }).upstream.query(question(), never);
    assert.deepEqual(answer, { value: 7, retrievedAt: 1_000, ageMs: 0, failure: null });
  });

  it('tries again what failed by chance, and waits as long as the server requires', async () => {
    site.handler = inTurn(
      json({}, 429, { 'retry-after': '2' }),
      MISBEHAVIOURS['resets the connection'],
      json({ number: 1 }),
    );
    const { upstream, waits } = service();
    assert.equal((await upstream.query(question(), never)).value, 1);
    assert.deepEqual(waits, [2_000, 500]);
  });

  const table: readonly [keyof typeof MISBEHAVIOURS, RegExp, attempts: number][] = [
    ['never answers', /^The Service gave no answer within 1500 ms/, 1],
    ['drips a byte now and then', /^The Service gave no answer within 1500 ms/, 1],
    ['resets the connection', /could not be reached/, 3],
    ['breaks off within the body', /could not be reached/, 3],
    ['sends half a document', /not what it promises/, 1],
    ['sends nothing', /not what it promises/, 1],
    ['sends a web page', /not what it promises/, 1],
    ['sends another document', /not what it promises/, 1],
    ['sends null', /not what it promises/, 1],
    ['sends without end', /more bytes than are read/, 1],
    ['compresses unasked', /compression/, 1],
    ['redirects', /redirect \(status 302\)/, 1],
    ['asks for fewer requests', /status 429 \(too many requests\)/, 3],
    ['asks for fewer requests for an hour', /status 429 \(too many requests\)/, 1],
    ['does not accept the key', /status 403 \(it does not accept the key\)/, 1],
    ['has no allowance left', /status 402 \(the allowance of the plan is used up\)/, 1],
    ['is down', /status 500 \(it failed\)/, 3],
    ['has a bad gateway', /status 502 \(it failed\)/, 3],
    ['is unavailable', /status 503 \(it failed\)/, 3],
    ['has a slow gateway', /status 504 \(it failed\)/, 3],
  ];
  for (const [name, message, attempts] of table) {
    it(`that ${name} is a failure in plain words after ${attempts} of 3 attempts`, async () => {
      site.handler = MISBEHAVIOURS[name];
      const short = name === 'never answers' || name.startsWith('drips') ? { deadlineMs: 1500 } : {};
      await assert.rejects(service(short).upstream.query(question(), never), failure(message));
      assert.equal(site.requests.length, attempts);
    });
  }

  it('covers every misbehaviour', () => assert.equal(table.length, Object.keys(MISBEHAVIOURS).length));

  it('takes an error inside a good status for a failure, with the words of its reader', async () => {
    site.handler = json({ number: 5, remark: 'runtime error' });
    await assert.rejects(service().upstream.query(question(), never), failure(/^The Service gave up the query$/));
  });

  it('keeps all attempts and waits inside one deadline', async () => {
    site.handler = json({}, 503, { 'retry-after': '10' });
    await assert.rejects(service({ deadlineMs: 2_000 }).upstream.query(question(), never), failure(/status 503/));
    assert.equal(site.requests.length, 1, 'a wait that outlasts the deadline is not begun');
  });

  it('learns from the service how long a 429 without Retry-After means', async () => {
    site.handler = inTurn(json({}, 429), json({ number: 3 }));
    const { upstream, waits } = service({ quietMs: () => Promise.resolve(1_234) });
    assert.equal((await upstream.query(question(), never)).value, 3);
    assert.deepEqual(waits, [1_234]);
  });

  it('sends one request for equal questions at the same time', async () => {
    site.handler = json({ number: 4 });
    const { upstream } = service();
    const answers = await Promise.all(Array.from({ length: 5 }, () => upstream.query(question(), never)));
    assert.deepEqual(
      answers.map(({ value }) => value),
      [4, 4, 4, 4, 4],
    );
    assert.equal(site.requests.length, 1);
  });

  it('sends so many requests at a time, over all that share its state', async () => {
    site.handler = (response) => setTimeout(() => json({ number: 1 })(response, site.requests[0], 1), 10);
    const state = createUpstreamState(2);
    const threads = [service({ state }).upstream, service({ state }).upstream];
    await Promise.all(Array.from({ length: 12 }, (_, i) => threads[i % 2].query(question(`q${i}`), never)));
    assert.equal(site.mostInFlight, 2);
  });

  it('says when it had no turn, and does not blame the service for it', async () => {
    site.handler = MISBEHAVIOURS['never answers'];
    const state = createUpstreamState(1);
    const blocking = new AbortController();
    const first = service({ state }).upstream.query(question('first'), blocking.signal);
    first.catch(() => {});
    const { upstream } = service({ state, deadlineMs: 1_000, breaker: { failures: 1 } });
    await assert.rejects(
      upstream.query(question('second'), never),
      failure(/was busy with other facilities for 1\.0 s/),
    );
    blocking.abort();
    site.handler = json({ number: 1 });
    assert.equal((await upstream.query(question('third'), never)).value, 1);
  });

  it('sends no more requests when the caller leaves', async () => {
    site.handler = MISBEHAVIOURS['never answers'];
    const leaving = new AbortController();
    const asked = service().upstream.query(question(), leaving.signal);
    setTimeout(() => leaving.abort(new Error('left')), 20);
    await assert.rejects(asked, /left/);
  });
});

describe('a failing service', () => {
  it('is left alone after failures in a row, then tried with one request', async () => {
    let clock = 0;
    const { upstream } = service({
      breaker: { failures: 2, openMs: 1_000 },
      now: () => clock,
      retries: { attempts: 1 },
    });
    const ask = (key: string) => upstream.query(question(key), never);
    site.handler = json({}, 500);
    await assert.rejects(ask('a'), failure(/500/));
    await assert.rejects(ask('b'), failure(/500/));
    await assert.rejects(ask('c'), failure(/^The Service failed before and is left alone for 1\.0 s$/));
    assert.equal(site.requests.length, 2);
    clock = 1_001;
    site.handler = (response) => setTimeout(() => json({ number: 1 })(response, site.requests[0], 1), 20);
    const [first, second] = await Promise.allSettled([ask('d'), ask('e')]);
    assert.deepEqual([first.status, second.status], ['fulfilled', 'rejected']);
    assert.equal((await ask('f')).value, 1);
  });

  it('is not left alone for questions that were at fault themselves', async () => {
    const { upstream } = service({ breaker: { failures: 1 } });
    site.handler = inTurn(json({}, 400), json({ number: 1 }));
    await assert.rejects(upstream.query(question('a'), never), failure(/status 400 \(it did not understand/));
    assert.equal((await upstream.query(question('b'), never)).value, 1);
  });

  it('is left alone as long as it requires', async () => {
    const { upstream } = service({ now: () => 0 });
    site.handler = MISBEHAVIOURS['asks for fewer requests for an hour'];
    await assert.rejects(upstream.query(question('a'), never), failure(/429/));
    await assert.rejects(upstream.query(question('b'), never), failure(/left alone for 3600 s/));
  });
});

describe('kept answers', () => {
  it('serve while they are fresh, stand in for a failure with their age, and are dropped when too old', async () => {
    const cache = createAnswerCache(await openDiskCache(join(folder, 'kept'), { maxBytes: 100_000 }));
    let clock = 1_000_000;
    const opened = () =>
      service({ cache, freshMs: 1_000, staleMs: 10_000, now: () => clock, retries: { attempts: 1 } }).upstream;
    site.handler = json({ number: 9 });
    assert.equal((await opened().query(question(), never)).ageMs, 0);
    clock += 1_000;
    assert.deepEqual(await opened().query(question(), never), {
      value: 9,
      retrievedAt: 1_000_000,
      ageMs: 1_000,
      failure: null,
    });
    assert.equal(site.requests.length, 1);
    site.handler = json({}, 500);
    clock += 5_000;
    const stale = await opened().query(question(), never);
    assert.equal(stale.ageMs, 6_000);
    assert.match(stale.failure?.message ?? '', /status 500/);
    clock += 5_000;
    await assert.rejects(opened().query(question(), never), failure(/status 500/));
  });

  it('never hold an answer that was an error', async () => {
    const cache = createAnswerCache(await openDiskCache(join(folder, 'errors'), { maxBytes: 100_000 }));
    const { upstream } = service({ cache, freshMs: 1e9, staleMs: 1e9 });
    site.handler = inTurn(json({ remark: 'x' }), json({ number: 2 }));
    await assert.rejects(upstream.query(question(), never), failure(/gave up/));
    assert.equal((await upstream.query(question(), never)).value, 2);
  });
});
