import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countryInSentence } from './in-words.ts';

test('a country stands in a sentence as English has it', () => {
  const written = [
    'the Philippines',
    'the Democratic Republic of the Congo',
    'the Solomon Islands',
    'the United States of America',
    'The Gambia',
    'Dominica',
    'Colombia',
    "Côte d'Ivoire",
  ];
  for (const phrase of written) assert.equal(countryInSentence(phrase.replace(/^the /, '')), phrase);
});
