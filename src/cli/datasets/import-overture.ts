import { importOverturePack, OVERTURE_FROM, type OverturePack } from '../../service/datasets/import-overture.ts';
import { UsageError, type Command } from '../command.ts';
import { packReport, QUIET_OPTION, readPackId, runImport } from './import-input.ts';
import { readBbox } from '../parts/read-places.ts';

export const dataImportOverture: Command = {
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
    quiet: QUIET_OPTION,
  },
  examples: [
    'npx firstmile data import overture --bbox=-2.5,6.2,-1.2,7.1 --id ashanti',
    'npx firstmile data import overture --bbox 101,0.5,102,1.5 --from /data/overture --release 2026-10-21.0',
  ],
  async run(context) {
    const { config, options, signal } = context;
    const box = readBbox(options['bbox'], 'import');
    const id = readPackId(context, 'overture', 'overture');
    const release = (options['release'] as string | undefined) ?? null;
    if (release !== null && !/^[\w.-]+$/.test(release))
      throw new UsageError(`--release: wanted a name, got "${release}"`);
    const from = String(options['from'] ?? OVERTURE_FROM);
    return runImport(
      context,
      ['footers', 'kB'],
      (footers, rows) => {
        const onPlan = (done: number, total: number): void => footers.update(done, total);
        const onProgress = (done: number, total: number): void =>
          rows.update(Math.round(done / 1e3), Math.round(total / 1e3));
        return importOverturePack(config, { id, box, release, from, onPlan, onProgress }, signal);
      },
      report,
    );
  },
};

function report({ pack, release, files, bytes }: OverturePack, seconds: number): string {
  return [
    packReport(pack),
    `Release ${release}: ${files} files, ${(bytes / 1e6).toFixed(1)} MB of rows in ${seconds.toFixed(1)} s.\n`,
    `Pack ${pack.manifest.id}: ${pack.folder}\n`,
    'A running service answers from it at its next request.\n',
  ].join('');
}
