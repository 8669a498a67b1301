import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isConnectionLost } from './is-connection-lost.ts';

const withCode = (code: string, message = 'text') => Object.assign(new Error(message), { code });

describe('isConnectionLost', () => {
  for (const code of ['ECONNREFUSED', 'ECONNRESET', '57P01', '57P03', '53300', '08006'])
    it(`is true for ${code}`, () => assert.equal(isConnectionLost(withCode(code)), true));

  it('is true for what the driver says without a code', () => {
    assert.equal(isConnectionLost(new Error('Connection terminated unexpectedly')), true);
    assert.equal(isConnectionLost(new Error('Query read timeout')), true);
  });

  for (const code of ['23505', '42601', '40001', '57014'])
    it(`is false for ${code}, a statement the server refused`, () =>
      assert.equal(isConnectionLost(withCode(code)), false));

  it('is false for what is not an error', () => assert.equal(isConnectionLost('ECONNREFUSED'), false));
});
