import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { hashPassword } from '../../src/auth/passwords.ts';
import { createToken } from '../../src/auth/tokens.ts';
import { createLog } from '../../src/log.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { oneEngine } from '../contracts/engines.ts';
import { testServer } from '../memory/test-server.ts';

const PASSWORD = 'correct horse battery staple';
const log = createLog({ level: 'silent', json: true });

for (const engine of oneEngine())
  describe(`access on the ${engine.name} database`, { skip: engine.skip }, () => {
    it('lasts over a restart, shares its secrets between processes and ends with a revocation', async () => {
      const database = await engine.create();
      try {
        const open = () => openStore({ ...database, poolSize: 3, log });
        const first = await open();
        const { token, jwt, tokenId } = await signUp(first);
        await first.close();

        const second = await open();
        await using server = testServer({ credentials: second.credentials });
        const ask = (authorization: string, method: 'GET' | 'DELETE' = 'GET', url = '/tokens') =>
          server.app.inject({ method, url, headers: { authorization } });
        assert.equal((await ask(`Bearer ${token}`)).statusCode, 200);
        assert.equal((await ask(`Bearer ${jwt}`, 'GET', '/tasks')).statusCode, 200, 'a JWT of the process before');
        await wait(50);
        assert.notEqual((await second.credentials.listTokens({}))[0]?.lastUsedAt, null);
        assert.equal((await ask(`Bearer ${token}`, 'DELETE', `/tokens/${tokenId}`)).statusCode, 204);
        await wait(1_000);
        assert.equal((await ask(`Bearer ${token}`)).statusCode, 401);
        for (const id of ['x', '%00', "'%20or%201=1", crypto.randomUUID()])
          assert.equal((await ask(`Bearer ${token}`, 'DELETE', `/tokens/${id}`)).statusCode, 401, id);
        await second.close();
      } finally {
        await database.drop();
      }
    });

    it('answers hostile texts with a problem', async () => {
      const database = await engine.create();
      try {
        const store = await openStore({ ...database, poolSize: 3, log });
        await using server = testServer({ credentials: store.credentials });
        const { token } = await signUp(store);
        const headers = { authorization: `Bearer ${token}` };
        for (const email of ['a\u0000b@c', '\ud800@c.d', "' or 1=1 --", 'x'.repeat(320)]) {
          const refresh = await server.app.inject({
            method: 'POST',
            url: '/refresh_token',
            payload: { email, password: 'x' },
          });
          assert.ok([401, 422].includes(refresh.statusCode), `${JSON.stringify(email)}: ${refresh.statusCode}`);
          const create = await server.app.inject({
            method: 'POST',
            url: '/tokens',
            headers,
            payload: { label: 'l', scopes: ['forest'], email },
          });
          assert.ok([409, 422].includes(create.statusCode), `${JSON.stringify(email)}: ${create.statusCode}`);
        }
        for (const id of ['x', '%00', "'%20or%201=1", '%F0%9F%8C%B4', crypto.randomUUID()])
          assert.equal(
            (await server.app.inject({ method: 'DELETE', url: `/tokens/${id}`, headers })).statusCode,
            404,
            id,
          );
        await store.close();
      } finally {
        await database.drop();
      }
    });
  });

async function signUp(store: Store) {
  await using server = testServer({ credentials: store.credentials });
  const user = await store.credentials.addUser('ana@example.org', await hashPassword(PASSWORD));
  const { token, hash } = createToken();
  const record = await store.credentials.addToken({
    userId: user.id,
    label: 'test',
    scopes: ['admin'],
    hash,
    expiresAt: null,
  });
  const answer = await server.app.inject({
    method: 'POST',
    url: '/refresh_token',
    payload: { email: 'ANA@example.org', password: PASSWORD },
  });
  assert.equal(answer.statusCode, 200, answer.body);
  return { token, tokenId: record.id, jwt: answer.json<{ access_token: string }>().access_token };
}
