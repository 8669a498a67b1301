import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [BEGIN, END] = ['<!-- measured -->', '<!-- /measured -->'];

/** Puts what was measured between the marks of a page of `docs`. @throws when the page has none. */
export function writeMeasured(name: string, text: string): void {
  const path = join(import.meta.dirname, '../docs', name);
  const page = readFileSync(path, 'utf8');
  const [before, after] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (before < 0 || after < before) throw new Error(`${path}: wanted ${BEGIN} and ${END}`);
  writeFileSync(path, `${page.slice(0, before + BEGIN.length)}\n\n${text}\n\n${page.slice(after)}`);
}
