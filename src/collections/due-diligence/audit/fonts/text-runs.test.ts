import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import bidiFactory, { type Bidi } from 'bidi-js';
import * as fc from 'fast-check';
import { textRuns } from './text-runs.ts';

const bidi = (bidiFactory as unknown as () => Bidi)();
const shown = (text: string): string =>
  textRuns(text, () => 'font')
    .map((run) => (run.isRightToLeft ? [...run.text].toReversed().join('') : run.text))
    .join('');

describe('the runs of a line', () => {
  it('stand in the order of reading, numbers and Latin words from left to right', () => {
    assert.equal(shown('Plot 7 אבג 12 דה'), 'Plot 7 הד 12 גבא');
    assert.equal(shown('אב Kumasi'), 'בא Kumasi');
    assert.deepEqual(
      textRuns('a אב', (cluster) => (/[א-ת]/.test(cluster) ? 'hebrew' : 'latin')),
      [
        { font: 'latin', text: 'a ', isRightToLeft: false },
        { font: 'hebrew', text: 'אב', isRightToLeft: true },
      ],
    );
  });

  it('stand as the bidirectional algorithm puts every letter', () => {
    const letters = fc.array(fc.constantFrom('a', 'b', '1', '2', ' ', '.', 'א', 'ב', 'ج', 'د'), { maxLength: 24 });
    fc.assert(
      fc.property(letters, (some) => {
        const text = some.join('');
        const order = bidi.getReorderedIndices(text, bidi.getEmbeddingLevels(text, 'ltr'));
        // Spaces at the end of a line lie on its right whatever stands before them: the names of an export are trimmed.
        if (text === text.trimEnd()) assert.equal(shown(text), order.map((i) => text[i]).join(''));
      }),
      { seed: 5 },
    );
  });
});
