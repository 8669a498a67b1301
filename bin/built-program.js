// Whether dist/program, which build-program.js makes of the sources, is what they say now.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
export const PROGRAM = join(ROOT, 'dist/program');
/** Names the sources that the program was built from. */
export const STAMP = join(PROGRAM, 'sources.txt');

/** The built program, from this folder; null where it was not built or a source has changed since. Takes some 10 ms. */
export function builtProgram() {
  if (!existsSync(STAMP) || readFileSync(STAMP, 'utf8') !== sourcesNow()) return null;
  return '../dist/program/main.js';
}

/** Differs as soon as a source was written, added or removed, or a package installed: times and sizes, for reading takes longer. */
export function sourcesNow() {
  const hash = createHash('sha256');
  // npm writes the first at every change of what is installed.
  for (const name of ['node_modules/.package-lock.json', 'bin/build-program.js']) note(hash, name);
  noteSources(hash, 'src');
  return hash.digest('hex');
}

function noteSources(hash, folder) {
  for (const entry of readdirSync(join(ROOT, folder), { withFileTypes: true })) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) noteSources(hash, name);
    else if (!name.endsWith('.test.ts')) note(hash, name);
  }
}

function note(hash, name) {
  const { size, mtimeMs } = statSync(join(ROOT, name));
  hash.update(`${name} ${size} ${mtimeMs}\n`);
}
