import { isRecord } from '../is-record.ts';
import { isVerdict, localiseVerdict } from './localise-verdict.ts';
import { inLanguage } from './recognised/in-language.ts';
import type { Params } from './said.ts';
import type { Translator } from './translator.ts';

/** A part of a comment: a sentence as code with parameters, or the sentence of an entry of the receipt next to it. */
export type MessagePart = { readonly code: string; readonly params: Params } | { readonly evidence: string };

type Members = Record<string, unknown>;

/** Members whose content is the caller's own, or whose sentences are made from elsewhere. */
const LEFT_ALONE: ReadonlySet<string> = new Set(['geometry', 'coordinates', 'source', 'cells', 'params', 'messages']);

/** Members that hold sentences of ours, or lists of them, without a code: those are recognised by their English. */
const WITHOUT_CODES = [
  'detail',
  'message',
  'reason',
  'eudr_comment',
  'problem',
  'emissions_reason',
  'diversity_reason',
  'supply_shed_problem',
  'location_confidence_reasons',
  'remarks',
] as const;

/**
 * Puts the sentences of an answer into another language, in place: of every object that says what it means as `code` with
 * `params`, of the comments that a `messages` member describes, and those that are recognised. What the language does not know
 * stays English. Codes, names of fields and numbers are the same in every language. Input that a caller sent may look like a
 * sentence of ours and be none: it stays as it is.
 */
export function localise(value: unknown, translator: Translator): void {
  if (Array.isArray(value)) for (const item of value) localise(item, translator);
  else if (isRecord(value)) localiseMembers(value as Members, translator);
}

function localiseMembers(members: Members, translator: Translator): void {
  const primary = primaryWarning(members);
  for (const name in members) if (!LEFT_ALONE.has(name)) localise(members[name], translator);
  try {
    localiseOwn(members, translator);
  } catch {
    // No sentence of ours: parameters of another shape, a country of no such code.
  }
  if (primary !== null) members['primary_warning'] = primary['message'];
}

/** The sentences that an object itself holds. */
function localiseOwn(members: Members, translator: Translator): void {
  if (isRecord(members['params']) && typeof members['code'] === 'string') localiseSentence(members, translator);
  else if (typeof members['count'] === 'number') localiseFix(members, `row.${String(members['code'])}`, translator);
  if (!isRecord(members['params'])) localiseRecognised(members, translator);
  if (isVerdict(members)) localiseVerdict(members, translator);
  if (isRecord(members['messages'])) localiseComments(members, members['messages'], translator);
}

/** The warning that `primary_warning` repeats. */
function primaryWarning({ primary_warning: primary, warnings }: Members): Members | null {
  if (typeof primary !== 'string' || !Array.isArray(warnings)) return null;
  return (warnings as Members[]).find((warning) => isRecord(warning) && warning['message'] === primary) ?? null;
}

function localiseSentence(members: Members, { say }: Translator): void {
  const params = members['params'] as Params;
  const key = `${subjectOf(members)}${members['code'] as string}`;
  for (const name of ['message', 'detail']) {
    if (typeof members[name] !== 'string') continue;
    const text = say(key, params);
    if (text !== null) members[name] = [...placeOf(members, say), text, ...notesOf(params, say)].join(' ');
  }
  localiseFix(members, key, { say });
}

/** Sentences that carry no code; one of which a part is none of ours stays as it is. */
function localiseRecognised(members: Members, translator: Translator): void {
  for (const name of WITHOUT_CODES) {
    const value = members[name];
    if (typeof value === 'string') members[name] = inLanguage(value, translator);
    else if (Array.isArray(value))
      members[name] = value.map((item: unknown) => (typeof item === 'string' ? inLanguage(item, translator) : item));
  }
}

/** How a problem is put right; of a row, or of all rows that have it, counted. */
function localiseFix(members: Members, key: string, { say }: Pick<Translator, 'say'>): void {
  if (typeof members['fix'] === 'string') members['fix'] = say(`${key}.fix`) ?? members['fix'];
}

/** Warnings of a row of a table have texts of their own; some share their codes with those of facilities. */
function subjectOf(members: Members): string {
  if (typeof members['row'] === 'number') return 'row.';
  return typeof members['message'] === 'string' ? 'warning.' : '';
}

/** Row, column and value, with which the message of a row begins. */
function placeOf({ row, column, value }: Members, say: Translator['say']): string[] {
  if (typeof row !== 'number') return [];
  const params = {
    row,
    column: typeof column === 'string' ? column : '',
    value: typeof value === 'string' ? value : '',
  };
  const has = params.column === '' ? (params.value === '' ? 'row' : 'value') : params.value === '' ? 'column' : 'both';
  return [say('place_of_row', { ...params, has }) ?? ''];
}

/** What a dataset adds to a finding. */
function notesOf({ notes_text: notes }: Params, say: Translator['say']): string[] {
  return notes === undefined ? [] : [say('notes', { notes_text: notes }) ?? ''];
}

function localiseComments(members: Members, comments: Members, { say }: Translator): void {
  for (const [name, parts] of Object.entries(comments)) {
    if (typeof members[name] !== 'string' || !Array.isArray(parts)) continue;
    const texts = (parts as MessagePart[]).map((part) =>
      'evidence' in part ? sentenceOf(members['evidence'], part.evidence, say) : say(part.code, part.params),
    );
    if (texts.every((text) => text !== null)) members[name] = texts.join(' ');
  }
}

/** The sentence of an entry of the receipt, without what its dataset adds. */
function sentenceOf(evidence: unknown, indicator: string, say: Translator['say']): string | null {
  if (!Array.isArray(evidence)) return null;
  const entry = (evidence as Members[]).find((one) => one['indicator'] === indicator);
  return entry === undefined ? null : say(entry['code'] as string, entry['params'] as Params);
}
