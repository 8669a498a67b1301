import assert from 'node:assert/strict';
import { createHmac, createSign, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import type { JSONWebKeySet } from 'jose';
import { memoryCredentials } from '../../test/memory/credentials.ts';
import { authenticate } from './authenticate.ts';
import { openAuth, type AuthSettings } from './open-auth.ts';
import type { RemoteKeysOptions } from './remote-keys.ts';

const ISSUER = 'https://issuer.example.org/';
const AUDIENCE = 'firstmile';
const NOW_S = 1_800_000_000;
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
const PEM = rsa.publicKey.export({ type: 'spki', format: 'pem' }) as string;
/** Of `ana`, scoped by the issuer: `printf %s https://issuer.example.org/ | sha256sum`. */
const ANA = 'jwt:03ef951d31a03e2d:ana';
const CLAIMS = { iss: ISSUER, aud: AUDIENCE, sub: 'ana', exp: NOW_S + 300 };

function part(value: unknown): string {
  return Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
}

/** Signs by hand, so that tokens can be as wrong as an attacker's. */
function sign(header: unknown, claims: unknown, key: KeyObject = rsa.privateKey): string {
  const text = `${part(header)}.${part(claims)}`;
  const dsaEncoding = 'ieee-p1363' as const;
  return `${text}.${createSign('sha256').update(text).sign({ key, dsaEncoding }).toString('base64url')}`;
}

function withPem(options: RemoteKeysOptions = {}, pem = PEM) {
  return open({ jwtPublicKey: pem }, options);
}

function open(settings: Partial<AuthSettings>, options: RemoteKeysOptions = {}) {
  const none = { bootstrapToken: null, internalApiKeys: [], jwtJwksUrl: null, jwtPublicKey: null };
  const auth = openAuth({ ...none, jwtIssuer: ISSUER, jwtAudience: AUDIENCE, ...settings }, memoryCredentials(), {
    clock: () => NOW_S * 1000,
    ...options,
  });
  return (token: string) => authenticate({ authorization: [`Bearer ${token}`] }, auth);
}

const RS256 = { alg: 'RS256', typ: 'JWT' };

describe('a JWT of an outside issuer', () => {
  it('is accepted with RS256 or ES256 by its PEM key', async () => {
    assert.deepEqual(await withPem()(sign(RS256, CLAIMS)), {
      userId: ANA,
      scopes: ['validate', 'forest', 'collections', 'review', 'webhooks'],
      email: null,
      kind: 'jwt',
      key: `user:${ANA}`,
    });
    const pem = ec.publicKey.export({ type: 'spki', format: 'pem' }) as string;
    assert.equal((await withPem({}, pem)(sign({ alg: 'ES256' }, CLAIMS, ec.privateKey))).userId, ANA);
  });

  it('has the scopes of its scope claim that are ours', async () => {
    const scopes = async (scope: unknown) => (await withPem()(sign(RS256, { ...CLAIMS, scope }))).scopes;
    assert.deepEqual(await scopes('openid forest admin profile'), ['forest', 'admin']);
    assert.deepEqual(await scopes('openid'), []);
    assert.deepEqual(await scopes(''), []);
    await assert.rejects(scopes(['forest']), { code: 'invalid_token' });
  });

  it('is held to its scp and permissions claims too', async () => {
    const scopes = async (claims: object) => (await withPem()(sign(RS256, { ...CLAIMS, ...claims }))).scopes;
    assert.deepEqual(await scopes({ scp: 'forest validate' }), ['validate', 'forest'], 'as Microsoft writes it');
    assert.deepEqual(await scopes({ scp: ['forest', 'openid'] }), ['forest'], 'as Okta writes it');
    assert.deepEqual(await scopes({ permissions: ['collections'] }), ['collections']);
    assert.deepEqual(await scopes({ permissions: [] }), []);
    assert.deepEqual(await scopes({ scope: 'openid profile', permissions: ['forest'] }), ['forest']);
    assert.deepEqual(
      await scopes({ scope: 'forest', permissions: ['forest', 'admin'] }),
      ['forest'],
      'both must agree',
    );
    assert.deepEqual(await scopes({ scope: 'forest', scp: 'validate' }), []);
    for (const wrong of [{ scp: 7 }, { scp: [7] }, { permissions: 'forest' }, { permissions: { forest: true } }])
      await assert.rejects(scopes(wrong), { code: 'invalid_token' }, JSON.stringify(wrong));
  });

  it('is a user of its issuer, never a local one, the bootstrap user or one of another issuer', async () => {
    const userOf = async (sub: string, iss = ISSUER) =>
      (await open({ jwtIssuer: iss, jwtPublicKey: PEM })(sign(RS256, { ...CLAIMS, sub, iss }))).userId;
    const local = '3f0d1c52-6c0a-4a55-9a0e-6c4b35a3a0a1';
    for (const sub of [local, 'bootstrap', ANA]) assert.match(await userOf(sub), /^jwt:[0-9a-f]{16}:./);
    assert.notEqual(await userOf('ana'), await userOf('ana', 'https://other.example.org/'));
    assert.equal((await userOf('x'.repeat(128))).length, 149);
    await assert.rejects(userOf('x'.repeat(129)), { code: 'invalid_token' });
  });

  it('brings an address only when its issuer has verified it', async () => {
    const email = async (claims: object) => (await withPem()(sign(RS256, { ...CLAIMS, ...claims }))).email;
    assert.equal(await email({ email: 'ana@example.org', email_verified: true }), 'ana@example.org');
    for (const claims of [
      { email: 'ana@example.org' },
      { email: 'ana@example.org', email_verified: false },
      { email: 'ana@example.org', email_verified: 'true' },
      { email: 'no address', email_verified: true },
      { email: 'a@b.org\r\nBcc: c@d.org', email_verified: true },
    ])
      assert.equal(await email(claims), null, JSON.stringify(claims));
  });

  const text = `${part(RS256)}.${part(CLAIMS)}`;
  const hmac = (header: unknown) => {
    const signed = `${part(header)}.${part(CLAIMS)}`;
    return `${signed}.${createHmac('sha256', PEM).update(signed).digest('base64url')}`;
  };
  const good = sign(RS256, CLAIMS);
  const wrong: Record<string, string> = {
    'no signature, alg none': `${part({ alg: 'none' })}.${part(CLAIMS)}.`,
    'alg None': `${part({ alg: 'None' })}.${part(CLAIMS)}.`,
    'HS256 signed with the public key': hmac({ alg: 'HS256' }),
    'HS256 under the name RS256': hmac(RS256),
    'RS384 announced': sign({ alg: 'RS384' }, CLAIMS),
    'PS256 announced': sign({ alg: 'PS256' }, CLAIMS),
    'no alg': sign({}, CLAIMS),
    'signed by a stranger': sign(RS256, CLAIMS, stranger.privateKey),
    'signature cut': good.slice(0, -4),
    'signature empty': `${text}.`,
    'claims changed after signing': `${part(RS256)}.${part({ ...CLAIMS, sub: 'bob' })}.${good.split('.')[2]}`,
    'another issuer': sign(RS256, { ...CLAIMS, iss: 'https://evil.example.org/' }),
    'another audience': sign(RS256, { ...CLAIMS, aud: 'somebody' }),
    'expired 31 s ago': sign(RS256, { ...CLAIMS, exp: NOW_S - 31 }),
    'valid in 31 s': sign(RS256, { ...CLAIMS, nbf: NOW_S + 31 }),
    'no exp': sign(RS256, { ...CLAIMS, exp: undefined }),
    'exp a text': sign(RS256, { ...CLAIMS, exp: String(NOW_S + 300) }),
    'no iss': sign(RS256, { ...CLAIMS, iss: undefined }),
    'no aud': sign(RS256, { ...CLAIMS, aud: undefined }),
    'no sub': sign(RS256, { ...CLAIMS, sub: undefined }),
    'sub that is no user id': sign(RS256, { ...CLAIMS, sub: '../../etc' }),
    'sub a number': sign(RS256, { ...CLAIMS, sub: 7 }),
    'claims named twice': sign(
      RS256,
      `{"iss":"${ISSUER}","aud":"${AUDIENCE}","sub":"bob","sub":"ana","exp":${CLAIMS.exp}}`,
    ),
    'header names alg twice': sign('{"alg":"none","alg":"RS256"}', CLAIMS),
    'crit header': sign({ ...RS256, crit: ['b64'], b64: true }, CLAIMS),
    'crit of something unknown': sign({ ...RS256, crit: ['x'], x: 1 }, CLAIMS),
    '64 KiB': sign(RS256, { ...CLAIMS, padding: 'x'.repeat(65_536) }),
    'payload an array': sign(RS256, [CLAIMS]),
    'payload not JSON': sign(RS256, 'iss'),
    'a JWE': [...Array(5).keys()].map(() => part('x')).join('.'),
    'key inside the token (jwk)': sign(
      { ...RS256, jwk: stranger.publicKey.export({ format: 'jwk' }) },
      CLAIMS,
      stranger.privateKey,
    ),
    'key address inside the token (jku)': sign(
      { ...RS256, jku: 'https://evil.example.org/keys' },
      CLAIMS,
      stranger.privateKey,
    ),
  };
  for (const [what, token] of Object.entries(wrong))
    it(`is refused with 401: ${what}`, async () => {
      await assert.rejects(withPem()(token), { status: 401, code: 'invalid_token' });
      const jwks = open(
        { jwtJwksUrl: 'http://keys.invalid' },
        { read: async () => ({ keys: [rsa.publicKey.export({ format: 'jwk' }) as never] }) },
      );
      await assert.rejects(jwks(token), { status: 401, code: 'invalid_token' });
    });

  it('is accepted within 30 s of skew', async () => {
    assert.equal((await withPem()(sign(RS256, { ...CLAIMS, exp: NOW_S - 29, nbf: NOW_S + 29 }))).userId, ANA);
  });

  it('is refused when no outside issuer is configured', async () => {
    await assert.rejects(open({ jwtIssuer: null, jwtAudience: null })(good), { status: 401, code: 'invalid_token' });
  });

  it('needs a key of a strength and kind that is accepted', () => {
    for (const pair of [
      generateKeyPairSync('rsa', { modulusLength: 1024 }),
      generateKeyPairSync('ec', { namedCurve: 'secp384r1' }),
      generateKeyPairSync('ed25519'),
    ])
      assert.throws(
        () => withPem({}, pair.publicKey.export({ type: 'spki', format: 'pem' }) as string),
        /wanted a public key/,
      );
  });
});

describe('a JWT verified by a key set', () => {
  const jwk = { ...rsa.publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig' };
  const setOf = (...keys: object[]) => ({ keys }) as JSONWebKeySet;
  const token = (kid: string, key = rsa.privateKey) =>
    sign({ ...RS256, kid }, { ...CLAIMS, exp: NOW_S + 1_000_000 }, key);

  function keyHost() {
    const host = { now: NOW_S * 1000, reads: 0, down: false, keys: setOf(jwk) };
    const read = async () => {
      host.reads++;
      if (host.down) throw new Error('connection refused');
      return host.keys;
    };
    return { host, login: open({ jwtJwksUrl: 'http://keys.invalid' }, { read, clock: () => host.now }) };
  }

  it('reads the set once and keeps it', async () => {
    const { host, login } = keyHost();
    await Promise.all(Array.from({ length: 20 }, () => login(token('one'))));
    assert.equal(host.reads, 1);
  });

  it('looks up an unknown key at most once per cooldown, whatever it is given', async () => {
    const { host, login } = keyHost();
    await login(token('one'));
    const refused = async (kid: string) => assert.rejects(login(token(kid, stranger.privateKey)), { status: 401 });
    for (let i = 0; i < 1000; i++) {
      host.now += 1;
      await refused(i % 2 === 0 ? `bad-${i}` : '../../../etc/passwd');
    }
    assert.equal(host.reads, 1);
    host.now += 30_000;
    await Promise.all(Array.from({ length: 50 }, (_, i) => refused(`worse-${i}`)));
    assert.equal(host.reads, 2);
  });

  it('learns a new key of the issuer after the cooldown', async () => {
    const { host, login } = keyHost();
    await login(token('one'));
    host.keys = setOf({ ...stranger.publicKey.export({ format: 'jwk' }), kid: 'two' });
    host.now += 30_001;
    assert.equal((await login(token('two', stranger.privateKey))).userId, ANA);
    await assert.rejects(login(token('one')), { status: 401 }, 'a key that was taken back');
  });

  it('keeps working with the keys it has while their host is down', async () => {
    const { host, login } = keyHost();
    await login(token('one'));
    host.down = true;
    for (const wait of [60_000, 600_000, 3_600_000]) {
      host.now += wait;
      assert.equal((await login(token('one'))).userId, ANA);
      await new Promise(setImmediate);
    }
    await assert.rejects(login(token('unknown')), { status: 401 });
    host.now += 86_400_000;
    await assert.rejects(login(token('one')), { status: 503, code: 'dependency_unavailable' }, 'not for ever');
  });

  it('answers 503 without keys, never lets anybody in, and does not hammer the host', async () => {
    const { host, login } = keyHost();
    host.down = true;
    for (let i = 0; i < 100; i++)
      await assert.rejects(login(token('one')), { status: 503, code: 'dependency_unavailable' });
    assert.equal(host.reads, 1);
    host.down = false;
    host.now += 30_001;
    assert.equal((await login(token('one'))).userId, ANA);
  });

  it('refuses to choose between two keys that fit', async () => {
    const { host, login } = keyHost();
    host.keys = setOf(jwk, { ...jwk, kid: 'one' });
    await assert.rejects(login(token('one')), { status: 401 });
  });

  it('refuses a symmetric key of the set', async () => {
    const { host, login } = keyHost();
    const secret = randomBytes(32);
    host.keys = setOf({ kty: 'oct', kid: 'one', k: secret.toString('base64url'), alg: 'HS256' });
    const text = `${part({ alg: 'HS256', kid: 'one' })}.${part(CLAIMS)}`;
    await assert.rejects(login(`${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`), {
      status: 401,
    });
  });

  it('reads a real host, and not one that redirects, floods or answers something else', async () => {
    const answers: Record<string, (response: import('node:http').ServerResponse) => void> = {
      '/good': (response) => response.end(JSON.stringify(setOf(jwk))),
      '/moved': (response) => response.writeHead(302, { location: '/good' }).end(),
      '/broken': (response) => response.end('<html>'),
      '/not-a-set': (response) => response.end('{"keys":7}'),
      '/error': (response) => response.writeHead(500).end(JSON.stringify(setOf(jwk))),
      '/flood': (response) => response.end(JSON.stringify(setOf(jwk)) + ' '.repeat(300_000)),
    };
    const server = createServer((request, response) => answers[request.url!]!(response));
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    try {
      assert.equal((await open({ jwtJwksUrl: `${base}/good` })(token('one'))).userId, ANA);
      for (const path of Object.keys(answers).slice(1))
        await assert.rejects(open({ jwtJwksUrl: base + path })(token('one')), { status: 503 }, path);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});

describe('a JWT of our own', () => {
  it('is accepted by every process that shares the database, for an hour', async () => {
    const store = memoryCredentials();
    const settings = {
      bootstrapToken: null,
      internalApiKeys: [],
      jwtIssuer: null,
      jwtAudience: null,
      jwtJwksUrl: null,
      jwtPublicKey: null,
    };
    let now = NOW_S * 1000;
    const [one, two] = [
      openAuth(settings, store, { clock: () => now }),
      openAuth(settings, store, { clock: () => now }),
    ];
    const { id } = await store.addUser('ana@example.org', null);
    const { token, expiresInS } = await one.issueAccessToken(id);
    const login = () => authenticate({ authorization: [`Bearer ${token}`] }, two);
    assert.equal(expiresInS, 3600);
    assert.deepEqual(await login(), {
      userId: id,
      scopes: ['validate', 'forest', 'collections', 'review', 'webhooks'],
      email: null,
      kind: 'jwt',
      key: `user:${id}`,
    });
    now += 3_631_000;
    await assert.rejects(login(), { status: 401 });
  });

  it('cannot be made with another secret or without one', async () => {
    const login = open({});
    const claims = { iss: 'urn:firstmile:local', aud: 'urn:firstmile:api', sub: 'ana', exp: NOW_S + 60 };
    const text = `${part({ alg: 'HS256', typ: 'at+jwt' })}.${part(claims)}`;
    await assert.rejects(login(`${text}.${createHmac('sha256', randomBytes(32)).update(text).digest('base64url')}`), {
      status: 401,
    });
    await assert.rejects(login(`${part({ alg: 'none', typ: 'at+jwt' })}.${part(claims)}.`), { status: 401 });
    await assert.rejects(login(sign({ alg: 'RS256', typ: 'at+jwt' }, claims)), { status: 401 });
  });
});
