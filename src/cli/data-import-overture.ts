import { importOverturePack, OVERTURE_FROM, type OverturePack } from '../service/packs-import-overture.ts';
import { isPackId } from '../service/packs.ts';
import { UsageError, type Command } from './command.ts';
import { createProgressBar, NO_PROGRESS_BAR } from './progress-bar.ts';
import { readBbox } from './read-bbox.ts';
import { textTable } from './text-table.ts';

export const dataImportOverture: Command = {
  name: 'data import overture',
  summary:
    'Makes a regional pack of a box of Overture Maps: places, buildings, transportation, water and infrastructure.',
  args: [],
  options: {
    bbox: { type: 'string', value: 'W,S,E,N', doc: 'The box, in degrees.' },
    release: { type: 'string', value: 'NAME', doc: 'Such as 2026-10-21.0; default: the newest.' },
    from: {
      type: 'string',
      value: 'URL|DIR',
      doc: `A mirror of the bucket that lists itself as S3 does, or a folder laid out like it; default ${OVERTURE_FROM}.`,
    },
    id: { type: 'string', value: 'NAME', doc: 'Name of the pack; default: overture.' },
    quiet: { type: 'boolean', short: 'q', doc: 'No progress bar and no summary.' },
  },
  examples: [
    'npx firstmile data import overture --bbox -2.5,6.2,-1.2,7.1 --id ashanti',
    'npx firstmile data import overture --bbox 101,0.5,102,1.5 --from /data/overture --release 2026-10-21.0',
  ],
  async run({ config, err, options, signal }) {
    const box = readBbox(options['bbox'], 'import');
    const id = String(options['id'] ?? 'overture');
    if (!isPackId(id)) throw new UsageError(`--id: wanted up to 80 of a-z, 0-9, ".", "_" and "-", got "${id}"`);
    const release = (options['release'] as string | undefined) ?? null;
    if (release !== null && !/^[\w.-]+$/.test(release))
      throw new UsageError(`--release: wanted a name, got "${release}"`);
    const isQuiet = options['quiet'] === true;
    const footers = isQuiet ? NO_PROGRESS_BAR : createProgressBar(err, 'footers');
    const rows = isQuiet ? NO_PROGRESS_BAR : createProgressBar(err, 'kB');
    const begun = performance.now();
    try {
      const imported = await importOverturePack(
        config,
        {
          id,
          box,
          release,
          from: String(options['from'] ?? OVERTURE_FROM),
          onPlan: (done, total) => footers.update(done, total),
          onProgress: (done, total) => rows.update(Math.round(done / 1e3), Math.round(total / 1e3)),
        },
        signal,
      );
      rows.finish();
      if (!isQuiet) err.write(report(imported, (performance.now() - begun) / 1000));
      return 0;
    } finally {
      rows.finish();
    }
  },
};

function report({ pack: { folder, manifest }, release, files, bytes }: OverturePack, seconds: number): string {
  const table = manifest.themes.map(({ theme, features, bytes: size }) => [
    theme,
    features.toLocaleString('en'),
    (size / 1e6).toFixed(1),
  ]);
  return [
    textTable(['theme', 'features', 'MB'], table, [1, 2]),
    `Release ${release}: ${files} files, ${(bytes / 1e6).toFixed(1)} MB of rows in ${seconds.toFixed(1)} s.\n`,
    `Pack ${manifest.id}: ${folder}\n`,
    'A running service answers from it at its next request.\n',
  ].join('');
}
