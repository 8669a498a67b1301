import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { type LabelImage, ringsOf, traceLabels } from './trace-labels.ts';
import { runs } from '../../../test/property-runs.ts';

interface Shape {
  readonly label: number;
  readonly area: number;
  readonly rings: readonly (readonly number[])[];
}
interface Case {
  readonly width: number;
  readonly height: number;
  readonly labels: readonly number[];
  readonly polygons: readonly Shape[];
}
const ORACLE = join(import.meta.dirname, '../../../test/oracles/outline/shapes.json');
const CASES = JSON.parse(readFileSync(ORACLE, 'utf8')) as readonly Case[];

const labelImages = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 4 }))
  .chain(([width, height, most]) =>
    fc
      .array(fc.integer({ min: 0, max: most }), { minLength: width * height, maxLength: width * height })
      .map((labels): LabelImage => ({ width, height, labels: Int32Array.from(labels) })),
  );

describe('tracing a label image', () => {
  for (const { width, height, labels, polygons } of CASES) {
    it(`gives the rings of rasterio.features.shapes for ${width} x ${height}, ${polygons.length} polygons`, () => {
      assert.deepEqual(shapesOf({ width, height, labels: Int32Array.from(labels) }), polygons.map(bare));
    });
  }

  it('covers every pixel that is not background exactly once', () => {
    fc.assert(
      fc.property(labelImages, (image) => {
        const inked = [...image.labels].filter((label) => label !== 0).length;
        assert.equal(
          shapesOf(image).reduce((sum, { area }) => sum + area, 0),
          inked,
        );
      }),
      { numRuns: runs(500) },
    );
  });

  it('gives one polygon to each 4-connected component, with its label', () => {
    fc.assert(
      fc.property(labelImages, (image) => {
        const expected = components(image).toSorted((a, b) => a.label - b.label || a.area - b.area);
        const found = shapesOf(image).map(({ label, area }) => ({ label, area }));
        assert.deepEqual(
          found.toSorted((a, b) => a.label - b.label || a.area - b.area),
          expected,
        );
      }),
      { numRuns: runs(500) },
    );
  });

  it('never visits a corner twice in one ring', () => {
    fc.assert(
      fc.property(labelImages, (image) => {
        for (const { rings } of shapesOf(image)) {
          for (const ring of rings) {
            const corners = ring.flatMap((x, i) => (i % 2 === 0 ? [`${x} ${ring[i + 1]}`] : []));
            assert.equal(new Set(corners).size, corners.length);
          }
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('moves rings by whole pixels', () => {
    const traced = traceLabels({ width: 1, height: 1, labels: Uint8Array.of(7) });
    assert.deepEqual([...traced.labels], [7]);
    assert.deepEqual(
      [...ringsOf(traced, 0, 100, -20).coords].toSorted(),
      [-19, -19, -20, -20, 100, 100, 101, 101].toSorted(),
    );
  });

  it('has nothing to trace in an image of background', () => {
    assert.equal(traceLabels({ width: 3, height: 2, labels: new Uint32Array(6) }).labels.length, 0);
  });

  it('refuses labels that do not fill the image', () => {
    assert.throws(
      () => traceLabels({ width: 3, height: 3, labels: new Int32Array(8) }),
      /wanted 3 x 3 = 9 labels, got 8/,
    );
  });
});

function bare({ label, area, rings }: Shape): Shape {
  return { label, area, rings };
}

/** Polygons in the form of the oracle: rings canonical, polygons by their first corner. */
function shapesOf(image: LabelImage): Shape[] {
  const traced = traceLabels(image);
  return Array.from(traced.labels, (label, p) => {
    const { coords, starts } = ringsOf(traced, p);
    const rings = Array.from({ length: starts.length - 1 }, (_, r) =>
      fromFirstCorner([...coords.subarray(2 * starts[r], 2 * starts[r + 1])]),
    );
    const area = rings.reduce((sum, ring) => sum + sweptArea(ring), 0);
    const holes = rings.slice(1).toSorted((a, b) => a[1] - b[1] || a[0] - b[0]);
    return { label, area, rings: [rings[0], ...holes] };
  }).toSorted((a, b) => a.rings[0][1] - b.rings[0][1] || a.rings[0][0] - b.rings[0][0]);
}

function fromFirstCorner(ring: number[]): number[] {
  let first = 0;
  for (let i = 2; i < ring.length; i += 2) {
    if (ring[i + 1] < ring[first + 1] || (ring[i + 1] === ring[first + 1] && ring[i] < ring[first])) first = i;
  }
  return [...ring.slice(first), ...ring.slice(0, first)];
}

/** Positive clockwise with rows south: exteriors count, holes take off. */
function sweptArea(ring: readonly number[]): number {
  let twice = 0;
  for (let i = 0; i < ring.length; i += 2) {
    const j = (i + 2) % ring.length;
    twice += ring[i] * ring[j + 1] - ring[j] * ring[i + 1];
  }
  return twice / 2;
}

/** Label and size of each 4-connected component, by flooding. */
function components({ width, height, labels }: LabelImage): { label: number; area: number }[] {
  const done = new Set<number>();
  const found: { label: number; area: number }[] = [];
  for (let start = 0; start < width * height; start++) {
    if (labels[start] === 0 || done.has(start)) continue;
    const open = [start];
    done.add(start);
    let area = 0;
    for (let p = open.pop(); p !== undefined; p = open.pop()) {
      area++;
      const x = p % width;
      const near = [x > 0 ? p - 1 : -1, x < width - 1 ? p + 1 : -1, p - width, p + width];
      for (const q of near) {
        if (q < 0 || q >= width * height || done.has(q) || labels[q] !== labels[start]) continue;
        done.add(q);
        open.push(q);
      }
    }
    found.push({ label: labels[start], area });
  }
  return found;
}
