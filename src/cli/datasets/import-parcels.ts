import { basename } from 'node:path';
import { importParcelPack, isJurisdiction, type ImportedParcels } from '../../service/datasets/import-parcels.ts';
import { packIdOf } from '../../service/datasets/pack-id.ts';
import { UsageError, type Command } from '../command.ts';
import { QUIET_OPTION, readDate, readFileArgument, readPackId, readText, runImport } from './import-input.ts';
import { readBbox, readCoverage } from '../parts/read-places.ts';

export const dataImportParcels: Command = {
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
      doc: 'GeoJSON with the polygons of the area whose parcels the file knows, such as the county; default: the outline of the parcels.',
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
    quiet: QUIET_OPTION,
  },
  examples: [
    'npx firstmile data import parcels dane.gpkg --jurisdiction US-WI-025 --id-field PARCELID --licence "Public domain"',
    'npx firstmile data import parcels parcels.zip --jurisdiction US-OR-029 --id-field MAPLOT --coverage county.geojson',
  ],
  async run(context) {
    const { config, options, signal } = context;
    const path = await readFileArgument(context);
    const request = {
      path,
      id: readPackId(context, packIdOf(basename(path).replace(ENDINGS, '')), path),
      jurisdiction: jurisdictionOf(readText(context, 'jurisdiction')),
      idField:
        readText(context, 'id-field') ??
        missing('--id-field: wanted the field with the identifier of a parcel, got none'),
      layer: readText(context, 'layer'),
      box: options['bbox'] === undefined ? null : readBbox(options['bbox'], 'import'),
      coverage: await readCoverage(options['coverage'] as string | undefined),
      date: readDate(context),
      licence: readText(context, 'licence') ?? 'not stated',
      attribution: readText(context, 'attribution') ?? basename(path),
    };
    return runImport(
      context,
      ['rows'],
      (bar) => {
        const onProgress = (done: number, total: number | null): void => bar.update(done, total);
        return importParcelPack(config, { ...request, onProgress }, signal);
      },
      report,
    );
  },
};

const ENDINGS = /\.(geojson|json|zip|gpkg|parquet|geoparquet|fgb|kml|kmz)$/i;

function missing(message: string): never {
  throw new UsageError(message);
}

function jurisdictionOf(code: string | null): string {
  if (code !== null && isJurisdiction(code)) return code;
  throw new UsageError(`--jurisdiction: wanted a code such as US-WI-025 or CA-BC, got ${code ?? 'none'}`);
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
    'A running service answers from it at its next request.',
    '',
  ].join('\n');
}
