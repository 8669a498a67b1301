import multipart from '@fastify/multipart';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../../errors.ts';
import { nearestName } from '../../nearest-name.ts';
import { isAddedByOthers } from '../problems/read-value.ts';

/** Media types of a body that is the file itself. What it holds decides how it is read. */
export const RAW_MEDIA_TYPES = [
  'application/geo+json',
  'application/json',
  'application/geo+json-seq',
  'application/x-ndjson',
  'application/octet-stream',
  'application/vnd.apache.parquet',
  'application/vnd.google-earth.kml+xml',
  'application/vnd.google-earth.kmz',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/geopackage+sqlite3',
  'application/gpx+xml',
  'application/zip',
  'text/csv',
  'text/tab-separated-values',
] as const;

/**
 * Lets the routes of a scope take uploads as streams: multipart forms, and bodies that are the file itself. Call it
 * inside `app.register(async (scope) => ...)`, because JSON is no longer parsed in that scope.
 */
export async function acceptUploads(scope: FastifyInstance): Promise<void> {
  // Sizes are counted while spooling: the parser would swallow the rest of a too long file before it says so.
  await scope.register(multipart, {
    throwFileSizeLimit: false,
    isPartAFile: (name, type, filename) =>
      name === FILE_PART || filename !== undefined || type === 'application/octet-stream',
    limits: {
      fileSize: Number.MAX_SAFE_INTEGER,
      files: 4,
      fields: 64,
      parts: 68,
      fieldNameSize: 100,
      fieldSize: 1_048_576,
      headerPairs: 32,
    },
  });
  scope.removeContentTypeParser(['application/json', 'text/plain']);
  scope.addContentTypeParser([...RAW_MEDIA_TYPES], (_request, payload, done) => done(null, payload));
}

/** The form fields of an upload as they arrive; throws `Problem('invalid_body')` for one that is not known or comes twice. */
interface UploadFields {
  add(name: string, value: unknown): void;
  readonly values: Readonly<Record<string, string>>;
}

export const FILE_PART = 'file';

export function createUploadFields(known: readonly string[], maxBytes: number): UploadFields {
  const values: Record<string, string> = Object.create(null);
  return {
    values,
    add(name, value) {
      if (!known.includes(name) && isAddedByOthers(name)) return;
      if (!known.includes(name)) throw unknownField(name, known);
      if (name in values) throw refused(name, 'duplicate_field', `The field "${name}" came twice; wanted it once.`);
      // A part of type application/json arrives parsed.
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      if (Buffer.byteLength(text) > maxBytes)
        throw refused(
          name,
          'field_too_long',
          `The field "${name}" is too long; wanted at most ${maxBytes} bytes, got more.`,
        );
      values[name] = text;
    },
  };
}

/** The refusal of a part that the endpoint does not know; names the known part it most resembles. */
export function unknownField(name: string, known: readonly string[]): Problem {
  const choices = [FILE_PART, ...known];
  const nearest = nearestName(name, choices);
  const shown = JSON.stringify(name.slice(0, 100));
  const hint =
    name === 'async_mode'
      ? '; send it in the address: ?async_mode=true.'
      : nearest === null
        ? '.'
        : `; did you mean "${nearest}"?`;
  return refused(
    name,
    'unknown_field',
    `The form has an unknown part; wanted parts named ${choices.join(', ')}, got ${shown}${hint}`,
  );
}

/** The refusal of the part `name` of a form; its pointer is `/form/<name>`. */
export function refused(name: string, code: string, detail: string): Problem {
  return new Problem('invalid_body', detail, { errors: [{ pointer: formPointer(name), code, detail }] });
}

/** @throws Problem where data is to be fetched and the file is not only looked at: nothing would be fetched. */
export function wantDryRun(form: { readonly dry_run?: boolean; readonly fetch_data?: boolean }): void {
  if (form.fetch_data === true && form.dry_run !== true)
    throw refused('fetch_data', 'without_dry_run', 'The form field fetch_data is true without dry_run; wanted both.');
}

export function formPointer(name: string): string {
  return `/form/${name.slice(0, 100)}`;
}
