import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseSync } from 'rolldown/utils';
import { RECOGNISED } from '../src/messages/recognised/recognise.ts';

const ROOT = join(import.meta.dirname, '..');
/** Stands for a value within a text. */
const BLANK = '\u25cc';

/** Problems whose details stay English, and why. */
const ENGLISH: readonly (readonly [file: RegExp, why: string])[] = [
  [/^src\/(readers\/(producers|parcels)|service\/datasets)\//, 'imports, which are commands of an operator'],
  [/^src\/app\/collections-control\.ts$/, 'commands of an operator'],
  [/^src\/readers\/live\//, 'failures of services: answers say why by a code of their own'],
  [/^src\/readers\/language-model\/comment-source\.ts$/, 'why a model was not asked: the log says it'],
  [
    /^src\/(facilities\/query|service\/detection\/detection|readers\/packs\/layer\/pack-layer)\.ts$/,
    'caught, and said by a code',
  ],
  [/^src\/(db\/embedded\/engine-client|service\/parcels\/fallback)\.ts$/, 'caught, and said by a code'],
];

/** Texts that are put together from parts which are looked at where they are written. */
const FROM_PARTS = new Set([
  BLANK,
  `There is nothing at ${BLANK}. ${BLANK}`,
  `The query parameter geometry cannot be used. ${BLANK}`,
  `${BLANK} cannot be used: with DATABASE_URL the operator has to set SECRETS_KEY, which their ${BLANK} are sealed with.`,
  `${BLANK} failed before and is left alone for a while.`,
  `The address ${BLANK}.`,
  `${BLANK}: ${BLANK}.`,
  `${BLANK} ${BLANK}.`,
  `The geometry of row ${BLANK} ${BLANK}.`,
  `The plots of the ${BLANK} were not measured: its batch was requested without stats.`,
  `The ${BLANK} is being processed: ${BLANK}.`,
  `The batch of the ${BLANK} was cancelled`,
  `The batch of the ${BLANK} failed: ${BLANK}`,
  `The batch of the ${BLANK} failed: see its task`,
  `The ${BLANK} is staged, and no batch was requested; POST /batch_process starts it.`,
  `The ${BLANK} is staged with the confidence ${BLANK}, and no batch was requested; POST /batch_process starts it.`,
  `The limit of ${BLANK} ${BLANK} is used up; a new window begins in ${BLANK} s.`,
  `The limit of ${BLANK} requests a ${BLANK} is used up; a new window begins in ${BLANK} s.`,
  `Nothing was sent: ${BLANK} things are missing or invalid, the first: ${BLANK}: ${BLANK}.`,
  `The embedded database is closed: ${BLANK}. ${BLANK}`,
  `The segment ${BLANK} was not outlined: ${BLANK}`,
  `The segment ${BLANK} was not outlined: no answer`,
  `Wanted at most ${BLANK} attempts a minute ${BLANK}.`,
  `There is no tile ${BLANK}; ${BLANK}.`,
  `The body is not JSON${BLANK}.`,
  `${BLANK}; with async_mode=true it is accepted`,
  `${BLANK} of ${BLANK} is unfinished. Nothing was changed; wait for the end or cancel, and call again.`,
  `${BLANK} of ${BLANK} are unfinished. Nothing was changed; wait for the end or cancel, and call again.`,
  `The address has ${BLANK} characters; wanted at most ${BLANK}.${BLANK}`,
]);

interface Node {
  readonly type: string;
  readonly [name: string]: unknown;
}

/** The texts that an expression may come to, with `BLANK` for each value; none: it is no text. */
function textsOf(node: Node): readonly string[] {
  const part = (name: string): readonly string[] => textsOf(node[name] as Node);
  const orBlank = (texts: readonly string[]): readonly string[] => (texts.length === 0 ? [BLANK] : texts);
  if (node.type === 'Literal') return typeof node['value'] === 'string' ? [node['value']] : [];
  if (node.type === 'ConditionalExpression') return [...orBlank(part('consequent')), ...orBlank(part('alternate'))];
  if (node.type === 'LogicalExpression') return [...orBlank(part('left')), ...part('right')];
  if (node.type !== 'TemplateLiteral') return [];
  const quasis = (node['quasis'] as { readonly value: { readonly cooked: string } }[]).map(({ value }) => value.cooked);
  return (node['expressions'] as Node[]).reduce<readonly string[]>(
    (texts, one, i) => texts.flatMap((text) => orBlank(textsOf(one)).map((inside) => text + inside + quasis[i + 1])),
    [quasis[0]!],
  );
}

/** Every detail that a file gives a `Problem` in its own words. */
function* detailsOf(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  const { type, callee } = node as { type?: string; callee?: { name?: string } };
  if (type === 'NewExpression' && callee?.name === 'Problem') {
    const [, detail] = (node as unknown as { arguments: Node[] }).arguments;
    if (detail !== undefined) yield* textsOf(detail);
  }
  for (const member of Object.values(node)) yield* detailsOf(member);
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Patterns with words enough to tell them from others. */
const PATTERNS = Object.values(RECOGNISED)
  .flat()
  .map(([english]) => english.split(/\{\w+:\w+\}/))
  .filter((words) => words.join('').trim().length > 8)
  .map((words) => new RegExp(`^${words.map(escaped).join('.+?')}$`));

function isKnown(text: string): boolean {
  if (PATTERNS.some((pattern) => pattern.test(text) || pattern.test(text.replace(/\.$/, '')))) return true;
  for (let at = text.indexOf('. '); at >= 0; at = text.indexOf('. ', at + 1))
    if (PATTERNS.some((pattern) => pattern.test(text.slice(0, at + 1))) && isKnown(text.slice(at + 2))) return true;
  return false;
}

describe('the detail of every problem that the source throws', () => {
  it('has a code and so other languages, or a reason why not', () => {
    const unknown: Record<string, string[]> = {};
    let count = 0;
    for (const file of globSync('src/**/*.ts', { cwd: ROOT }).filter((path) => !path.endsWith('.test.ts'))) {
      if (ENGLISH.some(([exempt]) => exempt.test(file))) continue;
      const { program } = parseSync(file, readFileSync(join(ROOT, file), 'utf8'));
      for (const text of detailsOf(program)) {
        count++;
        if (!FROM_PARTS.has(text) && !isKnown(text)) (unknown[file] ??= []).push(text);
      }
    }
    assert.ok(count > 150, `${count}`);
    assert.deepEqual(unknown, {});
  });
});
