// The outlines of countries and water are 166 MB that only the making of built-in data and base map needs. They are a package apart,
// tools/outlines, which `prepare` installs for as long as it works. One that was installed by hand stays.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const folder = join(import.meta.dirname, '../tools/outlines');
const marker = join(folder, 'node_modules/.for-prepare');
const WORDS = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--global=false', '--location=project'];

/** Whether outlines can be read; those of an older installation next to the other packages count. */
function isThere() {
  const name = 'node_modules/@geo-maps/countries-land-250m';
  return [folder, join(folder, '../..')].some((root) => existsSync(join(root, name)));
}

/** Installs them unless they are there. */
export async function fetchOutlines() {
  if (isThere()) return;
  const { npm_execpath: npm = '', npm_node_execpath: node = process.execPath } = process.env;
  const [command, ...words] = npm.endsWith('.js') ? [node, npm, ...WORDS] : ['npm', ...WORDS];
  await promisify(execFile)(command, words, { cwd: folder, shell: command === 'npm' && process.platform === 'win32' });
  await writeFile(marker, '');
}

/** Removes what `fetchOutlines` installed. */
export async function dropOutlines() {
  if (existsSync(marker)) await rm(join(folder, 'node_modules'), { recursive: true, force: true });
}
