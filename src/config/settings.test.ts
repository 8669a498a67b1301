import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError, readConfig, SETTINGS } from './settings.ts';

const PEM = String.raw`-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----`;

describe('readConfig', () => {
  it('works without any setting', () => {
    const config = readConfig({});
    assert.equal(config.port, 8080);
    assert.equal(config.databaseUrl, null);
    assert.deepEqual(config.rateLimit, { perMinute: 100, perHour: 1000 });
    assert.ok(Object.isFrozen(config));
  });

  it('reads limits and switches', () => {
    assert.equal(readConfig({ RATE_LIMIT: 'off' }).rateLimit, null);
    assert.deepEqual(readConfig({ RATE_LIMIT: '5/min, 6/h' }).rateLimit, { perMinute: 5, perHour: 6 });
    assert.equal(readConfig({ TRUST_PROXY: 'on' }).trustProxy, true);
    assert.deepEqual(readConfig({ INTERNAL_API_KEY: `${'a'.repeat(32)}, ${'b'.repeat(32)}` }).internalApiKeys, [
      'a'.repeat(32),
      'b'.repeat(32),
    ]);
  });

  it('names every setting that is wrong, with what was wanted', () => {
    assert.throws(
      () => readConfig({ PORT: '99999', LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://x' }),
      (error: Error) =>
        error instanceof ConfigError &&
        /PORT: wanted a whole number/.test(error.message) &&
        /LOG_LEVEL: wanted one of/.test(error.message) &&
        /DATABASE_URL: wanted/.test(error.message),
    );
  });

  it('never repeats a secret in its message', () => {
    const secret = 'hunter2 with space';
    for (const [, entry] of Object.entries(SETTINGS).filter(([, setting]) => 'secret' in setting)) {
      assert.throws(
        () => readConfig({ [entry.env]: secret }),
        (error: Error) => error.message.includes(entry.env) && !error.message.includes('hunter2'),
      );
    }
  });

  it('refuses an outside issuer without all of its parts', () => {
    assert.throws(() => readConfig({ JWT_ISSUER: 'https://issuer.example' }), /JWT_ISSUER: wanted together/);
    assert.equal(readConfig({ JWT_ISSUER: 'i', JWT_AUDIENCE: 'a', JWT_PUBLIC_KEY: PEM }).jwtIssuer, 'i');
  });

  it('refuses to leave tasks to workers that could not see an embedded database', () => {
    assert.throws(() => readConfig({ RUN_TASKS: 'off' }), /RUN_TASKS: off needs DATABASE_URL/);
  });

  it('explains every setting, and falls back to a text that parses', () => {
    for (const entry of Object.values(SETTINGS)) {
      assert.ok(entry.doc.length > 20, entry.env);
      assert.doesNotThrow(() => entry.parse(entry.fallback), entry.env);
    }
  });
});

describe('CORS_ORIGINS', () => {
  it('are exact origins, none by default', () => {
    assert.deepEqual(readConfig({}).corsOrigins, []);
    const two = 'https://maps.example.org, http://localhost:5173';
    assert.deepEqual(readConfig({ CORS_ORIGINS: two }).corsOrigins, [
      'https://maps.example.org',
      'http://localhost:5173',
    ]);
    for (const wrong of [
      '*',
      'null',
      'maps.example.org',
      'https://maps.example.org/',
      'https://*.example.org',
      'https://Maps.example.org',
      'https://a.example/x',
      'file:///x',
      'https://a.example:443',
    ])
      assert.throws(() => readConfig({ CORS_ORIGINS: wrong }), /CORS_ORIGINS: wanted origins such as/, wrong);
  });
});

describe('PUBLIC_URL', () => {
  it('is wanted in production and where tasks run in another process', () => {
    const elsewhere = { RUN_TASKS: 'off', DATABASE_URL: 'postgres://db.internal/firstmile' };
    for (const env of [{ NODE_ENV: 'production' }, elsewhere]) {
      assert.throws(() => readConfig(env), /PUBLIC_URL: wanted with/);
      assert.equal(
        readConfig({ ...env, PUBLIC_URL: 'https://firstmile.example.org' }).publicUrl,
        'https://firstmile.example.org',
      );
    }
    assert.equal(readConfig({}).publicUrl, null);
  });
});
