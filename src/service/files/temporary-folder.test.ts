import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { OWNER, removeAbandonedFolders, temporaryFolder } from './temporary-folder.ts';

describe('temporary folders', () => {
  it('are removed after their process was killed, and only then', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'leftovers-'));
    const script = `
      import { writeFileSync } from 'node:fs';
      import { temporaryFolder } from ${JSON.stringify(import.meta.resolve('./temporary-folder.ts'))};
      const folder = await temporaryFolder('task');
      writeFileSync(folder + '/input', 'a supplier list');
      console.log(folder);
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: parent },
    });
    const exited = once(child, 'exit');
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const folder = line.toString().trim();
    assert.equal(await removeAbandonedFolders(parent), 0, 'its process lives');
    child.kill('SIGKILL');
    await exited;
    assert.ok(existsSync(join(folder, 'input')));
    assert.equal(await removeAbandonedFolders(parent), 1);
    assert.deepEqual(await readdir(parent), []);
    await rm(parent, { recursive: true });
  });

  it('of other programs, of this process and of other machines stay, those of a day ago excepted', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'leftovers-'));
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    const host = OWNER.split('-')[0];
    const names = [
      'other-program',
      'firstmile-notes',
      `firstmile-task-${OWNER}-abc`,
      `firstmile-export-00000000-${dead}-abc`,
    ];
    for (const name of [...names, `firstmile-task-${host}-${dead}-abc`, `firstmile-task-00000000-1-old`]) {
      await mkdir(join(parent, name));
      await writeFile(join(parent, name, 'input'), 'rows');
    }
    const twoDaysAgo = new Date(Date.now() - 48 * 3_600_000);
    await utimes(join(parent, 'firstmile-task-00000000-1-old'), twoDaysAgo, twoDaysAgo);
    assert.equal(await removeAbandonedFolders(parent), 2);
    assert.deepEqual((await readdir(parent)).toSorted(), names.toSorted());
    await rm(parent, { recursive: true });
  });

  it('say which process they belong to', async () => {
    const folder = await temporaryFolder('export');
    assert.ok(folder.includes(`firstmile-export-${OWNER}-`));
    await rm(folder, { recursive: true });
  });
});
