import assert from 'node:assert/strict';
import { test } from 'node:test';

import { nextAddress } from './redirect.ts';

function next(from: string, location: string | undefined): string {
  return nextAddress('place', new URL(from), { statusCode: 302, headers: location === undefined ? {} : { location } })
    .href;
}

test('follows to relative and absolute addresses and from http up to https', () => {
  assert.equal(next('https://a.org/x/y', '../z?q=1'), 'https://a.org/z?q=1');
  assert.equal(next('https://a.org/x', 'https://b.org/y'), 'https://b.org/y');
  assert.equal(next('http://a.org/x', 'https://a.org/x'), 'https://a.org/x');
});

test('refuses to leave https and addresses that are none, without showing their query', () => {
  assert.throws(() => next('https://a.org/x', 'http://a.org/x?secret=1'), {
    kind: 'redirect',
    message: 'place: wanted to stay on https, got a redirect to http://a.org',
  });
  for (const location of [undefined, 'file:///etc/passwd', 'http://[', 'ftp://a.org'])
    assert.throws(() => next('http://a.org/x', location), { kind: 'redirect' });
});
