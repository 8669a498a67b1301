import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { filesOf, filesOfGroup, filesOfShare, GROUPS, IN_ALL_ONLY, INTEGRATION, leftOut, SHARES } from './groups.ts';

it('every test next to a source is in one group, and every group is run', () => {
  const grouped = Object.values(GROUPS).flatMap((patterns) => [...filesOf(patterns)]);
  const all = filesOf(['{clients/typescript,src,console,tools}/**/*.test.ts']);
  assert.ok(all.length > 200, `found only ${all.length} files`);
  assert.deepEqual(grouped.toSorted(), all);
  for (const name of Object.keys(GROUPS))
    for (const [folder, kind] of [
      ['units', 'unit'],
      ['integration', 'integration'],
    ] as const)
      assert.equal(
        existsSync(join(import.meta.dirname, folder, `${name}.test.ts`)),
        filesOfGroup(name, kind).length > 0,
        `${kind} tests of ${name}`,
      );
});

it('every other test is in one share, and every share is run', () => {
  const shared = Object.entries(SHARES).flatMap(([name, { processes }]) =>
    Array.from({ length: processes }, (_, index) => {
      assert.ok(existsSync(join(import.meta.dirname, `shares/${name}-${index + 1}.test.ts`)), `${name}-${index + 1}`);
      return [...filesOfShare(name, index + 1)];
    }).flat(),
  );
  const all = filesOf(['test/!(units|integration|shares)/**/*.test.ts']);
  assert.deepEqual(
    shared.toSorted(),
    all.filter((file) => !leftOut.has(file)),
  );
});

it('every test that is listed by name is there', (t) => {
  for (const pattern of [...INTEGRATION, ...IN_ALL_ONLY].flatMap(alternatives))
    assert.ok(filesOf([pattern]).length > 0, pattern);
  if (leftOut.size > 0) t.diagnostic(`${leftOut.size} files of tests run in npm run test:all only`);
});

it('an error that nobody catches fails a group, whose promises are not followed', () => {
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const words = ['--test', join(import.meta.dirname, 'uncaught.fixture.ts')];
  const { status, stdout } = spawnSync(process.execPath, words, { env, encoding: 'utf8' });
  assert.match(stdout, /pass 2\n/);
  assert.match(stdout, /nobody caught this/);
  assert.equal(status, 1);
});

/** The patterns that one with alternatives stands for. */
function alternatives(pattern: string): readonly string[] {
  const [, before, list, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(pattern) ?? [];
  return list === undefined ? [pattern] : list.split(',').map((word) => `${before}${word}${after}`);
}
