import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FOREST_WARNINGS } from '../../src/forest/warnings.ts';
import { patchStanding } from '../../console/pages/forest/patch-standing.ts';

describe('what the forest page says of a place', () => {
  const standing = (codes: readonly string[], geometry: unknown = null) =>
    patchStanding({ geometry, properties: { warnings: codes.map((code) => ({ code })) } });

  it('is that there is no patch only where a source was read there', () => {
    assert.equal(standing(['background']), 'none');
    for (const code of Object.keys(FOREST_WARNINGS))
      if (code !== 'background') assert.equal(standing([code]), 'unknown', code);
    assert.equal(standing([]), 'unknown');
  });

  it('is that there is one where it has an outline, whatever is warned of', () => {
    assert.equal(standing(['segment_truncated'], { type: 'Polygon' }), 'found');
  });
});
