import { Type } from 'typebox';
import type { Config } from '../../../config/settings.ts';
import { Problem } from '../../../errors.ts';
import type { FacilityOptions } from '../../../facilities/options.ts';
import type { Geometry } from '../../../geo/geometry.ts';
import { parseWkt, WktError } from '../../../geo/shapes/wkt.ts';
import { FEATURE_FORMATS, featureFrame } from '../../../locations/formats/feature-text.ts';
import type { FacilityService } from '../../../service/facilities/facilities.ts';
import type { FileWork } from '../../../service/files/file-work.ts';
import { FACILITY_TASK, type FacilityTaskParams } from '../../../service/facilities/facility-task.ts';
import type { Tasks } from '../../../jobs/task.ts';
import { principalOf, type AnyReply, type AnyRequest, type App } from '../../server/app.ts';
import { compileValidator } from '../../problems/check-body.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import {
  FacilityCollection,
  ValidateFacilitiesBody,
  ValidateFacilitiesFields,
  ValidateFacilitiesQuery,
  ValidateFacilityQuery,
} from './schemas.ts';
import { facilityOptions } from '../../uploads/reading-options.ts';
import { IdempotencyHeaders, idempotencyKeyOf } from '../../guards/request-headers.ts';
import { leavingSignal } from '../../guards/leaving-signal.ts';
import { textFieldReader } from '../../uploads/read-text-fields.ts';
import { FEATURE_MEDIA_TYPES, formatOf, sendBytes } from '../../server/send-features.ts';
import { acceptTask, TaskSchema } from '../tasks/task-view.ts';
import type { UploadFolder } from '../../uploads/upload-folder.ts';
import { acceptUploads } from '../../uploads/upload-parsing.ts';
import { fingerprintOf, receiveUpload, type Upload } from '../../uploads/upload.ts';

interface FacilityRouteDeps {
  readonly facilities: FacilityService;
  readonly files: FileWork;
  readonly tasks: Tasks;
  readonly uploads: UploadFolder;
  readonly config: Pick<Config, 'maxUploadMb' | 'checkTimeoutMs'>;
}

const readFields = textFieldReader(ValidateFacilitiesFields, 'form');

/** `GET /validate_facility` and `POST /validate_facilities`. */
export function facilityRoutes(deps: FacilityRouteDeps) {
  return async (app: App): Promise<void> => {
    await acceptUploads(app);
    addValidateFacility(app, deps);
    addValidateFacilities(app, deps);
  };
}

function addValidateFacility(app: App, { facilities, config }: FacilityRouteDeps): void {
  app.get(
    '/validate_facility',
    {
      config: { access: 'validate', produces: FEATURE_MEDIA_TYPES, signable: 'facility receipt' },
      schema: {
        operationId: 'validateFacility',
        summary: 'Rates one place',
        description:
          'How likely the place is a first-mile aggregation point, as a collection with one feature, with a receipt for the score.',
        tags: ['facilities'],
        querystring: ValidateFacilityQuery,
        response: { 200: collectionResponse('The result.'), ...problemResponses(['invalid_geometry']) },
      },
    },
    async (request, reply) => {
      const { geometry, facility_name: name } = request.query;
      const feature = {
        type: 'Feature' as const,
        geometry: geometryOf(geometry),
        properties: name === undefined ? {} : { facility_name: name },
      };
      const options = facilityOptions(request.query, config);
      const rated = await facilities.validateOne(feature, options, leavingSignal(reply));
      const frame = featureFrame(formatOf(request), facilities.columns);
      reply.type(request.accepted);
      return Buffer.from(`${frame.head}${frame.one(rated.feature)}${frame.end(false, rated.aggregate)}`);
    },
  );
}

function addValidateFacilities(app: App, deps: FacilityRouteDeps): void {
  app.post(
    '/validate_facilities',
    {
      config: { access: 'validate', produces: FEATURE_MEDIA_TYPES, signable: 'facility receipt', takesWholeBody: true },
      // The body is a stream that `receiveUpload` reads and checks; its schema is for the reference.
      validatorCompiler: (part) =>
        part.httpPart === 'body' ? (value: unknown) => ({ value }) : compileValidator(part),
      schema: {
        operationId: 'validateFacilities',
        summary: 'Rates many places from a file',
        description:
          'One result feature for each feature of the file, in order, with its id and properties kept; the aggregate comes last. The file may also be the whole body, as `application/geo+json`.',
        tags: ['facilities'],
        consumes: ['multipart/form-data'],
        headers: IdempotencyHeaders,
        body: ValidateFacilitiesBody,
        querystring: ValidateFacilitiesQuery,
        response: {
          200: collectionResponse('The results, streamed.'),
          202: { description: 'Accepted as a task.', content: { 'application/json': { schema: TaskSchema } } },
          ...problemResponses([
            'malformed_file',
            'storage_full',
            'idempotency_conflict',
            'idempotency_mismatch',
            'quota_exceeded',
            'queue_full',
          ]),
        },
      },
    },
    async (request, reply) => {
      await using upload = await receiveUpload(request, reply, {
        folder: deps.uploads,
        maxBytes: deps.config.maxUploadMb * 1e6,
        fields: Object.keys(ValidateFacilitiesFields.properties),
      });
      const options = facilityOptions(readFields(upload.fields), deps.config);
      try {
        if (request.query.async_mode === true) return await submit(request, reply, upload, options, deps);
        const { path, size } = upload;
        const bytes = await deps.files.stream(
          { kind: 'rate_facilities', params: { path, options, format: formatOf(request) } },
          { userId: principalOf(request).userId, size, signal: leavingSignal(reply) },
        );
        await sendBytes(reply, bytes, request.accepted);
      } catch (error) {
        throw withOtherFormats(error);
      }
      return reply;
    },
  );
}

/** Says of a file that is no GeoJSON which endpoint reads it. */
function withOtherFormats(error: unknown): unknown {
  if (!(error instanceof Problem) || !error.errors.some(({ code }) => code === 'not_geojson')) return error;
  return new Problem(
    error.code,
    'The file is not GeoJSON, which is all that is read here; POST /validate_locations reads CSV, Excel, KML and other files too.',
    { errors: error.errors, cause: error },
  );
}

async function submit(
  request: AnyRequest,
  reply: AnyReply,
  upload: Upload,
  options: FacilityOptions,
  { files, tasks }: FacilityRouteDeps,
): Promise<unknown> {
  const { path, size } = upload;
  const { userId } = principalOf(request);
  const features = await files.run(
    { kind: 'inspect_facilities', params: { path } },
    { userId, size, signal: leavingSignal(reply) },
  );
  const params: FacilityTaskParams = { options, format: formatOf(request), features: features as number };
  const key = idempotencyKeyOf(request);
  const task = await tasks.submit({
    kind: FACILITY_TASK,
    userId,
    params,
    input: upload.read(),
    idempotency: key === null ? null : { key, fingerprint: await fingerprintOf(upload, params) },
  });
  return acceptTask(reply, task);
}

function geometryOf(wkt: string): Geometry {
  try {
    return parseWkt(wkt);
  } catch (error) {
    if (!(error instanceof WktError)) throw error;
    const detail = `The query parameter geometry cannot be used. ${error.message}`;
    throw new Problem('invalid_geometry', detail, {
      errors: [{ pointer: '/query/geometry', code: 'invalid', detail: error.message }],
      cause: error,
    });
  }
}

function collectionResponse(description: string): unknown {
  return {
    description,
    content: {
      [FEATURE_FORMATS.geojson]: { schema: FacilityCollection },
      'application/json': { schema: FacilityCollection },
      [FEATURE_FORMATS.ndjson]: {
        schema: Type.String({ description: 'One feature per line, then one line with the aggregate.' }),
      },
      [FEATURE_FORMATS.csv]: {
        schema: Type.String({
          description: 'One row per facility; nested values as JSON text; what nobody could look at is empty.',
        }),
      },
    },
  };
}
