import assert from 'node:assert/strict';
import { test } from 'node:test';

import { GeojsonScanner, MAX_DEPTH, type ScanHandler } from './scanner.ts';

class Refused extends Error {}

const handler: ScanHandler = {
  valueStart() {},
  valueEnd() {},
  keyStart() {},
  keyEnd() {},
  nextText() {
    throw new Refused();
  },
  fault() {
    throw new Refused();
  },
};

function scans(text: string, cut: number): boolean {
  const bytes = Buffer.from(text);
  const scanner = new GeojsonScanner(handler);
  try {
    scanner.push(bytes.subarray(0, cut));
    scanner.push(bytes.subarray(cut));
    scanner.finish();
    return true;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The scanner and `JSON.parse` agree on the text wherever it is cut in two. */
function assertAgree(text: string): void {
  const wanted = parses(text);
  for (let cut = 0; cut <= text.length; cut++)
    assert.equal(scans(text, cut), wanted, `${JSON.stringify(text)} cut at ${cut}`);
}

function* wordsOver(alphabet: readonly string[], longest: number): Generator<string> {
  if (longest === 0) return;
  for (const letter of alphabet) {
    yield letter;
    for (const rest of wordsOver(alphabet, longest - 1)) yield letter + rest;
  }
}

test('takes the numbers JSON.parse takes, alone and in a list', () => {
  for (const word of wordsOver(['-', '+', '.', 'e', 'E', '0', '7'], 5))
    assert.equal(scans(`[${word}]`, 3), parses(`[${word}]`), word);
  for (const word of wordsOver(['-', '.', 'e', '0', '1'], 4)) assertAgree(word);
});

test('takes the escapes and characters in strings that JSON.parse takes', () => {
  for (let byte = 0; byte < 128; byte++) {
    const character = String.fromCharCode(byte);
    for (const text of [`"${character}"`, `"\\${character}"`, `{"\\${character}":1}`]) assertAgree(text);
    for (let place = 0; place < 4; place++)
      assertAgree(`"\\u${'12aF'.slice(0, place)}${character}${'12aF'.slice(place + 1)}"`);
  }
});

test('takes the literals and the punctuation JSON.parse takes', () => {
  for (const word of [
    'true',
    'false',
    'null',
    'True',
    'tru',
    'truee',
    'nul',
    'NaN',
    'Infinity',
    '-Infinity',
    'undefined',
  ]) {
    for (const text of [word, `[${word}]`, `{"a":${word}}`, `[${word},${word}]`]) assertAgree(text);
  }
  for (const word of wordsOver(['{', '}', '[', ']', ',', ':', '"a"', '1', ' '], 5))
    assert.equal(scans(word, 2), parses(word), word);
});

test('follows nesting to its limit and no deeper', () => {
  const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`;
  assert.equal(scans(nested(MAX_DEPTH), 7), true);
  assert.equal(scans(nested(MAX_DEPTH + 2), 7), false);
  assert.equal(scans(nested(20_000), 7), false);
});
