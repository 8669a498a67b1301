import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRenewable } from './renewable.ts';

function scripted() {
  const log: string[] = [];
  let state = 'one';
  const renewable = createRenewable({
    look: async () => state,
    open: async (name: string) => {
      log.push(`open ${name}`);
      if (name.startsWith('broken')) throw new Error(name);
      return { name, close: async () => void log.push(`close ${name}`) };
    },
    onFault: (error) => log.push(`fault ${(error as Error).message}`),
  });
  return { log, renewable, become: (next: string) => (state = next) };
}

describe('what is opened again when its state changes', () => {
  it('is opened once for many jobs, and again after a change', async () => {
    const { log, renewable, become } = scripted();
    assert.equal(renewable.current(), null);
    const names = () => Promise.all([1, 2, 3].map(() => renewable.use(async ({ name }) => name)));
    assert.deepEqual(await names(), ['one', 'one', 'one']);
    become('two');
    assert.deepEqual(await names(), ['two', 'two', 'two']);
    assert.deepEqual(log, ['open one', 'open two', 'close one']);
    await renewable.close();
    assert.equal(log.at(-1), 'close two');
  });

  it('stays open for the jobs that began with it', async () => {
    const { log, renewable, become } = scripted();
    const gate = Promise.withResolvers<void>();
    const slow = renewable.use(async ({ name }) => {
      await gate.promise;
      return `${name}, open: ${!log.includes(`close ${name}`)}`;
    });
    await renewable.use(async () => {});
    become('two');
    assert.equal(await renewable.use(async ({ name }) => name), 'two');
    gate.resolve();
    assert.equal(await slow, 'one, open: true');
    assert.deepEqual(log, ['open one', 'open two', 'close one']);
  });

  it('stays what it was when the new state cannot be opened, and says so once', async () => {
    const { log, renewable, become } = scripted();
    await renewable.use(async () => {});
    become('broken');
    for (let i = 0; i < 3; i++) assert.equal(await renewable.use(async ({ name }) => name), 'one');
    assert.deepEqual(log, ['open one', 'open broken', 'fault broken']);
    become('two');
    assert.equal(await renewable.use(async ({ name }) => name), 'two');
  });

  it('rejects where nothing could be opened ever, and tries again', async () => {
    const { log, renewable, become } = scripted();
    become('broken');
    for (let i = 0; i < 2; i++)
      await assert.rejects(
        renewable.use(async () => {}),
        /broken/,
      );
    assert.deepEqual(log, ['open broken', 'open broken']);
  });

  it('gives back what the job failed with', async () => {
    const { renewable } = scripted();
    await assert.rejects(
      renewable.use(() => Promise.reject(new Error('the job'))),
      /the job/,
    );
  });
});
