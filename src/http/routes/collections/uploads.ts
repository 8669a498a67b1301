import { isLocalUser, type Principal } from '../../../auth/principal.ts';
import { acceptedLanguage } from '../../../messages/languages.ts';
import type { Config } from '../../../config/settings.ts';
import type { Task } from '../../../jobs/task.ts';
import type { BatchRequest, CollectionService } from '../../../service/collections/collections.ts';
import { principalOf, type AnyReply, type AnyRequest, type App } from '../../server/app.ts';
import {
  batchOf,
  fileOf,
  readBatch,
  readingChange,
  readingOf,
  readStage,
  repeatOf,
  STAGE_FIELDS,
  wantFile,
  type BatchForm,
  type FormDeps,
} from './forms.ts';
import { BatchBody, BatchFields, StageBody, WorkSchema, type WorkView } from './schemas.ts';
import { PreviewSchema, previewView } from '../locations/preview.ts';
import { workView } from './view.ts';
import { compileValidator } from '../../problems/check-body.ts';
import { IdempotencyHeaders } from '../../guards/request-headers.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { leavingSignal } from '../../guards/leaving-signal.ts';
import { setRetryAfter } from '../tasks/task-view.ts';
import { acceptUploads, refused, wantDryRun } from '../../uploads/upload-parsing.ts';
import type { UploadFolder } from '../../uploads/upload-folder.ts';
import { receiveForm, type Upload, type UploadForm } from '../../uploads/upload.ts';

interface CollectionUploadDeps extends FormDeps {
  readonly collections: CollectionService;
  readonly uploads: UploadFolder;
  readonly config: FormDeps['config'] & Pick<Config, 'maxCollectionMb' | 'maxFeatures'>;
}

/** `POST /stage_plots` and `POST /batch_process`. */
export function collectionUploadRoutes(deps: CollectionUploadDeps) {
  return async (app: App): Promise<void> => {
    await acceptUploads(app);
    addStage(app, deps);
    addBatch(app, deps);
  };
}

const common = {
  config: { access: 'collections' as const },
  // The body is a stream that `receiveForm` reads and checks; its schema is for the reference.
  validatorCompiler: ((part: Parameters<typeof compileValidator>[0]) =>
    part.httpPart === 'body' ? (value: unknown) => ({ value }) : compileValidator(part)) as typeof compileValidator,
};
const previewed = {
  description: 'With `dry_run`: what the file would become. Nothing is kept.',
  content: { 'application/json': { schema: PreviewSchema } },
};
const accepted = {
  202: { description: 'Accepted as a task.', content: { 'application/json': { schema: WorkSchema } } },
  ...problemResponses([
    'malformed_file',
    'invalid_body',
    'collection_not_found',
    'collection_busy',
    'idempotency_mismatch',
    'storage_full',
    'quota_exceeded',
    'queue_full',
  ]),
};

function addStage(app: App, deps: CollectionUploadDeps): void {
  app.post(
    '/stage_plots',
    {
      ...common,
      schema: {
        operationId: 'stagePlots',
        summary: 'Keep a file of locations',
        description:
          'Takes the file and opens it, without reading all of it yet. `POST /batch_process` with `filename` processes it. With `validate_locations` a task validates it at once and keeps one confidence for all of it. With `dry_run` it answers what the file would become and keeps nothing.',
        tags: ['collections'],
        consumes: ['multipart/form-data'],
        headers: IdempotencyHeaders,
        body: StageBody,
        response: {
          200: previewed,
          201: { description: 'Kept.', content: { 'application/json': { schema: WorkSchema } } },
          ...accepted,
        },
      },
    },
    async (request, reply) => {
      await using form = await receive(request, reply, STAGE_FIELDS, deps);
      const fields = readStage(form.fields);
      wantDryRun(fields);
      if (fields.dry_run === true) return await preview(request, reply, form.file, undefined, fields, deps);
      const principal = principalOf(request);
      const { collection, task } = await deps.collections.stage({
        userId: principal.userId,
        isLocalUser: isLocalUser(principal),
        name: fields.collection_name,
        description: fields.description ?? '',
        file: fileOf(wantFile(form.file)),
        reading: readingOf(fields, deps),
        validate: fields.validate_locations ?? false,
        repeat: repeatOf(request, ['stage', fields]),
      });
      const view = workView(collection, task);
      if (task?.status === 'processing') return accept(reply, view, task);
      reply.code(201).header('location', view.collection_url);
      return view;
    },
  );
}

function addBatch(app: App, deps: CollectionUploadDeps): void {
  const known = Object.keys(BatchFields.properties);
  app.post(
    '/batch_process',
    {
      ...common,
      schema: {
        operationId: 'processBatch',
        summary: 'Process a collection',
        description:
          'Reads, validates and measures every location of a file, or of a staged collection named by `filename`, as one task. A collection that is processed again keeps what it has until the new batch is completed. `/batch_progress` follows it; the webhook event `batch_zonal_stats_complete` announces measured plots, `batch_failed` a batch that failed or was cancelled. With `dry_run` it answers what the file would become and keeps nothing.',
        tags: ['collections'],
        consumes: ['multipart/form-data'],
        headers: IdempotencyHeaders,
        body: BatchBody,
        response: { 200: previewed, ...accepted },
      },
    },
    async (request, reply) => {
      await using form = await receive(request, reply, known, deps);
      const fields = readBatch(form.fields);
      wantDryRun(fields);
      const principal = principalOf(request);
      const { userId, email } = principal;
      if (fields.dry_run === true) return await preview(request, reply, form.file, fields.filename, fields, deps);
      const batch = batchOf(fields, repeatOf(request, ['batch', form.fields]), deps);
      const id = await collectionOf(principal, form.file, fields, batch, deps);
      // A new collection was staged as this form reads it.
      const reading = form.file === null ? batch.reading : null;
      const { collection, task } = await deps.collections.process(userId, id, {
        ...batch,
        reading,
        email,
        language: acceptedLanguage(request.headers['accept-language']),
      });
      const isUnsent = batch.options.eudrDds && (await deps.collections.reportAddress(userId, email)) === null;
      return accept(reply, workView(collection, task, isUnsent ? ['no_email_address'] : []), task);
    },
  );
}

/** What a file or a staged collection would become; nothing of it is kept. */
async function preview(
  request: AnyRequest,
  reply: AnyReply,
  file: Upload | null,
  filename: string | undefined,
  fields: Parameters<typeof readingChange>[0],
  deps: CollectionUploadDeps,
): Promise<ReturnType<typeof previewView>> {
  refuseBoth(file, filename);
  const source = filename === undefined ? wantFile(file, OR_FILENAME) : { id: filename };
  const { userId } = principalOf(request);
  const { maxCollectionMb, maxFeatures: mostLocations } = deps.config;
  const terms = { mostBytes: maxCollectionMb * 1e6, mostLocations, fetchData: fields.fetch_data ?? false };
  const change = readingChange(fields, deps);
  return previewView(await deps.collections.preview(userId, source, change, terms, leavingSignal(reply)));
}

const OR_FILENAME = ', or "filename" with the id of a staged collection';

function refuseBoth(file: Upload | null, filename: string | undefined): void {
  if (file !== null && filename !== undefined)
    throw refused('filename', 'file_and_filename', 'The form has both a file and a filename; wanted one of them.');
}

/** The staged collection that `filename` names, or a new one of the file. */
async function collectionOf(
  principal: Principal,
  file: Upload | null,
  { filename, collection_name: name, description = '' }: BatchForm,
  { reading, repeat }: Pick<BatchRequest, 'reading' | 'repeat'>,
  { collections }: CollectionUploadDeps,
): Promise<string> {
  refuseBoth(file, filename);
  if (filename !== undefined) return filename;
  const upload = wantFile(file, OR_FILENAME);
  if (name === undefined)
    throw refused(
      'collection_name',
      'missing',
      'The form field collection_name is missing; wanted a name for the file.',
    );
  const staged = await collections.stage({
    userId: principal.userId,
    isLocalUser: isLocalUser(principal),
    name,
    description,
    file: fileOf(upload),
    reading: reading!.reading,
    validate: false,
    repeat,
  });
  return staged.collection.id;
}

function receive(
  request: AnyRequest,
  reply: AnyReply,
  fields: readonly string[],
  { uploads, config }: CollectionUploadDeps,
): Promise<UploadForm> {
  return receiveForm(request, reply, { folder: uploads, maxBytes: config.maxCollectionMb * 1e6, fields });
}

/** 202 with where to poll and when. */
export function accept(reply: AnyReply, view: WorkView, task: Task | null): WorkView {
  reply.code(202).header('location', view.poll_url ?? view.progress_url);
  setRetryAfter(reply, task);
  return view;
}
