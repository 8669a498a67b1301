import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { replaceFile } from './replace-file.ts';

describe('replacing a file', () => {
  let root: string;
  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'replace-file-'));
  });
  after(() => rm(root, { recursive: true, force: true }));

  it('makes folders and file for this user alone', async () => {
    const path = join(root, 'a', 'b', 'state.json');
    await replaceFile(path, 'one');
    await replaceFile(path, 'two');
    assert.equal(await readFile(path, 'utf8'), 'two');
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.equal((await stat(join(root, 'a'))).mode & 0o777, 0o700);
    assert.deepEqual(await readdir(join(root, 'a', 'b')), ['state.json']);
  });

  it('is one text or the other when many write at the same time', async () => {
    const path = join(root, 'busy.json');
    const texts = Array.from({ length: 50 }, (_, i) => String(i).repeat(10_000));
    await Promise.all(texts.map((text) => replaceFile(path, text)));
    assert.ok(texts.includes(await readFile(path, 'utf8')));
    assert.deepEqual(
      (await readdir(root)).filter((name) => name.startsWith('busy.json.')),
      [],
    );
  });

  it('leaves nothing of a write that fails', async () => {
    const path = join(root, 'taken');
    await mkdir(join(path, 'by-a-folder'), { recursive: true });
    await assert.rejects(replaceFile(path, 'text'));
    assert.deepEqual(
      (await readdir(root)).filter((name) => name.startsWith('taken')),
      ['taken'],
    );
  });
});
