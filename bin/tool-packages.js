// Packages that are needed to make what is in dist/, and not to run the service, are a package of their own in tools/, which `prepare`
// installs for as long as it works. Those that were installed by hand stay.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const WORDS = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--global=false', '--location=project'];

/** The packages of a folder of tools/, known to be there by one of them; next to the other packages of the program counts too. */
export function toolPackages(name, probe) {
  const folder = join(import.meta.dirname, '../tools', name);
  const marker = join(folder, 'node_modules/.for-prepare');
  const isThere = () => [folder, join(folder, '../..')].some((root) => existsSync(join(root, 'node_modules', probe)));
  return {
    /** Installs them unless they are there. */
    async fetch() {
      if (isThere()) return;
      const { npm_execpath: npm = '', npm_node_execpath: node = process.execPath } = process.env;
      const [command, ...words] = npm.endsWith('.js') ? [node, npm, ...WORDS] : ['npm', ...WORDS];
      await promisify(execFile)(command, words, {
        cwd: folder,
        shell: command === 'npm' && process.platform === 'win32',
      });
      await writeFile(marker, '');
    },
    /** Removes what `fetch` installed. */
    async drop() {
      if (existsSync(marker)) await rm(join(folder, 'node_modules'), { recursive: true, force: true });
    },
  };
}
