import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { seededRandom } from '../../seeded-random.ts';
import { runs } from '../../../../test/property-runs.ts';
import type { EdgeImage } from '../kernels/edge-kernel.ts';
import { segmentInEdges } from '../segment-in-window.ts';
import { segmentEdges } from '../segment-edges.ts';
import { closedSegments } from './closed-segments.ts';
import { cutOut, maskRing, squareAround } from './label-region-proof.ts';

const RUNS = runs(600);
const SIDES = [6, 10, 16, 24, 40];

/** Strengths of few or many levels, some cells without data, smoothed so often. */
const images = fc
  .record({
    width: fc.integer({ min: 24, max: 60 }),
    height: fc.integer({ min: 24, max: 60 }),
    levels: fc.constantFrom(2, 3, 8, 60, 10_000),
    smoothed: fc.integer({ min: 0, max: 2 }),
    holes: fc.constantFrom(0, 0.01, 0.1),
    depth: fc.constantFrom(0.01, 0.05, 0.2, 0.5),
    seed: fc.nat(),
  })
  .map(({ width, height, levels, smoothed, holes, depth, seed }) => {
    const random = seededRandom(seed);
    let values = Float32Array.from({ length: width * height }, () => Math.floor(random() * levels) / levels);
    for (let i = 0; i < smoothed; i++)
      values = values.map((value, at) => (value + (values[at + 1] ?? 0) + (values[at + width] ?? 0)) / 3);
    return { width, height, depth, values: values.map((value) => (random() < holes ? Number.NaN : value)) };
  });

test('a window that is said to prove a segment proves it when it is cut, and has the same cells', () => {
  let [proven, left] = [0, 0];
  fc.assert(
    fc.property(images, ({ depth, ...image }) => {
      const inner = image.values.slice();
      maskRing(inner, image.width, image.height);
      const cut = segmentEdges({ ...image, values: inner }, depth);
      const closed = closedSegments({ ...cut, start: 0, stride: cut.width });
      for (let label = 1; label <= cut.markers.length; label++) {
        const marker = cut.markers[label - 1];
        const place = [marker % cut.width, Math.floor(marker / cut.width)] as const;
        const side = closed.provingSide(label, place, SIDES);
        if (side === null) {
          left++;
          continue;
        }
        proven++;
        assertProven(image, cut.labels, label, place, side, depth);
      }
    }),
    { numRuns: RUNS },
  );
  assert.ok(proven > RUNS && left > RUNS, `${proven} proven, ${left} left`);
});

function assertProven(
  image: EdgeImage,
  labels: Int32Array,
  label: number,
  marker: readonly [column: number, row: number],
  side: number,
  depth: number,
): void {
  const { width, height, values } = image;
  const ends = { west: false, north: false, east: false, south: false };
  const square = squareAround(...marker, side);
  const window = cutOut({ width, height, values, start: 0, stride: width, ends }, square);
  const found = segmentInEdges(window, side / 2 + 1, side / 2 + 1, depth);
  assert.ok(found?.proven);
  assert.equal(found.area, labels.filter((other) => other === label).length);
  for (let cell = 0; cell < found.mask.length; cell++) {
    if (found.mask[cell] === 0) continue;
    const column: number = square.column + found.column + (cell % found.width);
    const row: number = square.row + found.row + Math.floor(cell / found.width);
    assert.equal(labels[row * width + column], label);
  }
}

test('nothing is said of a segment that goes on at the edge of the cut, or lies next to one that does', () => {
  // Three basins side by side, each in walls; the outer ones border the ring.
  const rows = ['111111111111111', ...Array.from({ length: 9 }, () => '100010000010001'), '111111111111111'];
  const values = Float32Array.from(rows.join(''), Number);
  const image = { width: 15, height: 11, values };
  const inner = values.slice();
  maskRing(inner, 15, 11);
  const cut = segmentEdges({ ...image, values: inner }, 0.5);
  assert.equal(cut.markers.length, 3);
  const closed = closedSegments({ ...cut, start: 0, stride: 15 });
  for (const [i, marker] of cut.markers.entries()) {
    assert.equal(closed.provingSide(i + 1, [marker % 15, Math.floor(marker / 15)], SIDES), null);
  }
});
