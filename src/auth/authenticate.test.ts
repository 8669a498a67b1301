import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { memoryCredentials } from '../../test/memory/credentials.ts';
import { authenticate, type DistinctHeaders } from './authenticate.ts';
import { openAuth, type AuthSettings } from './open-auth.ts';
import { createToken } from './tokens.ts';

const KEY = 'first-internal-key-0123456789abcdef';
const OTHER_KEY = 'second-internal-key-0123456789abcde';
const BOOTSTRAP = 'bootstrap-token-0123456789-0123456789';
const SETTINGS: AuthSettings = {
  bootstrapToken: BOOTSTRAP,
  internalApiKeys: [KEY, OTHER_KEY],
  jwtIssuer: null,
  jwtAudience: null,
  jwtJwksUrl: null,
  jwtPublicKey: null,
};

const store = memoryCredentials();
const auth = openAuth(SETTINGS, store);
const as = (headers: DistinctHeaders) => authenticate(headers, auth);

async function newToken(userId = 'ana') {
  const { token, hash } = createToken();
  const record = await store.addToken({ userId, label: 'test', scopes: ['forest'], hash, expiresAt: null });
  return { token, record };
}

describe('authenticate', () => {
  it('knows an API token by its hash', async () => {
    const { token, record } = await newToken();
    assert.deepEqual(await as({ authorization: [`Bearer ${token}`] }), {
      userId: 'ana',
      scopes: ['forest'],
      email: null,
      kind: 'token',
      key: `token:${record.id}`,
    });
    assert.equal((await as({ authorization: [`bearer   ${token} `] })).kind, 'token');
  });

  it('refuses unknown, mistyped and malformed bearers with 401', async () => {
    const { token } = await newToken();
    for (const value of [
      createToken().token,
      `${token}x`,
      token.slice(0, -1),
      'fm_',
      'x',
      'a.b',
      'a.b.c.d',
      `${BOOTSTRAP}x`,
      BOOTSTRAP.slice(0, -1),
    ])
      await assert.rejects(as({ authorization: [`Bearer ${value}`] }), { status: 401, code: 'invalid_token' }, value);
    for (const value of ['', token, `Basic ${token}`, `Bearer`, `Bearer ${token} ${token}`, `Bearer,${token}`])
      await assert.rejects(as({ authorization: [value] }), { status: 401, code: 'unauthenticated' }, value);
    await assert.rejects(as({}), { status: 401, code: 'unauthenticated' });
  });

  it('refuses an Authorization header that was sent twice', async () => {
    const { token } = await newToken();
    await assert.rejects(as({ authorization: [`Bearer ${token}`, `Bearer ${token}`] }), { status: 401 });
  });

  it('gives the bootstrap token every scope', async () => {
    const principal = await as({ authorization: [`Bearer ${BOOTSTRAP}`] });
    assert.equal(principal.kind, 'bootstrap');
    assert.ok(principal.scopes.includes('admin'));
  });
});

describe('the internal pair', () => {
  it('acts for the user it names, with any of several keys', async () => {
    for (const key of [KEY, OTHER_KEY])
      assert.deepEqual(
        { ...(await as({ 'x-internal-api-key': [key], 'x-user-id': ['auth0|ana'] })), scopes: [] },
        { userId: 'auth0|ana', scopes: [], email: null, kind: 'internal', key: 'internal:auth0|ana' },
      );
  });

  it('brings an address of its user in x-user-email, which means nothing without the key', async () => {
    const pair = { 'x-internal-api-key': [KEY], 'x-user-id': ['auth0|ana'] };
    assert.equal((await as({ ...pair, 'x-user-email': ['ana@example.org'] })).email, 'ana@example.org');
    for (const email of ['', 'no address', 'Ana <ana@example.org>', 'a@b.org, c@d.org'])
      await assert.rejects(as({ ...pair, 'x-user-email': [email] }), { code: 'invalid_token' }, email);
    await assert.rejects(as({ ...pair, 'x-user-email': ['a@b.org', 'c@d.org'] }), { status: 401 });
    const { token } = await newToken();
    const forged = { authorization: [`Bearer ${token}`], 'x-user-email': ['somebody@example.org'] };
    await assert.rejects(as(forged), { code: 'unauthenticated', message: /x-user-email/ });
  });

  it('is refused with a wrong, empty, cut or doubled key, with or without a user', async () => {
    for (const user of [['ana'], undefined])
      for (const key of [
        ['x'],
        [''],
        [KEY.slice(0, -1)],
        [KEY.slice(1)],
        [`${KEY}x`],
        [KEY, KEY],
        [`${KEY}, ${KEY}`],
        [KEY.toUpperCase()],
      ])
        await assert.rejects(
          as({ 'x-internal-api-key': key, 'x-user-id': user }),
          { status: 401 },
          JSON.stringify({ key, user }),
        );
  });

  it('is refused without its other half, also next to a good token', async () => {
    const authorization = [`Bearer ${(await newToken()).token}`];
    for (const half of [{ 'x-internal-api-key': [KEY] }, { 'x-user-id': ['ana'] }]) {
      await assert.rejects(as(half), { status: 401, code: 'unauthenticated' });
      await assert.rejects(as({ ...half, authorization }), { status: 401, code: 'unauthenticated' });
    }
  });

  it('is refused for a doubled or unusable user id', async () => {
    for (const user of [
      ['ana', 'ana'],
      ['ana', 'bob'],
      [''],
      [' '],
      ['a b'],
      ['../x'],
      ["a'b"],
      ['x'.repeat(161)],
      ['a\u0000'],
      ['é'],
    ])
      await assert.rejects(
        as({ 'x-internal-api-key': [KEY], 'x-user-id': user }),
        { status: 401 },
        JSON.stringify(user),
      );
  });

  it('is refused next to a token of another user and accepted next to one of the same', async () => {
    const authorization = [`Bearer ${(await newToken('ana')).token}`];
    await assert.rejects(as({ 'x-internal-api-key': [KEY], 'x-user-id': ['bob'], authorization }), {
      status: 401,
      code: 'invalid_token',
    });
    assert.equal((await as({ 'x-internal-api-key': [KEY], 'x-user-id': ['ana'], authorization })).userId, 'ana');
    await assert.rejects(
      as({ 'x-internal-api-key': [KEY], 'x-user-id': ['ana'], authorization: ['Bearer fm_wrong'] }),
      { status: 401 },
    );
  });

  it('is closed when no key is configured', async () => {
    const closed = openAuth({ ...SETTINGS, internalApiKeys: [] }, store);
    for (const key of ['', KEY])
      await assert.rejects(authenticate({ 'x-internal-api-key': [key], 'x-user-id': ['ana'] }, closed), {
        status: 401,
      });
  });
});

describe('comparison of secrets', () => {
  const files = ['authenticate.ts', 'token-lookup.ts', 'passwords.ts', 'tokens.ts'];
  const source = new Map(files.map((name) => [name, readFileSync(join(import.meta.dirname, name), 'utf8')]));

  it('goes through timingSafeEqual on digests of 32 bytes', () => {
    assert.match(source.get('tokens.ts')!, /length !== 32[\s\S]*timingSafeEqual\(a, b\)/);
    assert.match(source.get('authenticate.ts')!, /anySameDigest\(credentialDigest\(key\), accepted\)/);
    assert.match(
      source.get('authenticate.ts')!,
      /anySameDigest\(credentialDigest\(token\), \[deps\.bootstrapDigest\]\)/,
    );
    assert.match(source.get('token-lookup.ts')!, /sameDigest\(found\.hash, digest\)/);
    assert.match(source.get('passwords.ts')!, /timingSafeEqual\(derived/);
  });

  it('never happens by ===, includes or startsWith on a stored secret', () => {
    for (const [name, text] of source)
      assert.doesNotMatch(
        text,
        /(hash|digest|key|secret|password)\w*\s*[!=]==\s*(?!null|undefined|'|"|\d)\w*(hash|digest|key|secret|password)/i,
        name,
      );
    assert.doesNotMatch(source.get('authenticate.ts')!, /(accepted|Digests?)\.(includes|indexOf|find)\(/);
  });
});
