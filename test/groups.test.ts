import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { filesOf, filesOfGroup, GROUPS, INTEGRATION } from './groups.ts';

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

it('every integration test that is listed is there', () => {
  for (const pattern of INTEGRATION) assert.ok(filesOf([pattern]).length > 0, pattern);
});
