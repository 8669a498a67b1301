import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { importOsmPack, type ImportedPack } from '../service/packs-import-osm.ts';
import { isPackId, packIdOf } from '../service/packs.ts';
import { UsageError, type Command, type CommandContext } from './command.ts';
import { createProgressBar, NO_PROGRESS_BAR } from './progress-bar.ts';
import { readCoverage } from './read-coverage.ts';
import { textTable } from './text-table.ts';

export const dataImportOsm: Command = {
  name: 'data import osm',
  summary:
    'Makes a regional pack of an extract of OpenStreetMap: roads, water, buildings, businesses, ports, settlements.',
  args: [{ name: 'FILE', doc: 'An .osm.pbf file, sorted by type and id as extracts are.', required: true }],
  options: {
    id: {
      type: 'string',
      value: 'NAME',
      doc: 'Name of the pack; default: that of the file. A pack of the same name is replaced once the import is done.',
    },
    coverage: {
      type: 'string',
      value: 'FILE',
      doc: 'GeoJSON Polygon or MultiPolygon of the ground the extract knows; default: the outline of what is in it.',
    },
    quiet: { type: 'boolean', short: 'q', doc: 'No progress bar and no summary.' },
  },
  examples: [
    'npx firstmile data import osm ghana-latest.osm.pbf',
    'npx firstmile data import osm extract.osm.pbf --id mill-belt --coverage mill-belt.geojson',
  ],
  async run(context) {
    const { config, err, options, signal } = context;
    const path = context.args[0] ?? '';
    const found = await stat(path).catch(() => null);
    if (found?.isFile() !== true) throw new UsageError(`FILE: there is no file ${path}`);
    const id = idOf(context, path);
    const coverage = await readCoverage(options['coverage'] as string | undefined);
    const isQuiet = options['quiet'] === true;
    const bar = isQuiet ? NO_PROGRESS_BAR : createProgressBar(err, 'kB');
    const begun = performance.now();
    try {
      const onProgress = (done: number, total: number): void =>
        bar.update(Math.round(done / 1e3), Math.round(total / 1e3));
      const imported = await importOsmPack(config, { path, id, coverage, onProgress }, signal);
      bar.finish();
      if (!isQuiet) err.write(report(imported, (performance.now() - begun) / 1000));
      return 0;
    } finally {
      bar.finish();
    }
  },
};

function idOf({ options }: CommandContext, path: string): string {
  const asked = options['id'] as string | undefined;
  const id = asked ?? packIdOf(basename(path));
  if (id !== null && isPackId(id)) return id;
  throw new UsageError(
    `--id: wanted up to 80 of a-z, 0-9, ".", "_" and "-", beginning with a letter or digit, got "${asked ?? path}"`,
  );
}

function report({ pack: { folder, manifest }, read }: ImportedPack, seconds: number): string {
  const { themes, version } = manifest;
  const rows = themes.map(({ theme, features, bytes }) => [
    theme,
    features.toLocaleString('en'),
    (bytes / 1e6).toFixed(1),
  ]);
  const open = read.openAreas === 0 ? '' : `${read.openAreas} areas could not be closed and were left out.\n`;
  return [
    textTable(['theme', 'features', 'MB'], rows, [1, 2]),
    `${read.nodes.toLocaleString('en')} nodes, ${read.ways.toLocaleString('en')} ways, ${read.relations.toLocaleString('en')} relations in ${seconds.toFixed(1)} s. ${open}`,
    `Pack ${manifest.id}, version ${version}: ${folder}\n`,
    'A running service answers from it at its next request.\n',
  ].join('');
}
