import assert from 'node:assert/strict';
import { test } from 'node:test';

import { retryAfterMs } from './retry-after.ts';

const now = Date.parse('2026-01-01T00:00:00Z');

test('reads seconds and HTTP dates, never below zero', () => {
  assert.equal(retryAfterMs('0', now), 0);
  assert.equal(retryAfterMs(' 120 ', now), 120_000);
  assert.equal(retryAfterMs('Thu, 01 Jan 2026 00:00:07 GMT', now), 7_000);
  assert.equal(retryAfterMs('Thursday, 01-Jan-26 00:00:07 GMT', now), 7_000);
  assert.equal(retryAfterMs('Wed, 31 Dec 2025 00:00:00 GMT', now), 0);
});

test('ignores what is neither', () => {
  for (const header of [undefined, '', '-1', '1.5', 'soon', '2026-01-01', 'Thu, nonsense'])
    assert.equal(retryAfterMs(header, now), null);
});
