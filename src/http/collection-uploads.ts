import type { Config } from '../config.ts';
import type { BatchRequest, CollectionService } from '../service/collections.ts';
import { principalOf, type AnyReply, type AnyRequest, type App } from './app.ts';
import {
  batchOf,
  fileOf,
  readBatch,
  readingOf,
  readStage,
  repeatOf,
  STAGE_FIELDS,
  wantFile,
  type BatchForm,
  type FormDeps,
} from './collection-forms.ts';
import { BatchBody, BatchFields, StageBody, WorkSchema, type WorkView } from './collection-schemas.ts';
import { workView } from './collection-view.ts';
import { compileValidator } from './compile-validator.ts';
import { problemResponses } from './complete-routes.ts';
import { POLL_AFTER_S } from './task-view.ts';
import { refused } from './upload-fields.ts';
import type { UploadFolder } from './upload-folder.ts';
import { acceptUploads } from './upload-parsing.ts';
import { receiveForm, type Upload, type UploadForm } from './upload.ts';

export interface CollectionUploadDeps extends FormDeps {
  readonly collections: CollectionService;
  readonly uploads: UploadFolder;
  readonly config: FormDeps['config'] & Pick<Config, 'maxCollectionMb'>;
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
const accepted = {
  202: { description: 'Accepted as a task.', content: { 'application/json': { schema: WorkSchema } } },
  ...problemResponses([
    'malformed_file',
    'invalid_body',
    'collection_not_found',
    'collection_busy',
    'idempotency_mismatch',
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
          'Takes the file and opens it, without reading all of it yet. `POST /batch_process` with `filename` processes it. With `validate_locations` a task validates it at once and keeps one confidence for all of it.',
        tags: ['collections'],
        consumes: ['multipart/form-data'],
        body: StageBody,
        response: {
          201: { description: 'Kept.', content: { 'application/json': { schema: WorkSchema } } },
          ...accepted,
        },
      },
    },
    async (request, reply) => {
      await using form = await receive(request, reply, STAGE_FIELDS, deps);
      const fields = readStage(form.fields);
      const { collection, task } = await deps.collections.stage({
        userId: principalOf(request).userId,
        name: fields.collection_name,
        description: fields.description ?? '',
        file: fileOf(wantFile(form.file)),
        reading: readingOf(fields, deps),
        validate: fields.validate_locations ?? false,
        repeat: repeatOf(request, ['stage', fields]),
      });
      const view = workView(collection, task);
      if (task?.status === 'processing') return accept(reply, view);
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
          'Reads, validates and measures every location of a file, or of a staged collection named by `filename`, as one task. A collection that is processed again keeps what it has until the new batch is completed. `/batch_progress` follows it; the webhook event `batch_zonal_stats_complete` tells of its end.',
        tags: ['collections'],
        consumes: ['multipart/form-data'],
        body: BatchBody,
        response: accepted,
      },
    },
    async (request, reply) => {
      await using form = await receive(request, reply, known, deps);
      const fields = readBatch(form.fields);
      const { userId } = principalOf(request);
      const batch = batchOf(fields, form.fields, repeatOf(request, ['batch', form.fields]), deps);
      const id = await collectionOf(userId, form.file, fields, batch, deps);
      const { collection, task } = await deps.collections.process(userId, id, batch);
      return accept(reply, workView(collection, task));
    },
  );
}

/** The staged collection that `filename` names, or a new one of the file. */
async function collectionOf(
  userId: string,
  file: Upload | null,
  { filename, collection_name: name, description = '' }: BatchForm,
  { reading, repeat }: BatchRequest,
  { collections }: CollectionUploadDeps,
): Promise<string> {
  if (file !== null && filename !== undefined)
    throw refused('filename', 'file_and_filename', 'The form has both a file and a filename; wanted one of them.');
  if (filename !== undefined) return filename;
  const upload = wantFile(file, ', or "filename" with the id of a staged collection');
  if (name === undefined)
    throw refused(
      'collection_name',
      'missing',
      'The form field collection_name is missing; wanted a name for the file.',
    );
  const staged = await collections.stage({
    userId,
    name,
    description,
    file: fileOf(upload),
    reading: reading!,
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

/** 202 with where to ask and when. */
export function accept(reply: AnyReply, view: WorkView): WorkView {
  reply.code(202).headers({ location: view.poll_url ?? view.progress_url, 'retry-after': String(POLL_AFTER_S) });
  return view;
}
