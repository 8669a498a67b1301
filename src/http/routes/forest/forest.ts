import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { collectionText } from '../../../forest/feature-text.ts';
import type { ForestService } from '../../../service/forest/forest.ts';
import { FOREST_TASK, type ForestTaskParams } from '../../../service/forest/task.ts';
import type { Tasks } from '../../../jobs/task.ts';
import { principalOf, type AnyReply, type AnyRequest, type App } from '../../server/app.ts';
import { bodyChecker, compileValidator, NEVER_CHOSEN, refuseMisplaced } from '../../problems/check-body.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { acceptGeojson, BODY_TYPES, collectionResponse, FOREST_MEDIA_TYPES, outputCrsOf } from './geojson-body.ts';
import {
  ForestLookupBody,
  ForestLookupCheck,
  ForestLookupQuery,
  type ForestLookupRequest,
  ForestTaskSchema,
  forestTaskView,
} from './schemas.ts';
import type { FileWork } from '../../../service/files/file-work.ts';
import { addFalseColour } from './false-colour.ts';
import { addForestTasks } from './tasks.ts';
import { IdempotencyHeaders, idempotencyKeyOf } from '../../guards/request-headers.ts';
import { leavingSignal } from '../../guards/leaving-signal.ts';
import { setRetryAfter } from '../tasks/task-view.ts';

interface ForestRouteDeps {
  readonly forest: Pick<ForestService, 'lookUp'>;
  readonly tasks: Tasks;
  readonly files: Pick<FileWork, 'run'>;
}

/** `/forest_polygon/...`: lookup, state, results and cancellation of a lookup that became a task, and embeddings to look at. */
export function forestRoutes(deps: ForestRouteDeps) {
  return (app: App): void => {
    acceptGeojson(app);
    addForestLookup(app, deps);
    addForestTasks(app, deps.tasks);
    addFalseColour(app, deps.files);
  };
}

function addForestLookup(app: App, { forest, tasks }: ForestRouteDeps): void {
  const checkBody = bodyChecker(ForestLookupCheck);
  app.post(
    '/forest_polygon/lookup',
    {
      config: { access: 'forest', produces: FOREST_MEDIA_TYPES },
      // The reference shows features as they should be; one that is not gets an answer of its own, so `checkBody` decides.
      validatorCompiler: (part) =>
        part.httpPart === 'body' ? (value: unknown) => ({ value }) : compileValidator(part),
      schema: {
        operationId: 'lookUpForestPolygons',
        summary: 'The forest patches that hold points',
        description:
          'For each point the contiguous, spectrally similar forest segment that contains it, with a smoothed boundary. A point without a segment has a null geometry and a warning that says why; the batch never fails because of it.',
        tags: ['forest'],
        querystring: ForestLookupQuery,
        consumes: BODY_TYPES,
        headers: IdempotencyHeaders,
        body: ForestLookupBody,
        response: {
          200: collectionResponse('The patches.'),
          202: { description: 'Accepted as a task.', content: { 'application/json': { schema: ForestTaskSchema } } },
          ...problemResponses(['idempotency_conflict', 'idempotency_mismatch', 'quota_exceeded', 'queue_full']),
        },
      },
    },
    async (request, reply) => {
      const body = checkBody(request.body) as ForestLookupRequest;
      refuseMisplaced(body, MISPLACED);
      const { features, raw_outline: rawOutline = false } = body;
      const crs = outputCrsOf(body);
      if (request.query.async_mode === true)
        return await submit(request, reply, features, { crs: crs.name, rawOutline }, tasks);
      const patches = await forest.lookUp(principalOf(request).userId, features, crs, leavingSignal(reply), rawOutline);
      return reply.type(request.accepted).send(Readable.from(collectionText(features, patches, crs), READABLE));
    },
  );
}

/** What clients write next to the features and goes elsewhere. */
const MISPLACED = { ...NEVER_CHOSEN, async_mode: 'send it in the address: ?async_mode=true' };

const READABLE = { objectMode: false };

async function submit(
  request: AnyRequest,
  reply: AnyReply,
  features: readonly unknown[],
  params: ForestTaskParams,
  tasks: Tasks,
): Promise<unknown> {
  const input = Buffer.from(JSON.stringify(features));
  const key = idempotencyKeyOf(request);
  const fingerprint = createHash('sha256').update(input).update(JSON.stringify(params)).digest();
  const task = await tasks.submit({
    kind: FOREST_TASK,
    userId: principalOf(request).userId,
    params,
    input: Readable.from([input]),
    idempotency: key === null ? null : { key, fingerprint },
  });
  const view = forestTaskView(task);
  setRetryAfter(reply, task);
  return reply.code(202).header('location', view.poll_url).type('application/json').send(view);
}
