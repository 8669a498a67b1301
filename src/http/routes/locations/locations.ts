import { Type, type Static, type TSchema } from 'typebox';
import type { Config } from '../../../config/settings.ts';
import { FEATURE_FORMATS } from '../../../locations/formats/feature-text.ts';
import type { LocationOptions } from '../../../locations/options.ts';
import type { FileWork } from '../../../service/files/file-work.ts';
import { NORMALIZE_TASK, VALIDATE_TASK, type LocationTaskParams } from '../../../service/locations/location-task.ts';
import type { LocationService } from '../../../service/locations/locations.ts';
import type { LocationPreview } from '../../../service/locations/preview-locations.ts';
import type { ValidateLocationsOptions } from '../../../service/plots/evaluate-rows.ts';
import type { Tasks } from '../../../jobs/task.ts';
import { principalOf, type AnyReply, type AnyRequest, type App } from '../../server/app.ts';
import { compileValidator } from '../../problems/check-body.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { IdempotencyHeaders, idempotencyKeyOf } from '../../guards/request-headers.ts';
import { facilityOptions, locationOptions } from '../../uploads/reading-options.ts';
import {
  LocationsQuery,
  NormalizeBody,
  NormalizedCollection,
  NormalizeForm,
  ValidatedCollection,
  ValidateLocationsBody,
  ValidateLocationsFields,
} from './schemas.ts';
import { PreviewSchema, previewView } from './preview.ts';
import { leavingSignal } from '../../guards/leaving-signal.ts';
import { textFieldReader } from '../../uploads/read-text-fields.ts';
import { FEATURE_MEDIA_TYPES, formatOf, sendBytes } from '../../server/send-features.ts';
import { acceptTask, TaskSchema } from '../tasks/task-view.ts';
import type { UploadFolder } from '../../uploads/upload-folder.ts';
import { acceptUploads, wantDryRun } from '../../uploads/upload-parsing.ts';
import { fingerprintOf, receiveUpload, type Upload } from '../../uploads/upload.ts';

interface LocationRouteDeps {
  readonly files: FileWork;
  /** ISO alpha-2 of a country in any usual spelling, or null. */
  readonly countryCode: LocationService['countryCode'];
  readonly tasks: Tasks;
  readonly uploads: UploadFolder;
  readonly config: Pick<Config, 'maxUploadMb' | 'maxFeatures' | 'checkTimeoutMs'>;
}

/** What the two endpoints do not share. */
interface Endpoint {
  /** What a signed answer is, in words. */
  readonly signed: string;
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly body: TSchema;
  readonly collection: TSchema;
  readonly fields: readonly string[];
  readonly read: (fields: Readonly<Record<string, string>>, deps: LocationRouteDeps) => Order;
}

interface Order {
  readonly options: LocationOptions;
  /** Null: nothing is validated. */
  readonly checks: ValidateLocationsOptions | null;
  /** The file is only looked at, with or without fetching what is missing; null: it is worked on. */
  readonly preview: { readonly fetchData: boolean } | null;
}

const readNormalize = textFieldReader(NormalizeForm, 'form');
const readValidate = textFieldReader(ValidateLocationsFields, 'form');

const ENDPOINTS: readonly Endpoint[] = [
  {
    path: '/normalize_locations',
    signed: 'normalised locations',
    operationId: 'normalizeLocations',
    summary: 'Normalise the locations of a file',
    description:
      'Any usual file of places comes out as one feature a row, in order, with nothing dropped: columns and coordinates found out, places without coordinates looked up by their address, every doubt named with its row, column, value and how to fix it. With `dry_run` it answers what the file would become, and keeps nothing.',
    body: NormalizeBody,
    collection: NormalizedCollection,
    fields: Object.keys(NormalizeForm.properties),
    read: (fields, { countryCode }) => {
      const values = readNormalize(fields);
      return { options: locationOptions(values, countryCode), checks: null, preview: previewOf(values) };
    },
  },
  {
    path: '/validate_locations',
    signed: 'receipts of locations',
    operationId: 'validateLocations',
    summary: 'Validate the facilities and plots of a file',
    description:
      'Normalises the file and routes each row: a facility is rated as by `/validate_facilities`, a plot is held to the rules of the EU information system and compared with the rest of the batch. With `dry_run` it answers what the file would become, and keeps nothing.',
    body: ValidateLocationsBody,
    collection: ValidatedCollection,
    fields: Object.keys(ValidateLocationsFields.properties),
    read: (fields, { countryCode, config }) => {
      const values = readValidate(fields);
      return {
        options: locationOptions(values, countryCode),
        checks: { facility: facilityOptions(values, config), repair: values.repair ?? false },
        preview: previewOf(values),
      };
    },
  },
];

function previewOf(form: Static<typeof NormalizeForm>): Order['preview'] {
  wantDryRun(form);
  return form.dry_run === true ? { fetchData: form.fetch_data ?? false } : null;
}

/** `POST /normalize_locations` and `POST /validate_locations`. */
export function locationRoutes(deps: LocationRouteDeps) {
  return async (app: App): Promise<void> => {
    await acceptUploads(app);
    for (const endpoint of ENDPOINTS) addRoute(app, endpoint, deps);
  };
}

function addRoute(app: App, endpoint: Endpoint, deps: LocationRouteDeps): void {
  app.post(
    endpoint.path,
    {
      config: { access: 'validate', produces: FEATURE_MEDIA_TYPES, signable: endpoint.signed, takesWholeBody: true },
      // The body is a stream that `receiveUpload` reads and checks; its schema is for the reference.
      validatorCompiler: (part) =>
        part.httpPart === 'body' ? (value: unknown) => ({ value }) : compileValidator(part),
      schema: {
        operationId: endpoint.operationId,
        summary: endpoint.summary,
        description: `${endpoint.description} The file may also be the whole body, with its own media type such as \`text/csv\`, or as \`application/octet-stream\`.`,
        tags: ['locations'],
        consumes: ['multipart/form-data'],
        headers: IdempotencyHeaders,
        body: endpoint.body,
        querystring: LocationsQuery,
        response: {
          200: collectionResponse(endpoint.collection),
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
        fields: endpoint.fields,
      });
      const order = endpoint.read(upload.fields, deps);
      if (order.preview !== null) return await preview(request, reply, upload, order.options, order.preview, deps);
      if (request.query.async_mode === true) return await submit(request, reply, upload, order, deps);
      return await answer(request, reply, upload, order, deps);
    },
  );
}

/** What the file would become. It is sent as it is, because the schema of this type of answer is that of the results. */
async function preview(
  request: AnyRequest,
  reply: AnyReply,
  { path, size: bytes, filename }: Upload,
  options: LocationOptions,
  { fetchData }: NonNullable<Order['preview']>,
  { files, config: { maxUploadMb, maxFeatures } }: LocationRouteDeps,
): Promise<AnyReply> {
  const size = { bytes, most_bytes: maxUploadMb * 1e6, most_locations: maxFeatures };
  const found = await files.run(
    { kind: 'preview_locations', params: { path, options, preview: { fileName: filename, size, fetchData } } },
    { userId: principalOf(request).userId, size: bytes, signal: leavingSignal(reply) },
  );
  return reply.type('application/json').send(JSON.stringify(previewView(found as LocationPreview)));
}

/** The whole file is read once before the first byte of the answer, so that a broken one is an error and no half answer. */
async function answer(
  request: AnyRequest,
  reply: AnyReply,
  upload: Upload,
  { options, checks }: Order,
  { files }: LocationRouteDeps,
): Promise<AnyReply> {
  const { path, size } = upload;
  const format = formatOf(request);
  const bytes = await files.stream(
    { kind: 'answer_locations', params: { path, options, checks, format } },
    { userId: principalOf(request).userId, size, signal: leavingSignal(reply) },
  );
  await sendBytes(reply, bytes, request.accepted);
  return reply;
}

async function submit(
  request: AnyRequest,
  reply: AnyReply,
  upload: Upload,
  { options, checks }: Order,
  { files, tasks }: LocationRouteDeps,
): Promise<unknown> {
  const { path, size } = upload;
  const { userId } = principalOf(request);
  const features = await files.run(
    { kind: 'inspect_locations', params: { path, options } },
    { userId, size, signal: leavingSignal(reply) },
  );
  const params: LocationTaskParams = {
    options,
    checks,
    format: formatOf(request),
    file: upload.filename?.slice(0, 200) ?? null,
    features: features as number,
  };
  const key = idempotencyKeyOf(request);
  const task = await tasks.submit({
    kind: checks === null ? NORMALIZE_TASK : VALIDATE_TASK,
    userId,
    params,
    input: upload.read(),
    idempotency: key === null ? null : { key, fingerprint: await fingerprintOf(upload, params) },
  });
  return acceptTask(reply, task);
}

function collectionResponse(schema: TSchema): unknown {
  return {
    description: 'The results, streamed; with `dry_run` what the file would become, as application/json.',
    content: {
      [FEATURE_FORMATS.geojson]: { schema },
      'application/json': { schema: Type.Union([schema, PreviewSchema]) },
      [FEATURE_FORMATS.ndjson]: {
        schema: Type.String({ description: 'One feature per line, then one line with the aggregate.' }),
      },
      [FEATURE_FORMATS.csv]: { schema: Type.String({ description: 'One row a location.' }) },
    },
  };
}
