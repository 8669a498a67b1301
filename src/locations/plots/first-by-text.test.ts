import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createFirstByText } from './first-by-text.ts';

it('answers as a map does that keeps the first number of each text', () => {
  const known = new Map<string, number>();
  const texts = createFirstByText();
  for (let i = 0; i < 150_000; i++) {
    const text = `plot ${(i * 7_919) % 100_003}`;
    assert.equal(texts.add(text, i), known.get(text) ?? null);
    if (!known.has(text)) known.set(text, i);
  }
  assert.equal(texts.size, known.size);
});
