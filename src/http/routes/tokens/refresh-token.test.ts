import assert from 'node:assert/strict';
import { scryptSync } from 'node:crypto';
import { describe, it } from 'node:test';
import { testServer } from '../../../../test/memory/test-server.ts';
import { hashPassword } from '../../../auth/passwords.ts';

const PASSWORD = 'correct horse battery staple';

/** As `hashPassword` writes it, at a cost of nothing: for tests that are about how often, not about the password. */
const CHEAP_HASH = `$scrypt$ln=1,r=1,p=1$${'A'.repeat(22)}$${scryptSync(PASSWORD, Buffer.alloc(16), 32, {
  N: 2,
  r: 1,
  p: 1,
})
  .toString('base64')
  .replace('=', '')}`;

async function withUser(hash = CHEAP_HASH) {
  let now = 1_800_000_000_000;
  const server = testServer({ clock: () => now });
  const user = await server.credentials.addUser('Ana@example.org', hash);
  const ask = (payload: object, remoteAddress = '127.0.0.1') =>
    server.app.inject({ method: 'POST', url: '/refresh_token', payload, remoteAddress });
  return { server, user, ask, later: (ms: number) => (now += ms) };
}

describe('POST /refresh_token', () => {
  it('answers with a token that works for an hour', async () => {
    const { server, ask, later } = await withUser(await hashPassword(PASSWORD));
    await using _ = server;
    const answer = await ask({ email: 'ana@EXAMPLE.org', password: PASSWORD });
    assert.equal(answer.statusCode, 200);
    assert.equal(answer.headers['cache-control'], 'no-store');
    const { access_token, ...rest } = answer.json<Record<string, unknown>>();
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 3600 });
    const use = (url: string) =>
      server.app.inject({ url, headers: { authorization: `Bearer ${String(access_token)}` } });
    assert.equal((await use('/tasks')).statusCode, 200);
    assert.equal((await use('/tokens')).statusCode, 403);
    later(3_631_000);
    assert.equal((await use('/tasks')).statusCode, 401);
  });

  it('says the same of a wrong password, an unknown user and one without a password', async () => {
    const { server, ask } = await withUser();
    await using _ = server;
    await server.credentials.addUser('tokens-only@example.org', null);
    const answers = [
      await ask({ email: 'ana@example.org', password: 'wrong' }),
      await ask({ email: 'nobody@example.org', password: PASSWORD }),
      await ask({ email: 'tokens-only@example.org', password: PASSWORD }),
    ];
    for (const answer of answers) {
      assert.equal(answer.statusCode, 401);
      assert.equal(answer.headers['www-authenticate'], 'Bearer realm="firstmile"');
      const { code, title, detail } = answer.json<Record<string, unknown>>();
      assert.deepEqual(
        [code, title, detail],
        ['wrong_password', 'Email or password wrong', 'The email or the password is wrong.'],
      );
    }
    const texts = answers.map(({ body }) => body.replace(/"request_id":"[^"]+"/, ''));
    assert.equal(new Set(texts).size, 1);
  });

  it('allows ten attempts a minute for one account from one address', async () => {
    const { server, ask, later } = await withUser();
    await using _ = server;
    const statuses: number[] = [];
    for (let i = 0; i < 11; i++)
      statuses.push(
        (await ask({ email: i % 2 ? 'ana@example.org' : 'ANA@example.org', password: 'wrong' })).statusCode,
      );
    assert.deepEqual(statuses, [...Array<number>(10).fill(401), 429]);
    const refused = await ask({ email: 'ana@example.org', password: PASSWORD });
    assert.equal(refused.statusCode, 429);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    const elsewhere = await ask({ email: 'ana@example.org', password: PASSWORD }, '203.0.113.1');
    assert.equal(elsewhere.statusCode, 200, 'the owner at another address is not locked out');
    later(60_000);
    assert.equal((await ask({ email: 'ana@example.org', password: PASSWORD })).statusCode, 200);
  });

  it('bounds spread guesses, and not those who have signed in from their address before', async () => {
    const { server, ask } = await withUser();
    await using _ = server;
    const home = '198.51.100.7';
    assert.equal((await ask({ email: 'ana@example.org', password: PASSWORD }, home)).statusCode, 200);
    const statuses = [];
    for (let i = 0; i < 31; i++)
      statuses.push((await ask({ email: 'ana@example.org', password: 'wrong' }, `203.0.113.${i}`)).statusCode);
    assert.ok(statuses.slice(0, 29).every((status) => status === 401));
    assert.equal(statuses.at(-1), 429);
    assert.equal((await ask({ email: 'ana@example.org', password: PASSWORD }, home)).statusCode, 200);
  });
});
