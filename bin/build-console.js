// Builds the console into dist/console: `npm ci` runs it through `prepare`. Without --required it leaves an installation alone that
// has not got what it takes (no development dependencies, an old Node): the service then says at / how to build it.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fetchOutlines } from './outlines.js';

const required = process.argv.includes('--required');
const source = join(import.meta.dirname, '../console');

async function build() {
  if (Number(process.versions.node.split('.')[0]) < 24)
    throw new Error(`Node ${process.versions.node} runs no TypeScript`);
  if (!existsSync(source)) throw new Error('the sources of the console are not here');
  await import('vite');
  const { isBaseMapCurrent } = await import('../tools/base-map/write-base-map.ts');
  // build-packs.js, which needs them as well, removes them.
  if (!(await isBaseMapCurrent(join(import.meta.dirname, '../dist/console/map')))) await fetchOutlines();
  const { buildConsole } = await import('../console/build/build-console.ts');
  await buildConsole();
}

try {
  // The package holds what is made here, and nothing to make it of.
  if (existsSync(join(import.meta.dirname, '../src'))) await build();
} catch (error) {
  console.error(`The console was not built: ${error.message}`);
  if (required) process.exitCode = 1;
}
