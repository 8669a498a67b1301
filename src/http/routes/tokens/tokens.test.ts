import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { testServer } from '../../../../test/memory/test-server.ts';

describe('the tokens resource', () => {
  it('creates, shows once, lists and revokes a token', async () => {
    await using server = testServer();
    const { authorization, userId } = await server.login();
    const headers = { authorization };
    const made = await server.app.inject({
      method: 'POST',
      url: '/tokens',
      headers,
      payload: { label: 'nightly', scopes: ['validate'], expires_in_days: 1 },
    });
    assert.equal(made.statusCode, 201);
    const { token, id, ...view } = made.json<Record<string, unknown>>();
    assert.match(String(token), /^fm_/);
    assert.equal(view['user_id'], userId);
    assert.deepEqual(view['scopes'], ['validate']);
    const use = () => server.app.inject({ url: '/tasks', headers: { authorization: `Bearer ${String(token)}` } });
    assert.equal((await use()).statusCode, 200);
    const list = await server.app.inject({ url: '/tokens', headers });
    assert.ok(list.json<{ tokens: { id: string }[] }>().tokens.some((entry) => entry.id === id));
    assert.doesNotMatch(list.body, /fm_|hash/);
    const revoke = () => server.app.inject({ method: 'DELETE', url: `/tokens/${String(id)}`, headers });
    assert.equal((await revoke()).statusCode, 204);
    assert.equal((await revoke()).statusCode, 404);
    await new Promise((done) => setTimeout(done, 600));
    assert.equal((await use()).statusCode, 401);
    const revoked = (url: string) =>
      server.app
        .inject({ url, headers })
        .then((answer) => answer.json<{ tokens: { id: string }[] }>().tokens.some((entry) => entry.id === id));
    assert.equal(await revoked('/tokens'), false);
    assert.equal(await revoked('/tokens?include_revoked=true'), true);
  });

  it('creates a token for another local user by email, and for nobody unknown', async () => {
    await using server = testServer();
    const { authorization } = await server.login();
    const ana = await server.credentials.addUser('ana@example.org', null);
    const make = (email: string) =>
      server.app.inject({
        method: 'POST',
        url: '/tokens',
        headers: { authorization },
        payload: { label: 'l', scopes: ['forest'], email },
      });
    assert.equal((await make('ANA@example.org')).json<{ user_id: string }>().user_id, ana.id);
    assert.equal((await make('nobody@example.org')).statusCode, 409);
  });

  it('is refused for a scope that does not exist, twice the same one, or none', async () => {
    await using server = testServer();
    const { authorization } = await server.login();
    for (const scopes of [['root'], ['forest', 'forest'], [], 'forest'])
      assert.equal(
        (
          await server.app.inject({
            method: 'POST',
            url: '/tokens',
            headers: { authorization },
            payload: { label: 'l', scopes },
          })
        ).statusCode,
        422,
        JSON.stringify(scopes),
      );
  });
});
