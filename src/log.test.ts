import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { createLog } from './log.ts';

/** A stream as of a descriptor, which keeps what is written at a time. */
function descriptor() {
  const writes: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _, done) {
      writes.push(text);
      done();
    },
  });
  return { writes, stream: Object.assign(stream, { fd: 99 }) };
}

const words = (text: string): string[] => Array.from(text.matchAll(/"msg":"(\w+)"/g), ([, word]) => word);

test('writes the lines of one turn together, and warnings at once with those before them', async () => {
  const { writes, stream } = descriptor();
  const log = createLog({ level: 'info', json: true, stream });
  log.info('one');
  log.child({ a: 1 }).info('two');
  assert.deepEqual(writes, []);
  await new Promise(setImmediate);
  assert.deepEqual(writes.map(words), [['one', 'two']]);
  log.info('three');
  log.warn('four');
  log.child({}).error('five');
  assert.deepEqual(writes.slice(1).map(words), [['three', 'four'], ['five']]);
  await new Promise(setImmediate);
  assert.equal(writes.length, 3);
});

test('keeps the order of two logs on one stream', async () => {
  const { writes, stream } = descriptor();
  const [json, people] = [true, false].map((isJson) => createLog({ level: 'info', json: isJson, stream }));
  json.info('one');
  people.info('two');
  json.info('three');
  await new Promise(setImmediate);
  assert.match(writes.join(''), /"msg":"one"[^]*info {2}two\n[^]*"msg":"three"/);
});

test('loses no line when the process exits or throws in the same turn', () => {
  const program = (end: string): string =>
    `const { createLog } = await import(${JSON.stringify(new URL('log.ts', import.meta.url).href)});
     const log = createLog({ level: 'info', json: true });
     for (const word of ['one', 'two']) log.info(word);
     ${end}`;
  for (const end of ['process.exit(0)', 'throw new Error("made to fail")']) {
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program(end)], { encoding: 'utf8' });
    assert.deepEqual(words(stderr), ['one', 'two'], stderr);
  }
});

test('writes to other streams at once', () => {
  const writes: string[] = [];
  const stream = new Writable({ write: (text, _, done) => (writes.push(String(text)), done()) });
  createLog({ level: 'info', json: true, stream }).info('one');
  assert.deepEqual(words(writes.join('')), ['one']);
});
