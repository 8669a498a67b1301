import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { idempotencyKey } from './request-headers.ts';

describe('idempotencyKey', () => {
  it('reads a quoted string and a bare token as the same key', () => {
    assert.equal(idempotencyKey(['"8e03978e-40d5-43dd-bc93-6894a57f9324"']), '8e03978e-40d5-43dd-bc93-6894a57f9324');
    assert.equal(idempotencyKey([' 8e03978e-40d5-43dd-bc93-6894a57f9324 ']), '8e03978e-40d5-43dd-bc93-6894a57f9324');
    assert.equal(idempotencyKey([String.raw`"a \"b\" \\ c"`]), String.raw`a "b" \ c`);
    assert.equal(idempotencyKey(['x'.repeat(255)]), 'x'.repeat(255));
  });

  it('is null without a header', () => {
    assert.equal(idempotencyKey(undefined), null);
    assert.equal(idempotencyKey([]), null);
  });

  it('refuses what is empty, too long, doubled or unreadable', () => {
    for (const values of [
      [''],
      ['""'],
      ['"a'],
      ['a"'],
      ['a b'],
      ['a,b'],
      ['é'],
      ['"é"'],
      ['"a\u0000"'],
      [String.raw`"\x"`],
      ['x'.repeat(256)],
      [`"${'x'.repeat(256)}"`],
      ['a', 'a'],
    ])
      assert.throws(() => idempotencyKey(values), { code: 'malformed_header' }, JSON.stringify(values));
  });
});
