import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { filesOf, filesOfGroup, filesOfShare, GROUPS, INTEGRATION, SHARES } from './groups.ts';

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
  assert.deepEqual(shared.toSorted(), filesOf(['test/!(units|integration|shares)/**/*.test.ts']));
});

it('every integration test that is listed is there', () => {
  for (const pattern of INTEGRATION) assert.ok(filesOf([pattern]).length > 0, pattern);
});
