import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { square } from '../../../../test/due-diligence-export.ts';
import type { FittedPlot } from '../fit-plot.ts';
import { createNeighbours } from './neighbours.ts';

describe('the neighbours of a plot', () => {
  it('are those that the box meets, however many others lie in the same cells', () => {
    const index = createNeighbours();
    // 1,600 points over one cell of 0.02 degrees, of which the last are next to the box.
    for (let i = 0; i < 1_600; i++) {
      const coordinates = [(i % 40) * 0.0005, Math.floor(i / 40) * 0.0005];
      index.add(`point ${i}`, { members: [{ type: 'Point', coordinates }] as unknown as FittedPlot['members'] });
    }
    const found = index.around([0.0184, 0.0184, 0.0196, 0.0196], 'point 1599');
    assert.deepEqual(
      found.map(({ key }) => key),
      [37, 38, 39].flatMap((row) => [37, 38, 39].map((column) => `point ${row * 40 + column}`)).slice(0, -1),
    );
    index.add('square', { members: [square(0.0195, 0.0195)] as unknown as FittedPlot['members'] });
    assert.ok(index.around([0.0184, 0.0184, 0.0196, 0.0196], '').some(({ key }) => key === 'square'));
    assert.deepEqual(index.around([1, 1, 1.001, 1.001], ''), []);
  });
});
