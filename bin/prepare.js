// What `npm ci` makes: the program, the console, the fonts, the built-in data and the database of a first start, next to each other, because
// the base map of the console takes longer than all the others. Each leaves an installation alone that lacks what it takes, and stays when
// it is up to date.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dropOutlines, fetchOutlines } from './outlines.js';

/** Runs a builder of this folder, which says itself what it could not do. */
async function build(name, ...words) {
  const builder = spawn(process.execPath, [join(import.meta.dirname, name), ...words], { stdio: 'inherit' });
  await once(builder, 'close');
}

/** Whether base map or built-in data have to be made, for which outlines are fetched once for both. */
async function wantsOutlines() {
  const { isBaseMapCurrent } = await import('../tools/base-map/write-base-map.ts');
  const { arePacksCurrent } = await import('../src/readers/built-in/obtain-packs.ts');
  const dist = join(import.meta.dirname, '../dist');
  return !(await isBaseMapCurrent(join(dist, 'console/map'))) || !(await arePacksCurrent(join(dist, 'packs')));
}

async function buildFromOutlines() {
  try {
    if (await wantsOutlines()) await fetchOutlines();
  } catch {
    // A production install, or an old Node: the builders name what is missing.
  }
  await Promise.all([build('build-console.js'), build('build-packs.js', '--keep-outlines')]);
  await dropOutlines();
}

if (existsSync(join(import.meta.dirname, '../src')))
  await Promise.all([build('build-program.js'), build('build-fonts.js'), buildFromOutlines()]);
