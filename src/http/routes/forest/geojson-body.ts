import { Problem } from '../../../errors.ts';
import { type Crs, findCrs } from '../../../geo/crs/find-crs.ts';
import { parseJson } from '../../../geo/parse-json.ts';
import type { App } from '../../server/app.ts';
import { FOREST_MEDIA_TYPE } from '../../../service/forest/task.ts';
import { ForestCollection } from './schemas.ts';

/** Nobody nests properties deeper, and writing them back would need as deep a stack. */
const MAX_DEPTH = 64;

/** Media types of a body that holds points. */
export const BODY_TYPES = ['application/json', 'application/geo+json'];

/** Bodies of this scope: JSON and GeoJSON that loses no digit of an id. */
export function acceptGeojson(app: App): void {
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser(BODY_TYPES, { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, parseBody(String(text)));
    } catch (error) {
      done(error as Error);
    }
  });
}

function parseBody(text: string): unknown {
  if (text.trim() === '') throw new Problem('malformed_body', 'The body is empty; wanted JSON.');
  let body: unknown;
  try {
    body = parseJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const detail = error instanceof SyntaxError ? `: ${error.message}` : '';
    throw new Problem('malformed_body', `The body is not JSON${detail}.`, { cause: error });
  }
  if (isDeeper(body, MAX_DEPTH))
    throw new Problem('malformed_body', `The body is nested more than ${MAX_DEPTH} levels deep.`);
  return body;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const member of Object.values(value)) if (isDeeper(member, levels - 1)) return true;
  return false;
}

/** The CRS that a body requests. Throws `Problem('invalid_body')` when it, or a `crs` member of the input, cannot be used. */
export function outputCrsOf(body: { readonly output_crs?: string }): Crs {
  const { crs: stated } = body as { readonly crs?: unknown };
  if (stated !== undefined && stated !== null && !isWgs84(stated))
    throw refusal(
      '/crs',
      'wanted points in longitude, latitude on WGS84 (EPSG:4326), got a crs member that names another CRS',
    );
  const crs = findCrs(body.output_crs ?? 'EPSG:4326');
  if ('refused' in crs) throw refusal('/output_crs', crs.refused);
  return crs;
}

/** The `crs` member of GeoJSON of 2008, which many programs still write. */
function isWgs84(stated: unknown): boolean {
  const name = (stated as { readonly properties?: { readonly name?: unknown } | null }).properties?.name;
  const crs = typeof name === 'string' ? findCrs(name) : null;
  return crs !== null && 'code' in crs && crs.code === 4326;
}

function refusal(pointer: string, detail: string): Problem {
  return new Problem('invalid_body', `${pointer}: ${detail}.`, { errors: [{ pointer, code: 'invalid', detail }] });
}

/** Media types of a collection of patches, the preferred one first. */
export const FOREST_MEDIA_TYPES = [FOREST_MEDIA_TYPE, 'application/json'];

/** The response schema of a collection of patches. */
export function collectionResponse(description: string): unknown {
  return {
    description,
    content: Object.fromEntries(FOREST_MEDIA_TYPES.map((type) => [type, { schema: ForestCollection }])),
  };
}
