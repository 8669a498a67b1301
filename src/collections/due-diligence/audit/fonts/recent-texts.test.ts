import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createRecentTexts } from './recent-texts.ts';

it('keeps the texts that were used last and drops the others', () => {
  const texts = createRecentTexts<number>(2);
  for (const [i, text] of ['a', 'b', 'c'].entries()) texts.set(text, i);
  assert.equal(texts.get('a'), 0);
  for (const [i, text] of ['d', 'e', 'f'].entries()) texts.set(text, 3 + i);
  assert.equal(texts.get('b'), undefined);
  assert.deepEqual(
    ['e', 'f'].map((text) => texts.get(text)),
    [4, 5],
  );
});
