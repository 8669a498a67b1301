import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { importParcelPack, isJurisdiction, type ImportedParcels } from '../service/packs-import-parcels.ts';
import { isPackId, packIdOf } from '../service/packs.ts';
import { UsageError, type Command, type CommandContext } from './command.ts';
import { createProgressBar, NO_PROGRESS_BAR } from './progress-bar.ts';
import { readBbox } from './read-bbox.ts';
import { readCoverage } from './read-coverage.ts';

export const dataImportParcels: Command = {
  name: 'data import parcels',
  summary: 'Makes a pack of the parcels of a jurisdiction, such as a county, for the parcel search.',
  args: [
    {
      name: 'FILE',
      doc: 'GeoJSON, a zipped shapefile, GeoPackage, GeoParquet, FlatGeobuf or KML with one polygon a parcel.',
      required: true,
    },
  ],
  options: {
    jurisdiction: {
      type: 'string',
      value: 'CODE',
      doc: 'Whose parcels they are, such as US-WI-025 (state, then the county of FIPS) or CA-BC. Needed.',
    },
    'id-field': { type: 'string', value: 'NAME', doc: 'Field with the identifier of a parcel. Needed.' },
    layer: { type: 'string', value: 'NAME', doc: 'Layer of a file that has several.' },
    bbox: { type: 'string', value: 'W,S,E,N', doc: 'Takes the parcels that touch this box, in degrees.' },
    coverage: {
      type: 'string',
      value: 'FILE',
      doc: 'GeoJSON Polygon or MultiPolygon of the ground whose parcels the file knows, such as the county; default: the outline of the parcels.',
    },
    id: {
      type: 'string',
      value: 'NAME',
      doc: 'Name of the pack; default: that of the file. A pack of the same name is replaced once the import is done.',
    },
    date: {
      type: 'string',
      value: 'DATE',
      doc: 'Day, month or year the parcels describe; default: the day the file was last changed.',
    },
    licence: { type: 'string', value: 'TEXT', doc: 'Licence of the parcels; default: not stated.' },
    attribution: { type: 'string', value: 'TEXT', doc: 'Credit to be shown; default: the name of the file.' },
    quiet: { type: 'boolean', short: 'q', doc: 'No progress bar and no summary.' },
  },
  examples: [
    'npx firstmile data import parcels dane.gpkg --jurisdiction US-WI-025 --id-field PARCELID --licence "Public domain"',
    'npx firstmile data import parcels parcels.zip --jurisdiction US-OR-029 --id-field MAPLOT --coverage county.geojson',
  ],
  async run(context) {
    const { config, err, options, signal } = context;
    const path = context.args[0] ?? '';
    if ((await stat(path).catch(() => null))?.isFile() !== true) throw new UsageError(`FILE: there is no file ${path}`);
    const text = (name: string): string | null => (options[name] as string | undefined)?.trim() || null;
    const request = {
      path,
      id: idOf(context, path),
      jurisdiction: jurisdictionOf(text('jurisdiction')),
      idField: text('id-field') ?? missing('--id-field: wanted the field with the identifier of a parcel, got none'),
      layer: text('layer'),
      box: options['bbox'] === undefined ? null : readBbox(options['bbox'], 'import'),
      coverage: await readCoverage(options['coverage'] as string | undefined),
      date: dateOf(text('date')),
      licence: text('licence') ?? 'not stated',
      attribution: text('attribution') ?? basename(path),
    };
    const isQuiet = options['quiet'] === true;
    const bar = isQuiet ? NO_PROGRESS_BAR : createProgressBar(err, 'rows');
    const begun = performance.now();
    try {
      const onProgress = (done: number, total: number | null): void => bar.update(done, total);
      const imported = await importParcelPack(config, { ...request, onProgress }, signal);
      bar.finish();
      if (!isQuiet) err.write(report(imported, (performance.now() - begun) / 1000));
      return 0;
    } finally {
      bar.finish();
    }
  },
};

function missing(message: string): never {
  throw new UsageError(message);
}

function jurisdictionOf(code: string | null): string {
  if (code !== null && isJurisdiction(code)) return code;
  throw new UsageError(`--jurisdiction: wanted a code such as US-WI-025 or CA-BC, got ${code ?? 'none'}`);
}

function dateOf(date: string | null): string | null {
  if (date === null || /^\d{4}(-\d\d(-\d\d)?)?$/.test(date)) return date;
  throw new UsageError(`--date: wanted a day, month or year such as 2026-11-21, got "${date}"`);
}

const ENDINGS = /\.(geojson|json|zip|gpkg|parquet|geoparquet|fgb|kml|kmz)$/i;

function idOf({ options }: CommandContext, path: string): string {
  const asked = options['id'] as string | undefined;
  const id = asked ?? packIdOf(basename(path).replace(ENDINGS, ''));
  if (id !== null && isPackId(id)) return id;
  throw new UsageError(
    `--id: wanted up to 80 of a-z, 0-9, ".", "_" and "-", beginning with a letter or digit, got "${asked ?? path}"`,
  );
}

function report(imported: ImportedParcels, seconds: number): string {
  const { pack, format, rows, leftOut, nameless, outsideBox, remarks } = imported;
  const { manifest, folder } = pack;
  const [{ features, bytes }] = manifest.themes;
  const number = (count: number): string => count.toLocaleString('en');
  return [
    `${number(features)} parcels (${(bytes / 1e6).toFixed(1)} MB) from ${number(rows)} rows of ${format} in ${seconds.toFixed(1)} s.`,
    ...remarks,
    ...(outsideBox > 0 ? [`${number(outsideBox)} parcels lie outside the box.`] : []),
    ...(leftOut.count > 0
      ? [`${number(leftOut.count)} rows have no area and were left out, the first: ${leftOut.first}.`]
      : []),
    ...(nameless > 0 ? [`${number(nameless)} parcels have no identifier and are named by their row.`] : []),
    `Pack ${manifest.id}, version ${manifest.version}: ${folder}`,
    'A running service answers from it after a restart.',
    '',
  ].join('\n');
}
