import { resolve } from 'node:path';
import { packageVersion } from '../config/package-version.ts';
import { writeSite } from '../http/pages/site/write-site.ts';
import { type BareCommand, UsageError } from './command.ts';

export const docs: BareCommand = {
  args: [],
  options: { out: { type: 'string', value: 'DIR', doc: 'Folder to write into; it is made.' } },
  examples: ['npx firstmile docs --out ./site'],
  async runBare({ options, err }) {
    const { out } = options;
    if (typeof out !== 'string') throw new UsageError('--out is missing: wanted a folder');
    const folder = resolve(out);
    err.write(`${await writeSite(folder, packageVersion())} files are in ${folder}; begin at index.html\n`);
    return 0;
  },
};
