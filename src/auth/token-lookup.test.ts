import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { memoryCredentials } from '../../test/memory/credentials.ts';
import type { CredentialStore } from './principal.ts';
import { tokenLookup } from './token-lookup.ts';
import { createToken } from './tokens.ts';

async function fixture(expiresAt: Date | null = null) {
  let now = 1_000_000;
  const counts = { asked: 0, touched: 0 };
  const memory = memoryCredentials(() => now);
  const store: CredentialStore = {
    ...memory,
    activeTokenByHash: async (hash) => {
      counts.asked++;
      return memory.activeTokenByHash(hash);
    },
    touchToken: async (id) => {
      counts.touched++;
      return memory.touchToken(id);
    },
  };
  const { token, hash } = createToken();
  const record = await store.addToken({ userId: 'u', label: 'l', scopes: ['validate'], hash, expiresAt });
  const find = tokenLookup(store, { clock: () => now });
  return { find, token, record, store, counts, later: (ms: number) => (now += ms) };
}

describe('tokenLookup', () => {
  it('queries once for requests of the same moment', async () => {
    const { find, token, record, counts } = await fixture();
    const found = await Promise.all(Array.from({ length: 100 }, () => find(token)));
    assert.ok(found.every((one) => one?.id === record.id));
    assert.equal(counts.asked, 1);
  });

  it('forgets a revoked token within a second', async () => {
    const { find, token, record, store, later } = await fixture();
    assert.notEqual(await find(token), null);
    await store.revokeToken(record.id);
    later(999);
    assert.equal(await find(token), null);
  });

  it('forgets an expired token within a second', async () => {
    const { find, token, later } = await fixture(new Date(1_000_100));
    assert.notEqual(await find(token), null);
    later(1000);
    assert.equal(await find(token), null);
  });

  it('records the last use at most once a minute', async () => {
    const { find, token, counts, later } = await fixture();
    for (let second = 0; second < 180; second++) {
      await find(token);
      later(1000);
    }
    assert.equal(counts.touched, 3);
  });

  it('queries again after a failure of the database', async () => {
    const { store, token } = await fixture();
    let fail = true;
    const find = tokenLookup({
      ...store,
      activeTokenByHash: async (hash) => {
        if (fail) throw new Error('no database');
        return store.activeTokenByHash(hash);
      },
    });
    await assert.rejects(find(token), /no database/);
    fail = false;
    assert.notEqual(await find(token), null);
  });

  it('refuses a record whose stored hash is another one', async () => {
    const { store, token, record } = await fixture();
    const find = tokenLookup({ ...store, activeTokenByHash: async () => ({ record, hash: createToken().hash }) });
    assert.equal(await find(token), null);
  });
});
