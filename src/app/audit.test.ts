import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { Problem } from '../errors.ts';
import { takeInActs } from './audit.ts';

it('takes in the acts that wait, keeps those that the database refuses, and waits for one that is away', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-acts-'));
  const pending = join(folder, 'audit-pending.jsonl');
  try {
    const line = (act: string): string => JSON.stringify({ act, at: '2026-01-02T03:04:05Z' });
    await writeFile(pending, [line('one'), '{"act":"cut', line('unknown'), '{}', line('two')].join('\n'));
    const taken: string[] = [];
    const recordAct = async ({ act, at }: { readonly act: string; readonly at?: Date }): Promise<void> => {
      if (act === 'unknown' || Number.isNaN(at?.getTime())) throw new Error('violates a constraint');
      taken.push(act);
    };
    await takeInActs(folder, { recordAct });
    assert.deepEqual(taken, ['one', 'two']);
    assert.equal(await readFile(join(folder, 'audit-refused.jsonl'), 'utf8'), `${line('unknown')}\n{}\n`);

    await writeFile(pending, line('three'));
    const away = new Problem('dependency_unavailable', 'the database is away');
    await assert.rejects(takeInActs(folder, { recordAct: () => Promise.reject(away) }), away);
    await takeInActs(folder, { recordAct });
    assert.deepEqual(taken, ['one', 'two', 'three']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
