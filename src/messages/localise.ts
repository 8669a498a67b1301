import { isRecord } from '../is-record.ts';
import type { Params } from './said.ts';
import type { Translator } from './translator.ts';

/** A part of a comment: a sentence as code with parameters, or the sentence of an entry of the receipt next to it. */
export type MessagePart = { readonly code: string; readonly params: Params } | { readonly evidence: string };

type Members = Record<string, unknown>;

/** Members whose content is the caller's own, or whose sentences are made from elsewhere. */
const LEFT_ALONE: ReadonlySet<string> = new Set([
  'geometry',
  'coordinates',
  'source',
  'cells',
  'attributes',
  'params',
  'messages',
]);

/** Properties of a feature that hold objects of ours; all others may be columns of the caller. */
const OURS_IN_FEATURES: ReadonlySet<string> = new Set([
  'warnings',
  'evidence',
  'plot_checks',
  'convergence',
  'parts',
  'land_cover',
  'crops',
]);

/** Properties of a feature that hold texts of ours, with their codes in `messages`. */
const TEXTS_IN_FEATURES: ReadonlySet<string> = new Set([
  'aggregation_comment',
  'producer_confirmation_comment',
  'confidence_comment',
  'location_confidence_reasons',
  'problem',
  'eudr_comment',
  'check_reason',
  'emissions_reason',
  'diversity_reason',
  'supply_shed_problem',
  'overlaps_reason',
  'split_reason',
  'split_confidence_reasons',
]);

/**
 * Puts the sentences of an answer into another language, in place: of every object that says what it means as `code` with
 * `params`, and of the texts that a `messages` member describes. What has no code, or none that the language knows, stays English.
 * Codes, names of fields and numbers are the same in every language. Among the properties of a feature stand those that a caller
 * sent: whatever they look like, they stay as they are.
 */
export function localise(value: unknown, translator: Translator): void {
  if (Array.isArray(value)) for (const item of value) localise(item, translator);
  else if (isRecord(value)) localiseMembers(value as Members, translator);
}

function localiseMembers(members: Members, translator: Translator): void {
  const primary = primaryWarning(members);
  const first = repeatedExample(members);
  const isFeature = members['type'] === 'Feature';
  for (const name in members) {
    if (LEFT_ALONE.has(name)) continue;
    if (isFeature && name === 'properties' && isRecord(members[name])) localiseFeature(members[name], translator);
    else if (!isFeature) localise(members[name], translator);
  }
  // A member of a feature besides its properties is the caller's.
  if (!isFeature) attempt(() => localiseOwn(members, translator));
  if (primary !== null) members['primary_warning'] = primary['message'];
  if (first !== null) members['example'] = first['message'];
}

/** The properties of a feature, which are ours and the caller's. */
function localiseFeature(properties: Members, translator: Translator): void {
  const primary = primaryWarning(properties);
  for (const name of OURS_IN_FEATURES) localise(properties[name], translator);
  const { messages } = properties;
  if (isRecord(messages)) {
    const ours = Object.entries(messages).filter(([name]) => TEXTS_IN_FEATURES.has(name));
    attempt(() => localiseTexts(properties, Object.fromEntries(ours), translator));
  }
  if (primary !== null) properties['primary_warning'] = primary['message'];
}

/** Leaves as it is what cannot be read as a sentence. */
function attempt(change: () => void): void {
  try {
    change();
  } catch {
    // No sentence of ours: parameters of another shape, a country of no such code.
  }
}

/** The sentences that an object itself holds. */
function localiseOwn(members: Members, translator: Translator): void {
  if (isRecord(members['params']) && typeof members['code'] === 'string') localiseSentence(members, translator);
  else if (typeof members['count'] === 'number') localiseFix(members, `row.${String(members['code'])}`, translator);
  if (isRecord(members['messages'])) localiseTexts(members, members['messages'], translator);
}

/** The warning that `primary_warning` repeats. */
function primaryWarning({ primary_warning: primary, warnings }: Members): Members | null {
  if (typeof primary !== 'string' || !Array.isArray(warnings)) return null;
  return (warnings as Members[]).find((warning) => isRecord(warning) && warning['message'] === primary) ?? null;
}

/** The warning of a row that `example` repeats. */
function repeatedExample({ example, first }: Members): Members | null {
  return isRecord(first) && typeof example === 'string' && first['message'] === example ? (first as Members) : null;
}

function localiseSentence(members: Members, { say }: Translator): void {
  const params = members['params'] as Params;
  const key = `${subjectOf(members)}${members['code'] as string}`;
  for (const name of ['message', 'detail']) {
    if (typeof members[name] !== 'string') continue;
    // What concerns several facilities has the code of one and words of its own.
    const text = say(key, params) ?? say(`some_${members['code'] as string}`, params);
    if (text !== null) members[name] = [...placeOf(members, say), text, ...notesOf(params, say)].join(' ');
  }
  localiseFix(members, key, { say });
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

function localiseTexts(members: Members, messages: Members, translator: Translator): void {
  for (const [name, codes] of Object.entries(messages)) {
    if (!Array.isArray(codes)) continue;
    const value = members[name];
    if (typeof value === 'string') members[name] = textOf(members, codes as MessagePart[], translator) ?? value;
    else if (Array.isArray(value)) members[name] = value.map((item: unknown, i) => itemOf(item, codes[i], translator));
  }
}

/** A text of a list, by its codes at the same place. */
function itemOf(item: unknown, codes: unknown, translator: Translator): unknown {
  if (typeof item !== 'string' || !Array.isArray(codes)) return item;
  return textOf({}, codes as MessagePart[], translator) ?? item;
}

/** The sentences that codes stand for; null where the language lacks one. */
function textOf(members: Members, codes: readonly MessagePart[], { say }: Translator): string | null {
  const texts = codes.map((part) =>
    'evidence' in part ? sentenceOf(members['evidence'], part.evidence, say) : asSentence(part.code, part.params, say),
  );
  return texts.length > 0 && texts.every((text) => text !== null) ? texts.join(' ') : null;
}

/** A sentence that stands alone; what is wrong with a geometry stands within others too, and begins small there. */
function asSentence(code: string, params: Params, say: Translator['say']): string | null {
  const text = say(code, params);
  return code.startsWith('fault.') && text !== null ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** The sentence of an entry of the receipt, without what its dataset adds. */
function sentenceOf(evidence: unknown, indicator: string, say: Translator['say']): string | null {
  if (!Array.isArray(evidence)) return null;
  const entry = (evidence as Members[]).find((one) => one['indicator'] === indicator);
  return entry === undefined ? null : say(entry['code'] as string, entry['params'] as Params);
}
