import assert from 'node:assert/strict';
import { once } from 'node:events';
import { it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { hearFailures } from './thread-failures.ts';
import { reportOncePerMinute } from '../world/report-once-per-minute.ts';

it('hears of a source that failed in another thread, with its causes', async () => {
  const heard = Promise.withResolvers<readonly [string, Error]>();
  const hearNoMore = hearFailures((source, error) => heard.resolve([source, error as Error]));
  const address = JSON.stringify(new URL('./thread-failures.ts', import.meta.url).href);
  const text = `import(${address}).then(({ openFailureReporter }) => {
    const cause = Object.assign(new Error('no route'), { unsendable: () => {} });
    openFailureReporter()('gfc-lossyear', new RangeError('it could not be reached', { cause }));
  })`;
  const thread = new Worker(text, { eval: true });
  const ended = once(thread, 'exit');
  const [source, error] = await heard.promise;
  assert.deepEqual([source, error.message], ['gfc-lossyear', 'it could not be reached']);
  assert.match(error.stack ?? '', /RangeError: it could not be reached[^]*caused by: Error: no route/);
  hearNoMore();
  await ended;
});

it('reports a failure of a source once a minute, and others at once', () => {
  const told: string[] = [];
  let now = 0;
  const report = reportOncePerMinute(
    (source) => void told.push(source),
    () => now,
  );
  report('a', new RangeError('x'));
  report('a', new RangeError('x'));
  report('b', new RangeError('x'));
  now = 60_000;
  report('a', new RangeError('x'));
  assert.deepEqual(told, ['a', 'b', 'a']);
});
