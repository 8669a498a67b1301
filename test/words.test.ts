import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';

const ROOT = resolve(import.meta.dirname, '..');

/** Words that a native technical writer would not use here, and what to write in their place. */
const WORDS: readonly { readonly word: RegExp; readonly write: string }[] = [
  { word: /\b(tells?|telling|told)\b/i, write: 'report, say, show, distinguish' },
  { word: /\bkept parts?\b/i, write: 'checkpoint' },
  { word: /\b(deaths?|bury|buries|buried|burying)\b/i, write: 'crash, record a crash' },
  { word: /\bbreathers?\b/i, write: 'yield to the event loop' },
  { word: /\bstrangers?\b/i, write: 'other owner' },
  { word: /\b(judg(e|es|ed|ing)|judge?ments?)\b/i, write: 'evaluate, decide' },
  { word: /\b(asks?|asked|asking|asker)\b/i, write: 'query, request, require, call' },
  { word: /\bbeside\b/i, write: 'next to, in addition to, compared with' },
  { word: /\bbehind\b(?! (a|the) ((reverse|trusted) )?proxy)/i, write: 'after' },
  { word: /\banew\b/i, write: 'again' },
  { word: /\bin place of after\b/i, write: 'instead of after' },
  { word: /\bweather of the network\b/i, write: 'the state of the network' },
  { word: /\b(times|attempts|requests|tasks|hours|events|deliveries|files) a user\b/i, write: 'per user' },
];

/** Where the words may not occur: folders and files, names of things included. */
const COVERED: readonly RegExp[] = [
  /^(README|CONTRIBUTING|SECURITY)\.md$/,
  /^docs\/[^/]+$/,
  /^src\/.*(?<!\.test)\.ts$/,
  /^(bench|tools|bin|examples)\/.*(?<!\.test)\.(ts|js|py|c)$/,
  /^console\/(?!text\/(es|fr|id|pt)).*(?<!\.test)\.(ts|tsx|css|json)$/,
];

/** Files in the folders above that still hold such words. */
const NOT_YET: readonly string[] = [];

/** Lines that may hold such a word: sentences to a person, and names that others have given. */
const ALLOWED: readonly { readonly file: RegExp; readonly line: RegExp }[] = [
  { file: /^docs\/webhooks\.md$/, line: /ask the operator/ },

  // What a language model is sent stays as it was measured.
  { file: /^src\/readers\/language-model\//, line: /^const SYSTEM = / },
  // The column was named before the word was.
  { file: /^src\/db\//, line: /\bdeaths\b/ },
  { file: /^src\/facilities\/evidence\/aggregation-comment\.ts$/, line: /looked\|available\|asked/ },
];

describe('the words of the project', () => {
  it('are those of a native technical writer', () => {
    const files = tracked().filter((file) => COVERED.some((covered) => covered.test(file)) && !NOT_YET.includes(file));
    assert.ok(files.length > 200, 'the list of files is too short to be right');
    assert.deepEqual(files.flatMap(findings), []);
  });

  it('are found in prose and inside names', () => {
    assert.equal(wordsOf('the dataset behind A is asked anew').length, 3);
    assert.equal(wordsOf('const judgedPlots = whenTold(plots);').length, 2);
    assert.equal(wordsOf('after a proxy; basket, task, besides').length, 0);
  });

  it('are allowed only where they still occur', () => {
    const unused = ALLOWED.filter(
      ({ file, line }) =>
        !tracked().some(
          (name) =>
            file.test(name) &&
            readFileSync(join(ROOT, name), 'utf8')
              .split('\n')
              .some((text) => line.test(text) && wordsOf(text).length > 0),
        ),
    );
    assert.deepEqual(unused, []);
  });
});

describe('the pages of docs', () => {
  const pages = tracked().filter((file) => /^docs\/[^/]+\.md$/.test(file));

  it('are all linked in its index', () => {
    const index = readFileSync(join(ROOT, 'docs/README.md'), 'utf8');
    const names = pages.map((page) => page.slice('docs/'.length)).filter((name) => name !== 'README.md');
    assert.ok(names.length > 20);
    assert.deepEqual(
      names.filter((name) => !index.includes(`](${name})`)),
      [],
    );
  });

  it('have paragraphs of about five lines', () => {
    const long = pages.flatMap((page) =>
      readFileSync(join(ROOT, page), 'utf8')
        .replaceAll(/```[^]*?```/g, '')
        .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
        .filter((paragraph) => !paragraph.trimStart().startsWith('|') && paragraph.split(/\s+/).length > 110)
        .map((paragraph) => `${page}: ${paragraph.slice(0, 60)}`),
    );
    assert.deepEqual(long, []);
  });

  it('start from a README of under 120 lines', () => {
    assert.ok(readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n').length <= 120);
  });
});

function tracked(): readonly string[] {
  return execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);
}

function findings(file: string): string[] {
  return readFileSync(join(ROOT, file), 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      ALLOWED.some((allowed) => allowed.file.test(file) && allowed.line.test(line))
        ? []
        : wordsOf(line).map((found) => `${file}:${index + 1}: ${found}`),
    );
}

/** Each word found in a line, with what to write. Names in camel case are read as words. */
function wordsOf(line: string): string[] {
  const text = line.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2');
  return WORDS.flatMap(({ word, write }) => {
    const found = word.exec(text);
    return found === null ? [] : [`"${found[0]}"; write: ${write}`];
  });
}
