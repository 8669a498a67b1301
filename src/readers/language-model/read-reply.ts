import { Problem } from '../../errors.ts';
import type { CommentPrompt } from './comment-prompt.ts';

/** Most characters of a reply before names are filled in. */
const LONGEST_REPLY = 1_200;

/**
 * The comment a model's reply makes: placeholders filled in with the names they stand for. Throws a `Problem` for a reply that
 * says what it was not told: another placeholder, or a number that is no distance of the facts.
 */
export function readReply(reply: string, { names, numbers }: Pick<CommentPrompt, 'names' | 'numbers'>): string {
  const text = reply.trim();
  if (text === '') throw refused('is empty');
  if (text.length > LONGEST_REPLY) throw refused(`is longer than ${LONGEST_REPLY} characters`);
  const plain = text.replaceAll(/\{\{\w*\}\}/g, (placeholder) => {
    if (!names.has(placeholder)) throw refused('has a placeholder that stands for nothing');
    return '';
  });
  if (/[{}]/.test(plain)) throw refused('has braces beside its placeholders');
  for (const [number] of plain.matchAll(/\d[\d,.]*/g))
    if (!isAllowed(number, numbers)) throw refused('has a number that is not among the facts');
  return text.replaceAll(/\{\{\w*\}\}/g, (placeholder) => names.get(placeholder) ?? '');
}

function isAllowed(text: string, numbers: ReadonlySet<string>): boolean {
  const bare = text.replace(/[.,]+$/, '');
  return numbers.has(bare) || numbers.has(bare.replaceAll(',', ''));
}

function refused(why: string): Problem {
  return new Problem('dependency_unavailable', `The reply of the language model ${why}`);
}
