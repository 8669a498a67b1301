import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nearestRoute } from './unknown-route.ts';

describe('the nearest address', () => {
  const routes = ['/ogc/collections', '/get_collections', '/tasks'];

  it('has as many parts, where there is such a one', () => {
    assert.equal(nearestRoute('/collections', routes), '/get_collections');
    assert.equal(nearestRoute('/ogc/collection', routes), '/ogc/collections');
  });

  it('has another number of parts where none of as many is near', () => {
    assert.equal(nearestRoute('/ogc/collections/x', routes), '/ogc/collections');
  });

  it('is none where nothing is near', () => {
    assert.equal(nearestRoute('/unheard-of', routes), null);
  });
});
