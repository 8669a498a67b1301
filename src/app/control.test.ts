import assert from 'node:assert/strict';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { CredentialStore, TokenRecord } from '../auth/principal.ts';
import { connectControl, controlPath, startControl } from './control.ts';

const RECORD: TokenRecord = {
  id: 't1',
  userId: 'u1',
  label: 'laptop “one”',
  scopes: ['validate'],
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: null,
};

describe('the path of the control socket', () => {
  it(
    'is refused where the system would cut it, with the length that fits',
    { skip: process.platform === 'win32' },
    () => {
      assert.equal(controlPath('/data'), '/data/control.sock');
      assert.throws(
        () => controlPath(`/${'a'.repeat(120)}`),
        /DATA_DIR: wanted a path of at most \d+ bytes.*got 121 bytes/,
      );
    },
  );
});

describe('the control socket', () => {
  let folder = '';
  let path = '';
  let server: { close(): Promise<void> };
  const seen: unknown[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'firstmile-control-'));
    path = controlPath(folder);
    await writeFile(path, 'left over from a service that was killed');
    const credentials = {
      listTokens: (filter: unknown) => {
        seen.push(filter);
        return Promise.resolve([RECORD]);
      },
      addToken: (token: unknown) => {
        seen.push(token);
        return Promise.resolve(RECORD);
      },
      revokeToken: () => new Promise((done) => setTimeout(done, 30, false)),
      userByEmail: () => Promise.reject(new Error('the database is gone')),
    } as unknown as CredentialStore;
    server = await startControl(path, credentials);
  });
  after(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  it('can be opened by its owner alone', async () => {
    assert.equal((await stat(path)).mode & 0o777, 0o600);
  });

  it('carries dates, bytes, null and false unchanged', async () => {
    const remote = await connectControl(path);
    assert.deepEqual(await remote?.listTokens({ userId: 'u1' }), [RECORD]);
    const token = {
      userId: 'u1',
      label: 'x',
      scopes: ['admin'] as const,
      hash: new Uint8Array([0, 255, 7]),
      expiresAt: new Date(5),
    };
    await remote?.addToken(token);
    assert.deepEqual(seen.at(-1), token);
    assert.equal(await remote?.revokeToken('t1'), false);
  });

  it('passes failures on as their message', async () => {
    const remote = await connectControl(path);
    await assert.rejects(async () => remote?.userByEmail('a@b'), /the database is gone/);
  });

  it('refuses methods outside its list and survives nonsense', async () => {
    for (const line of [
      '{"method":"namedSecret","args":["jwt"]}\n',
      '{"method":"constructor","args":[]}\n',
      'nonsense\n',
      '[]\n',
      '\n',
    ]) {
      const reply = await new Promise<string>((resolve) => {
        let text = '';
        connect(path)
          .on('data', (chunk) => (text += chunk.toString()))
          .on('close', () => resolve(text))
          .end(line);
      });
      assert.match(reply, /"error"/, line);
    }
    assert.equal(await (await connectControl(path))?.revokeToken('t1'), false);
  });

  it('is null where no service listens', async () => {
    assert.equal(await connectControl(join(folder, 'absent.sock')), null);
  });
});
