import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FIELDS, type Field } from '../../locations/columns/fields.ts';
import type { LocationOptions } from '../../locations/options.ts';
import { findCrs } from '../../geo/crs/find-crs.ts';
import { commodityName } from '../../facilities/commodity/commodity-names.ts';
import { UsageError, type CommandContext, type CommandOption } from '../command.ts';
import { temporaryFolder } from '../../service/files/temporary-folder.ts';
import { isRecord } from '../../is-record.ts';

/** Options of every command that reads files of locations. */
export const LOCATION_OPTIONS = {
  type: {
    type: 'string',
    value: 'TYPE',
    doc: 'facility or plot for every row; without it each row is routed by what it says and looks like.',
  },
  country: { type: 'string', value: 'COUNTRY', doc: 'Country of rows that name none.' },
  map: {
    type: 'string',
    value: 'JSON',
    doc: `Columns to fields, as {"Koordinat X":"longitude"}; fields: ${FIELDS.join(', ')}.`,
  },
  'no-geocode': { type: 'boolean', doc: 'Do not look up rows without coordinates by their address.' },
  crs: {
    type: 'string',
    value: 'EPSG',
    doc: 'Coordinate system of the coordinates, where the file does not name it, as EPSG:32748.',
  },
  sheet: { type: 'string', value: 'NAME', doc: 'Sheet or layer to read; without it all that hold locations.' },
} as const satisfies Readonly<Record<string, CommandOption>>;

/** The options as typed values. */
export function readLocationOptions(
  { options }: CommandContext,
  countryCode: (text: string) => string | null,
): LocationOptions {
  const text = (name: string): string | null => (typeof options[name] === 'string' ? options[name].trim() : null);
  const [type, country, commodity, crs, sheet] = ['type', 'country', 'commodity', 'crs', 'sheet'].map(text);
  if (type !== null && type !== 'facility' && type !== 'plot')
    throw new UsageError(`--type: wanted facility or plot, got "${type}"`);
  const code = country === null ? null : countryCode(country);
  if (country !== null && code === null)
    throw new UsageError(`--country: wanted an ISO code or a usual name, got "${country}"`);
  const found = crs === null ? null : findCrs(/^\d+$/.test(crs) ? `EPSG:${crs}` : crs);
  if (found !== null && 'refused' in found) throw new UsageError(`--crs: ${found.refused}`);
  return {
    locationType: type,
    commodity: commodityName(commodity),
    country: code,
    mapping: mappingOf(text('map')),
    geocode: options['no-geocode'] !== true,
    crs: found?.name ?? null,
    sheets: sheet === null ? null : [sheet],
  };
}

function mappingOf(text: string | null): Readonly<Record<string, Field | null>> {
  if (text === null) return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new UsageError(`--map: wanted JSON such as {"Koordinat X": "longitude"}, got ${text.slice(0, 60)}`);
  }
  if (!isRecord(parsed)) throw new UsageError('--map: wanted a JSON object, got something else');
  for (const [column, field] of Object.entries(parsed))
    if (field !== null && !(FIELDS as readonly unknown[]).includes(field))
      throw new UsageError(`--map: wanted one of ${FIELDS.join(', ')} for "${column}", got ${JSON.stringify(field)}`);
  return parsed as Readonly<Record<string, Field | null>>;
}

interface LocationInput extends AsyncDisposable {
  readonly path: string;
}

/** A file that can be read more than once: standard input goes to disk first. */
export async function locationInput(argument: string, signal: AbortSignal): Promise<LocationInput> {
  if (argument !== '-') {
    const found = await stat(argument).catch(() => null);
    if (found === null) throw new UsageError(`FILE: there is no file ${argument}`);
    if (!found.isFile()) throw new UsageError(`FILE: ${argument} is not a file`);
    return { path: argument, async [Symbol.asyncDispose]() {} };
  }
  const folder = await temporaryFolder('input');
  const path = join(folder, 'input');
  await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }), { signal });
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
