import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { createToken, credentialDigest, isToken } from './tokens.ts';

describe('an API token', () => {
  it('is fm_, 27 digits for 160 random bits and 6 digits of checksum', () => {
    const tokens = Array.from({ length: 500 }, () => createToken().token);
    for (const token of tokens) assert.match(token, /^fm_[0-9A-Za-z]{33}$/);
    assert.equal(new Set(tokens).size, tokens.length);
  });

  it('uses all of its random digits', () => {
    const tokens = Array.from({ length: 500 }, () => createToken().token);
    for (let at = 4; at < 30; at++)
      assert.ok(new Set(tokens.map((token) => token[at])).size > 40, `digit ${at} varies`);
  });

  it('is refused with any one character changed', () => {
    const { token } = createToken();
    assert.equal(isToken(token), true);
    for (let at = 0; at < token.length; at++) {
      const other = token[at] === 'x' ? 'y' : 'x';
      assert.equal(isToken(token.slice(0, at) + other + token.slice(at + 1)), false, `character ${at}`);
    }
  });

  it('is refused when it is longer, shorter or something else', () => {
    const { token } = createToken();
    for (const text of [
      '',
      'fm_',
      token.slice(1),
      token.slice(0, -1),
      `${token}0`,
      ` ${token}`,
      `${token}\n`,
      token.toUpperCase(),
    ])
      assert.equal(isToken(text), false, JSON.stringify(text));
  });

  it('is stored as its SHA-256', () => {
    const { token, hash } = createToken();
    assert.deepEqual(Buffer.from(hash), createHash('sha256').update(token).digest());
    assert.deepEqual(hash, credentialDigest(token));
  });
});
