import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { filesOf, GROUPS } from './groups.ts';

it('every test next to a source is in one group, and every group is run', () => {
  const grouped = Object.values(GROUPS).flatMap((patterns) => [...filesOf(patterns)]);
  const all = filesOf(['{clients/typescript,src,console,tools}/**/*.test.ts']);
  assert.ok(all.length > 200, `found only ${all.length} files`);
  assert.deepEqual(grouped.toSorted(), all);
  for (const name of Object.keys(GROUPS)) assert.ok(existsSync(join(import.meta.dirname, `${name}.test.ts`)), name);
});
