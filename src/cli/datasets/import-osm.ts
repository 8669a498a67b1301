import { basename } from 'node:path';
import { importOsmPack, type ImportedPack } from '../../service/datasets/import-osm.ts';
import { packIdOf } from '../../service/datasets/pack-id.ts';
import type { Command } from '../command.ts';
import { packReport, QUIET_OPTION, readFileArgument, readPackId, runImport } from './import-input.ts';
import { readCoverage } from '../parts/read-places.ts';

export const dataImportOsm: Command = {
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
      doc: 'GeoJSON with the polygons of the area the extract covers; default: the outline of what is in it.',
    },
    quiet: QUIET_OPTION,
  },
  examples: [
    'npx firstmile data import osm ghana-latest.osm.pbf',
    'npx firstmile data import osm extract.osm.pbf --id mill-belt --coverage mill-belt.geojson',
  ],
  async run(context) {
    const path = await readFileArgument(context);
    const id = readPackId(context, packIdOf(basename(path)), path);
    const coverage = await readCoverage(context.options['coverage'] as string | undefined);
    return runImport(
      context,
      ['kB'],
      (bar) => {
        const onProgress = (done: number, total: number): void =>
          bar.update(Math.round(done / 1e3), Math.round(total / 1e3));
        return importOsmPack(context.config, { path, id, coverage, onProgress }, context.signal);
      },
      report,
    );
  },
};

function report({ pack, read }: ImportedPack, seconds: number): string {
  const { id, version } = pack.manifest;
  return [
    packReport(pack),
    `${read.nodes.toLocaleString('en')} nodes, ${read.ways.toLocaleString('en')} ways, ${read.relations.toLocaleString('en')} relations in ${seconds.toFixed(1)} s.${leftOut(read.openAreas)}\n`,
    `Pack ${id}, version ${version}: ${pack.folder}\n`,
    'A running service answers from it at its next request.\n',
  ].join('');
}

function leftOut(openAreas: number): string {
  if (openAreas === 0) return '';
  return openAreas === 1
    ? ' 1 area could not be closed and was left out.'
    : ` ${openAreas.toLocaleString('en')} areas could not be closed and were left out.`;
}
