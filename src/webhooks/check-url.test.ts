import assert from 'node:assert/strict';
import { it } from 'node:test';
import { checkUrl } from './check-url.ts';

it('refuses the host of the service itself, except in development, where a receiver runs next to it', () => {
  assert.throws(
    () => checkUrl('https://firstmile.example.org:8443/', { allowLocal: false, ownHosts: ['firstmile.example.org'] }),
    { code: 'webhook_url_refused' },
  );
  const { href } = checkUrl('http://127.0.0.1:9000/', { allowLocal: true, ownHosts: ['127.0.0.1'] });
  assert.equal(href, 'http://127.0.0.1:9000/');
});
