import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { backUp } from '../../app/operate/backup.ts';
import type { Config } from '../../config/settings.ts';
import type { Manifest } from '../../service/backup/archive.ts';
import { commandLog } from '../parts/command-log.ts';
import { barOfSteps } from './backup-progress.ts';
import { type Command, UsageError } from '../command.ts';

export const backup: Command = {
  args: [
    {
      name: 'FILE',
      doc: 'The backup to write, a ZIP archive; a folder gets one named after the time. Nothing is overwritten.',
      required: true,
    },
  ],
  options: {
    'with-sealing-key': {
      type: 'boolean',
      doc: 'Put the key file of the data folder into it as well. Whoever has the backup can then read the secrets in it.',
    },
    'database-only': { type: 'boolean', doc: 'Leave out packs, registries, models and label stores.' },
    'without-objects': {
      type: 'boolean',
      doc: 'Leave the files in the bucket to the object store: uploads, reports and large results.',
    },
    quiet: { type: 'boolean', short: 'q', doc: 'No progress, and no summary.' },
  },
  examples: [
    'npx firstmile backup /backups',
    'DATABASE_URL=postgres://db.internal/firstmile npx firstmile backup /backups/before-upgrade.zip',
  ],
  async run({ args, config, options, out, err }) {
    const path = await fileOf(args[0]);
    const withKey = options['with-sealing-key'] === true;
    if (withKey && config.databaseUrl !== null)
      throw new UsageError('--with-sealing-key: with DATABASE_URL there is no key file; keep SECRETS_KEY yourself');
    const log = commandLog({ ...config, logLevel: config.logLevel === 'info' ? 'warn' : config.logLevel }, err);
    const withData = options['database-only'] !== true;
    const withObjects = options['without-objects'] !== true;
    const bar = barOfSteps(err, options['quiet'] === true);
    const wishes = { path, withKey, withData, withObjects, log, onProgress: bar.update };
    const manifest = await backUp(config, wishes).finally(bar.finish);
    out.write(`${path}\n`);
    if (options['quiet'] !== true) err.write(summary(manifest, config));
    const missing = manifest.missingObjects ?? [];
    if (missing.length === 0) return 0;
    const named = `${missing.slice(0, 5).join(', ')}${missing.length > 5 ? ', …' : ''}`;
    err.write(
      `Not in it, because ${manifest.bucket} does not have them, or not whole: ${missing.length.toLocaleString('en')} ${missing.length === 1 ? 'file' : 'files'} that rows name (${named}). Everything else is in the backup.\n`,
    );
    return 1;
  },
};

/** The file that a folder or a file stands for. */
async function fileOf(text: string): Promise<string> {
  const path = resolve(text);
  const about = await stat(path).catch(() => null);
  if (about?.isDirectory() !== true) return path;
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  return join(path, `firstmile-${time}.zip`);
}

function summary(manifest: Manifest, config: Config): string {
  const lines = [describeBackup(manifest), 'Read back: every checksum agrees.'];
  if (manifest.sealingKey === 'included')
    lines.push('The sealing key is in it: keep it as you would keep the secrets of webhooks themselves.');
  else {
    const key = config.secretsKey === null ? join(config.dataDir, 'secrets.key') : 'SECRETS_KEY';
    lines.push(
      `Not in it: the sealing key (${key}). Secrets stay sealed, so that the backup alone reveals none; keep the key somewhere else, because no service starts on them without it.`,
    );
  }
  if (manifest.bucket !== null && manifest.objects !== 'included')
    lines.push(
      `Not in it: the objects in ${manifest.bucket}, which its rows name. Copy them too, with what your object store offers, and keep deleted versions for as long as backups.`,
    );
  return `${lines.join('\n')}\n`;
}

/** What a backup holds, in one line. */
export function describeBackup({ parts, firstmile, database, madeAt }: Manifest): string {
  const tables = parts.filter(({ rows }) => rows !== undefined);
  const rows = tables.reduce((sum, part) => sum + (part.rows ?? 0), 0);
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0);
  const engine = database.engine === 'embedded' ? 'an embedded database' : 'PostgreSQL';
  return `${tables.length} tables with ${rows.toLocaleString('en')} rows and ${parts.length - tables.length} files, ${(bytes / 1e6).toFixed(1)} MB, of ${engine}, firstmile ${firstmile}, ${madeAt}`;
}
