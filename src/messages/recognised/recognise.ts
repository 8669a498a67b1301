import type { Param, Said } from '../said.ts';
import { faultParams } from './fault-params.ts';
import { KINDS, type Within } from './kinds.ts';
import { GOT, REFUSAL_REASONS, REFUSALS, WANTED } from './refusal-sentences.ts';
import { PARSER_GOT, PARSER_REASONS, PARSER_SENTENCES, PARSER_WANTED } from './parser-sentences.ts';
import type { Recognised } from './recognised.ts';
import { REASONS, SENTENCES } from './sentences.ts';
import {
  CHOICES,
  FILTERS,
  SERVICE_GOT,
  SERVICE_REASONS,
  SERVICE_SENTENCES,
  SERVICE_WANTED,
} from './service-sentences.ts';

interface Pattern {
  readonly code: string;
  /** The words before the first blank, which are looked for first: most patterns are not there. */
  readonly start: string;
  readonly fixed: Readonly<Record<string, Param>>;
  /** Matches from where it is set to, with a group for each blank in order. */
  readonly expression: RegExp;
  readonly blanks: readonly { readonly name: string; readonly kind: string }[];
}

/** Patterns in their order, and those of them that texts may match which begin with the same letters. */
interface PatternList {
  readonly byStart: ReadonlyMap<string, readonly Pattern[]>;
  /** For all other texts. */
  readonly others: readonly Pattern[];
}

/** Letters by which patterns are found. */
const START = 3;

/** Longer texts are no sentences of ours. */
const LONGEST = 2_000;
/** Texts whose sentences are kept: the rows of a batch say the same over and over. */
const KEPT = 2_000;

const BLANK = /\{(\w+):(\w+)\}/g;
const ESCAPED = /[.*+?^${}()|[\]\\]/g;
const kept = new Map<string, readonly Said[] | null>();
/** What texts are looked for among; all but sentences are read to their end. */
type Among = 'sentences' | 'reasons' | 'wanted' | 'got';
let compiled: Readonly<Record<Among, PatternList>> | null = null;

/** All of each, in the order in which they are looked for. */
export const RECOGNISED: Readonly<Record<Among, readonly Recognised[]>> = {
  // A refusal may look like a sentence about a dataset, as both begin with a name.
  sentences: [...PARSER_SENTENCES, ...SERVICE_SENTENCES, ...REFUSALS, ...SENTENCES, ...FILTERS],
  reasons: [...PARSER_REASONS, ...SERVICE_REASONS, ...REFUSAL_REASONS, ...REASONS],
  wanted: [...PARSER_WANTED, ...SERVICE_WANTED, ...WANTED, ...CHOICES],
  got: [...PARSER_GOT, ...SERVICE_GOT, ...GOT],
};

/** Compiled when they are first needed. */
function patterns(): NonNullable<typeof compiled> {
  return (compiled ??= {
    sentences: listOf(RECOGNISED.sentences.map((one) => compile(one, '(?= |$)'))),
    reasons: listOf(RECOGNISED.reasons.map((one) => compile(one, '$'))),
    wanted: listOf(RECOGNISED.wanted.map((one) => compile(one, '$'))),
    got: listOf(RECOGNISED.got.map((one) => compile(one, '$'))),
  });
}

function listOf(all: readonly Pattern[]): PatternList {
  const others = all.filter(({ start }) => start.length < START);
  const starts = new Set(all.filter(({ start }) => start.length >= START).map(({ start }) => start.slice(0, START)));
  const startsSo = (start: string, letters: string): boolean => letters.startsWith(start.slice(0, START));
  return {
    byStart: new Map([...starts].map((letters) => [letters, all.filter(({ start }) => startsSo(start, letters))])),
    others,
  };
}

function startingAt({ byStart, others }: PatternList, text: string, at: number): readonly Pattern[] {
  return byStart.get(text.slice(at, at + START)) ?? others;
}

/**
 * The sentences of a text that was written in English without codes, as codes with parameters; null where a part of it is none of
 * ours. So what an older version stored, and what is put together far from here, has other languages too.
 */
export function recognise(text: string): readonly Said[] | null {
  if (text === '' || text.length > LONGEST) return null;
  const known = kept.get(text);
  if (known !== undefined) return known;
  const found = sentencesFrom(text, 0, patterns().sentences);
  if (kept.size >= KEPT) kept.clear();
  kept.set(text, found);
  return found;
}

/** Why something is so, as the end of a sentence; the text itself where it is none of ours. */
export function recogniseReason(text: string): Param {
  const end = /[.!]$/.exec(text)?.[0] ?? '';
  return wholeOf(text.slice(0, text.length - end.length), 'reasons') ?? text;
}

/** A whole text by the patterns of a list; null where it is none of them. */
function wholeOf(text: string, among: Among): Said | null {
  for (const pattern of startingAt(patterns()[among], text, 0)) {
    const found = matchAt(pattern, text, 0, () => true);
    if (found !== null) return found.said;
  }
  return null;
}

/** Texts within texts. */
const WITHIN: Within = {
  reason: recogniseReason,
  wanted: (text) => wholeOf(text, 'wanted'),
  got: (text) => wholeOf(text, 'got'),
};

/** The sentences from `at` to the end, divided by blanks. Where one of them may end in two places both are tried. */
function sentencesFrom(text: string, at: number, among: PatternList): readonly Said[] | null {
  for (const pattern of startingAt(among, text, at)) {
    let rest: readonly Said[] | null = null;
    const found = matchAt(pattern, text, at, (end) => {
      if (end === text.length) rest = [];
      else if (text[end] === ' ') rest = sentencesFrom(text, end + 1, among);
      return rest !== null;
    });
    if (found !== null && rest !== null) return [found.said, ...(rest as readonly Said[])];
  }
  return null;
}

/** A pattern at a place, with an end that is right; null: it is not there. */
function matchAt(
  { code, start, fixed, expression, blanks }: Pattern,
  text: string,
  at: number,
  isEnd: (end: number) => boolean,
): { readonly said: Said } | null {
  if (!text.startsWith(start, at)) return null;
  expression.lastIndex = at;
  const match = expression.exec(text);
  if (match === null || !isEnd(match.index + match[0].length)) return null;
  const params: Record<string, Param> = { ...fixed };
  for (const [i, { name, kind }] of blanks.entries()) {
    const value = KINDS[kind]!.read(match[i + 1]!, WITHIN);
    if (value === null) return null;
    // A sentence that is only a reason has to be one of ours.
    if (code === 'sentence_of' && typeof value === 'string') return null;
    params[name] = value;
  }
  return { said: { code, params: code.startsWith('fault.') ? faultParams(params) : params, message: match[0] } };
}

function compile([english, code, fixed = {}]: Recognised, end: string): Pattern {
  const blanks = [...english.matchAll(BLANK)].map(([, name, kind]) => ({ name: name!, kind: kind! }));
  let source = '';
  let from = 0;
  for (const { index, 0: whole, 2: kind } of english.matchAll(BLANK)) {
    source += english.slice(from, index).replaceAll(ESCAPED, '\\$&');
    source += `(${KINDS[kind!]!.pattern})`;
    from = index + whole.length;
  }
  source += english.slice(from).replaceAll(ESCAPED, '\\$&');
  const [start] = english.split(BLANK);
  return { code, start: start!, fixed, blanks, expression: new RegExp(source + end, 'uy') };
}
