import { basename, extname } from 'node:path';
import { COMMODITIES, type Commodity } from '../../facilities/commodity/commodities.ts';
import { packIdOf } from '../../service/datasets/pack-id.ts';
import { importRegistry, type ImportedRegistry } from '../../service/datasets/registries.ts';
import { UsageError, type Command } from '../command.ts';
import { QUIET_OPTION, readDate, readFileArgument, readPackId, readText, runImport } from './import-input.ts';

export const dataImportProducers: Command = {
  args: [
    {
      name: 'FILE',
      doc: 'CSV, TSV, XLSX, GeoJSON, KML, GeoPackage, GeoParquet or a zipped shapefile.',
      required: true,
    },
  ],
  options: {
    id: {
      type: 'string',
      value: 'NAME',
      doc: 'Name of the registry; default: that of the file. One of the same name is replaced once the import is done.',
    },
    title: { type: 'string', value: 'TEXT', doc: 'How comments call it; default: its name.' },
    version: { type: 'string', value: 'TEXT', doc: 'Version of the list; default: the beginning of its SHA-256.' },
    date: { type: 'string', value: 'DATE', doc: 'Day, month or year the list describes.' },
    licence: { type: 'string', value: 'TEXT', doc: 'Licence of the list; default: not stated.' },
    attribution: { type: 'string', value: 'TEXT', doc: 'Credit to be shown; default: the title.' },
    commodity: {
      type: 'string',
      value: 'NAMES',
      doc: `Whose chains the records belong to, separated by commas: ${COMMODITIES.join(', ')}; default: not stated, and the records are businesses of every commodity.`,
    },
    names: {
      type: 'string',
      value: 'COLUMNS',
      doc: 'Columns with names, separated by commas; default: found by their headers.',
    },
    'id-column': { type: 'string', value: 'COLUMN', doc: 'Column with the identifier of a record.' },
    lon: { type: 'string', value: 'COLUMN', doc: 'Column with the longitude in degrees.' },
    lat: { type: 'string', value: 'COLUMN', doc: 'Column with the latitude in degrees.' },
    country: { type: 'string', value: 'COLUMN', doc: 'Column with the country, as a code or a name.' },
    quiet: QUIET_OPTION,
  },
  examples: [
    'npx firstmile data import producers universal-mill-list.csv --title "Universal Mill List" --commodity palm --licence CC-BY-4.0',
    'npx firstmile data import producers cooperatives.geojson --names coop_name,acronym',
  ],
  async run(context) {
    const { config, signal } = context;
    const path = await readFileArgument(context);
    const id = readPackId(context, packIdOf(basename(path, extname(path))), path);
    const title = readText(context, 'title') ?? id;
    const request = {
      path,
      id,
      title,
      version: readText(context, 'version'),
      date: readDate(context),
      licence: readText(context, 'licence') ?? 'not stated',
      attribution: readText(context, 'attribution') ?? title,
      commodities: readCommodities(readText(context, 'commodity')),
      columns: columnsOf((name) => readText(context, name)),
    };
    return runImport(
      context,
      ['rows'],
      (bar) => importRegistry(config, { ...request, onProgress: (rows) => bar.update(rows, null) }, signal),
      (read) => report(id, read),
    );
  },
};

function readCommodities(text: string | null): readonly Commodity[] {
  const names = text === null ? [] : text.split(',').map((name) => name.trim().toLowerCase());
  const wrong = names.find((name) => !(COMMODITIES as readonly string[]).includes(name));
  if (wrong !== undefined)
    throw new UsageError(`--commodity: wanted some of ${COMMODITIES.join(', ')}, got "${wrong}"`);
  return names as readonly Commodity[];
}

function columnsOf(text: (name: string) => string | null) {
  const names = text('names')
    ?.split(',')
    .map((name) => name.trim());
  const [id, lon, lat, country] = ['id-column', 'lon', 'lat', 'country'].map(text);
  return {
    ...(names === undefined ? {} : { names }),
    ...(id === null ? {} : { id }),
    ...(lon === null ? {} : { lon }),
    ...(lat === null ? {} : { lat }),
    ...(country === null ? {} : { country }),
  };
}

function report(id: string, { records, columns, nameless, badPlaces }: ImportedRegistry): string {
  const located = records.filter(({ at }) => at !== null).length;
  const number = (count: number): string => count.toLocaleString('en');
  const place = columns.lon === null ? 'the geometry' : `${columns.lon} and ${columns.lat}`;
  return [
    `${number(records.length)} producers, ${number(located)} with a place; names from ${columns.names.join(', ')}, places from ${place}, countries from ${columns.country ?? 'nowhere'}.\n`,
    nameless === 0 ? '' : `Rows without a name, left out: ${number(nameless)}.\n`,
    badPlaces.count === 0
      ? ''
      : `Places that cannot be used: ${number(badPlaces.count)}, the first in row ${badPlaces.firstRow}; producers there are kept without one.\n`,
    `Registry ${id}. A running service uses it from its next request on.\n`,
  ].join('');
}
