import { formatMessage, unitOf, type Writer } from './format-message.ts';
import { metres, percent } from './in-words.ts';
import type { Param, Params } from './said.ts';

/** A template filled in, in English. Numbers stand as the service always wrote them: `1,234 m`, `9.5 %`. */
export function formatEnglish(template: string, params: Params): string {
  return formatMessage(template, params, ENGLISH);
}

const ENGLISH: Writer = { plural: (value) => (value === 1 ? 'one' : 'other'), value: englishValue };

function englishValue(name: string, value: Param): string {
  if (typeof value === 'number') return englishNumber(name, value);
  if (typeof value === 'string') return value;
  if ('message' in value) return value.message;
  return value.map((item) => (typeof item === 'string' ? item : item.message)).join(separatorOf(name));
}

/** Lists whose name ends in `_list` enumerate; those that end in `_text` are sentences; others are joined by "and". */
function separatorOf(name: string): string {
  if (name.endsWith('_list')) return ', ';
  return name.endsWith('_text') ? ' ' : ' and ';
}

function englishNumber(name: string, value: number): string {
  const unit = unitOf(name);
  if (unit === 'metres') return metres(value);
  if (unit === 'share') return percent(value);
  return unit === 'two decimals' ? value.toFixed(2) : String(value);
}
