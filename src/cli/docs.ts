import { resolve } from 'node:path';
import { packageVersion } from '../config/package-version.ts';
import { writeSite } from '../http/pages/site/write-site.ts';
import { writeVersion } from '../http/pages/site/write-versions.ts';
import { type BareCommand, UsageError } from './command.ts';

export const docs: BareCommand = {
  args: [],
  options: {
    out: { type: 'string', value: 'DIR', doc: 'Folder to write into; it is made.' },
    versioned: {
      type: 'boolean',
      doc: 'Writes into a folder of DIR named for the version, keeps those of other versions, and lists them all for a menu on every page.',
    },
  },
  examples: ['npx firstmile docs --out ./site', 'npx firstmile docs --out ./site --versioned'],
  async runBare({ options, err }) {
    const { out, versioned } = options;
    if (typeof out !== 'string') throw new UsageError('--out is missing: wanted a folder');
    const folder = resolve(out);
    const version = packageVersion();
    if (versioned === true) {
      const { written, versions } = await writeVersion(folder, version);
      err.write(`${written} files are in ${resolve(folder, version)}\n`);
      err.write(`${folder} has ${versions.join(', ')}; begin at index.html\n`);
      return 0;
    }
    err.write(`${await writeSite(folder, version)} files are in ${folder}; begin at index.html\n`);
    return 0;
  },
};
