import { resolve } from 'node:path';
import { checkBackup, restore as restoreBackup } from '../../app/operate/backup.ts';
import type { Manifest } from '../../service/backup/archive.ts';
import { commandLog } from '../parts/command-log.ts';
import type { Command } from '../command.ts';
import { barOfSteps } from './backup-progress.ts';
import { describeBackup } from './backup.ts';

export const restore: Command = {
  args: [{ name: 'FILE', doc: 'A backup that `firstmile backup` wrote.', required: true }],
  options: {
    check: { type: 'boolean', doc: 'Read all of it, compare every checksum, and stop: nothing is restored.' },
    'without-objects': {
      type: 'boolean',
      doc: 'Leave files of a bucket where they are: its rows go on naming those in OBJECT_STORE_URL.',
    },
    quiet: { type: 'boolean', short: 'q', doc: 'No progress.' },
  },
  examples: [
    'npx firstmile restore /backups/firstmile-20261123T020000Z.zip --check',
    'DATA_DIR=/srv/restored npx firstmile restore /backups/firstmile-20261123T020000Z.zip',
  ],
  async run({ args, config, options, out, err }) {
    const path = resolve(args[0]);
    const bar = barOfSteps(err, options['quiet'] === true);
    if (options['check'] === true) {
      const manifest = await checkBackup(path, bar.update).finally(bar.finish);
      out.write(`${path} is whole: ${describeBackup(manifest)}\n`);
      err.write(absentFrom(manifest));
      return 0;
    }
    const log = commandLog({ ...config, logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel }, err);
    const withObjects = options['without-objects'] !== true;
    const wishes = { withObjects, log, onProgress: bar.update };
    const { manifest, rows, files, objects } = await restoreBackup(config, path, wishes).finally(bar.finish);
    const place = config.databaseUrl === null ? config.dataDir : `the database of DATABASE_URL and ${config.dataDir}`;
    out.write(`${rows.toLocaleString('en')} rows and ${files} files are restored into ${place}.\n`);
    if (objects !== null)
      out.write(
        `${objects.count.toLocaleString('en')} files of ${manifest.bucket} are restored into ${objects.place}.\n`,
      );
    if (manifest.sealingKey === 'not included')
      err.write(
        `The sealing key was not in the backup. ${config.databaseUrl === null ? `Put the key file back as ${config.dataDir}/secrets.key, or set SECRETS_KEY,` : 'Set SECRETS_KEY'} before the service starts.\n`,
      );
    if (manifest.bucket !== null && objects === null)
      err.write(
        `Its rows name objects in ${manifest.bucket}, which are not restored. Give the copy that belongs to it with OBJECT_STORE_URL, and never the bucket of a service that still runs: what this database deletes is deleted there.\n`,
      );
    err.write(absentFrom(manifest));
    return 0;
  },
};

const NAMED_AT_MOST = 5;

/** What a backup does not hold in addition to the sealing key and objects that were left out: a line for each. */
export function absentFrom({ parts, bucket, missingObjects = [] }: Manifest): string {
  const lines: string[] = [];
  if (!parts.some(({ name }) => name.startsWith('files/') && name.includes('/', 'files/'.length)))
    lines.push(
      'No packs, registries, models and label stores of a data folder: the backup was made with --database-only, or there were none.',
    );
  if (missingObjects.length > 0) {
    const named = missingObjects.slice(0, NAMED_AT_MOST).join(', ');
    const more = missingObjects.length > NAMED_AT_MOST ? ', …' : '';
    lines.push(
      `${missingObjects.length.toLocaleString('en')} files that its rows name: ${bucket} did not have them, or not whole (${named}${more}).`,
    );
  }
  if (bucket !== null)
    lines.push(
      'Label stores that were built with store build --bucket: they stay where they are, and can be built again with the same command.',
    );
  lines.push('What is made or fetched again by itself: built-in data, caches, map data of AUTO_DATA.');
  return `Not in the backup:\n${lines.map((line) => `- ${line}\n`).join('')}`;
}
