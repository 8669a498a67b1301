import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { type LabelImage, ringsOf, traceLabels } from './trace-labels.ts';
import { traceSegment } from './trace-segment.ts';
import { runs } from '../../../test/property-runs.ts';

function picture(...rows: string[]): LabelImage {
  const labels = Int32Array.from(rows.join(''), Number);
  return { width: rows[0].length, height: rows.length, labels };
}

describe('tracing the segment of a pixel', () => {
  it('takes the component of the pixel, not its label elsewhere', () => {
    const image = picture('11022', '10020', '00011', '11110');
    const found = traceSegment(image, 0, 1);
    assert.ok(found);
    assert.equal(found.pixels, 3);
    assert.equal(found.rings.coords.length, 12);
    assert.equal(traceSegment(image, 0, 3)?.pixels, 6);
  });

  it('has nothing for background', () => {
    assert.equal(traceSegment(picture('10', '01'), 1, 0), null);
  });

  it('says whether the segment touches the edge of the image', () => {
    const image = picture('00000', '01110', '01010', '01110', '00002');
    assert.equal(traceSegment(image, 1, 1)?.touchesEdge, false);
    assert.equal(traceSegment(image, 1, 1)?.rings.starts.length, 3);
    assert.equal(traceSegment(image, 4, 4)?.touchesEdge, true);
  });

  it('refuses a pixel outside the image', () => {
    assert.throws(() => traceSegment(picture('1'), 1, 0), /wanted a pixel of a 1 x 1 image, got column 1, row 0/);
    assert.throws(() => traceSegment(picture('1'), 0, NaN), RangeError);
  });

  it('gives the rings that tracing the whole image gives', () => {
    const images = fc
      .array(fc.integer({ min: 0, max: 2 }), { minLength: 144, maxLength: 144 })
      .map((labels): LabelImage => ({ width: 12, height: 12, labels: Uint32Array.from(labels) }));
    fc.assert(
      fc.property(images, (image) => {
        const traced = traceLabels(image);
        for (let p = 0; p < traced.labels.length; p++) {
          const rings = ringsOf(traced, p, 100, -50);
          // The first crack of an exterior runs along the top of a pixel of the segment.
          const [x, y] = firstCorner(rings.coords.subarray(0, 2 * rings.starts[1]));
          assert.deepEqual(traceSegment(image, x - 100, y + 50, 100, -50)?.rings, rings);
        }
      }),
      { numRuns: runs(200) },
    );
  });
});

/** The northernmost, then westernmost corner. */
function firstCorner(coords: Int32Array): readonly [x: number, y: number] {
  let first = 0;
  for (let i = 2; i < coords.length; i += 2) {
    if (coords[i + 1] < coords[first + 1] || (coords[i + 1] === coords[first + 1] && coords[i] < coords[first]))
      first = i;
  }
  return [coords[first], coords[first + 1]];
}
