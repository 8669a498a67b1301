import { isXmlText } from '../xml/write-xml.ts';
import type { Report } from './filing-issues.ts';

/** Looks at the length of a text in characters as XML counts them, and whether XML can hold it. Nothing is fine. */
export function checkText(text: string | null | undefined, most: number, field: string, report: Report): void {
  if (!text) return;
  const { length } = [...text];
  if (length > most) report('text_too_long', field, `wanted at most ${most} characters, got ${length}`);
  if (!isXmlText(text)) report('text_invalid', field, 'wanted text without control characters, got some');
}

/** The beginning of a text as a message shows it. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}
