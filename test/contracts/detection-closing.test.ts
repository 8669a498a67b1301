import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from 'node:test';

const PROCESS = fileURLToPath(new URL('./detection-closing.fixture.ts', import.meta.url));

test('a process waits for its detection to close, also when an answer comes meanwhile', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROCESS]);
  assert.equal(stdout, 'closed\n');
});
