import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Type, type TSchema } from 'typebox';
import type { Config } from '../config.ts';
import { FEATURE_FORMATS, type FeatureFormat } from '../locations/formats/feature-text.ts';
import { locationColumns } from '../locations/location-columns.ts';
import type { LocationOptions } from '../locations/options.ts';
import type { FacilityData } from '../service/facility-data.ts';
import { NORMALIZE_TASK, VALIDATE_TASK, type LocationTaskParams } from '../service/location-task.ts';
import type { LocationService } from '../service/locations.ts';
import { validatedColumns } from '../service/validated-columns.ts';
import { validateLocations, type ValidateLocationsOptions } from '../service/validate-locations.ts';
import type { Tasks } from '../tasks/task.ts';
import { principalOf, type AnyReply, type AnyRequest, type App } from './app.ts';
import { compileValidator } from './compile-validator.ts';
import { problemResponses } from './complete-routes.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { facilityOptions } from './facility-options.ts';
import { locationOptions } from './location-fields.ts';
import {
  LocationsQuery,
  NormalizeBody,
  NormalizedCollection,
  NormalizeFields,
  ValidatedCollection,
  ValidateLocationsBody,
  ValidateLocationsFields,
} from './locations-schemas.ts';
import { textFieldReader } from './read-text-fields.ts';
import { sendFeatures } from './send-features.ts';
import { acceptTask, TaskSchema } from './task-view.ts';
import type { UploadFolder } from './upload-folder.ts';
import { acceptUploads } from './upload-parsing.ts';
import { receiveUpload, type Upload } from './upload.ts';

export interface LocationRouteDeps {
  readonly locations: LocationService;
  /** The same with the limits of a task. */
  readonly asTask: LocationService;
  readonly data: Pick<FacilityData, 'sources' | 'citation'> & Partial<Pick<FacilityData, 'forest'>>;
  readonly tasks: Tasks;
  readonly uploads: UploadFolder;
  readonly config: Pick<Config, 'maxUploadMb' | 'checkTimeoutMs' | 'facilitiesInFlight'>;
}

/** What the two endpoints do not share. */
interface Endpoint {
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
}

const FORMATS = Object.keys(FEATURE_FORMATS) as FeatureFormat[];
const readNormalize = textFieldReader(NormalizeFields, 'form');
const readValidate = textFieldReader(ValidateLocationsFields, 'form');

const ENDPOINTS: readonly Endpoint[] = [
  {
    path: '/normalize_locations',
    operationId: 'normalizeLocations',
    summary: 'Makes clean locations of a file',
    description:
      'Any usual file of places comes out as one feature a row, in order, with nothing dropped: columns and coordinates found out, places without coordinates looked up by their address, every doubt named with its row, column, value and how to fix it.',
    body: NormalizeBody,
    collection: NormalizedCollection,
    fields: Object.keys(NormalizeFields.properties),
    read: (fields, { locations }) => ({
      options: locationOptions(readNormalize(fields), locations.countryCode),
      checks: null,
    }),
  },
  {
    path: '/validate_locations',
    operationId: 'validateLocations',
    summary: 'Validates facilities and plots from one file',
    description:
      'Normalises the file and routes each row: a facility is rated as by `/validate_facilities`, a plot is held to the rules of the EU information system and compared with the rest of the batch.',
    body: ValidateLocationsBody,
    collection: ValidatedCollection,
    fields: Object.keys(ValidateLocationsFields.properties),
    read: (fields, { locations, config }) => {
      const values = readValidate(fields);
      return {
        options: locationOptions(values, locations.countryCode),
        checks: { facility: facilityOptions(values, config), repair: values.repair ?? false },
      };
    },
  },
];

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
      config: { access: 'validate', produces: FORMATS.map((format) => FEATURE_FORMATS[format]) },
      // The body is a stream that `receiveUpload` reads and checks; its schema is for the reference.
      validatorCompiler: (part) =>
        part.httpPart === 'body' ? (value: unknown) => ({ value }) : compileValidator(part),
      schema: {
        operationId: endpoint.operationId,
        summary: endpoint.summary,
        description: endpoint.description,
        tags: ['locations'],
        consumes: ['multipart/form-data'],
        body: endpoint.body,
        querystring: LocationsQuery,
        response: {
          200: collectionResponse(endpoint.collection),
          202: { description: 'Accepted as a task.', content: { 'application/json': { schema: TaskSchema } } },
          ...problemResponses(['malformed_file', 'idempotency_conflict', 'idempotency_mismatch', 'queue_full']),
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
      if (request.query.async_mode === true) return await submit(request, reply, upload, order, deps);
      return await answer(request, reply, upload, order, deps);
    },
  );
}

/** The whole file is read once before the first byte of the answer, so that a broken one is an error and no half answer. */
async function answer(
  request: AnyRequest,
  reply: AnyReply,
  upload: Upload,
  { options, checks }: Order,
  { locations, data, config }: LocationRouteDeps,
): Promise<AnyReply> {
  const abort = new AbortController();
  await using opened = await locations.open(upload.path, options);
  await opened.inspect(abort.signal);
  const format = formatOf(request);
  if (checks === null)
    await sendFeatures(reply, format, { ...opened.normalize(abort.signal), columns: locationColumns }, { abort });
  else
    await sendFeatures(
      reply,
      format,
      { ...validateLocations(opened, data, checks, config, abort.signal), columns: validatedColumns },
      { abort },
    );
  return reply;
}

async function submit(
  request: AnyRequest,
  reply: AnyReply,
  upload: Upload,
  { options, checks }: Order,
  { asTask, tasks }: LocationRouteDeps,
): Promise<unknown> {
  await using opened = await asTask.open(upload.path, options);
  const features = await opened.inspect(new AbortController().signal);
  const params: LocationTaskParams = { options, checks, format: formatOf(request), features };
  const key = idempotencyKeyOf(request);
  const task = await tasks.submit({
    kind: checks === null ? NORMALIZE_TASK : VALIDATE_TASK,
    userId: principalOf(request).userId,
    params,
    input: upload.read(),
    idempotency: key === null ? null : { key, fingerprint: await fingerprintOf(upload, params) },
  });
  return acceptTask(reply, task);
}

async function fingerprintOf({ path }: Upload, params: LocationTaskParams): Promise<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array);
  return hash.update(JSON.stringify(params)).digest();
}

function formatOf(request: Pick<AnyRequest, 'accepted'>): FeatureFormat {
  return FORMATS.find((format) => FEATURE_FORMATS[format] === request.accepted) ?? 'geojson';
}

function collectionResponse(schema: TSchema): unknown {
  return {
    description: 'The results, streamed.',
    content: {
      [FEATURE_FORMATS.geojson]: { schema },
      [FEATURE_FORMATS.ndjson]: {
        schema: Type.String({ description: 'One feature a line, then one line with the aggregate.' }),
      },
      [FEATURE_FORMATS.csv]: { schema: Type.String({ description: 'One row a location.' }) },
    },
  };
}
