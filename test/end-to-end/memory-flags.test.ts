import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, it } from 'node:test';

const FLAGS = pathToFileURL(join(resolve(import.meta.dirname, '../..'), 'bin/memory-flags.js')).href;

/** Fills its young generation for a while and says how many bytes of it were resident at most. */
const FILL = `
  import { parentPort } from 'node:worker_threads';
  import { getHeapSpaceStatistics } from 'node:v8';
  let most = 0;
  let kept = [];
  for (let i = 0; i < 1_000_000; i++) {
    kept.push([i]);
    if (kept.length > 200_000) kept = [];
    if (i % 20_000 > 0) continue;
    const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
    most = Math.max(most, young.physical_space_size);
  }
  parentPort.postMessage(most);`;

/** The most that threads took, each started with so many MB, in a process with the flag. */
function youngOf(limitsMb: readonly number[], before: string): readonly number[] {
  const script = `
    import { Worker } from 'node:worker_threads';
    import { once } from 'node:events';
    import { leaveYoungHeapsToThreads } from '${FLAGS}';
    ${before}
    const most = [];
    for (const maxYoungGenerationSizeMb of ${JSON.stringify(limitsMb)}) {
      const thread = new Worker(${JSON.stringify(FILL)}, { eval: true, resourceLimits: { maxYoungGenerationSizeMb } });
      most.push((await once(thread, 'message'))[0]);
    }
    console.log(JSON.stringify(most));`;
  const args = ['--max-semi-space-size=8', '--input-type=module', '--eval', script];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as number[];
}

describe('the flags that keep memory small', () => {
  it('leave the young generation of each thread to what it is started with', () => {
    const [small = 0, large = 0] = youngOf([4, 24], 'leaveYoungHeapsToThreads();');
    assert.ok(small <= 5e6, `${small} bytes of a thread with 4 MB`);
    assert.ok(large > 12e6 && large < 20e6, `${large} bytes of a thread with 24 MB`);
    // Without that the flag rules, for which this test is there.
    assert.ok(youngOf([4], '').every((most) => most > 12e6));
  });
});
