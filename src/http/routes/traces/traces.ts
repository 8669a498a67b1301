import { Type, type Static } from 'typebox';
import { parseExclude } from '../../../collections/due-diligence/exclude.ts';
import { Problem } from '../../../errors.ts';
import type { FilingRequest, TracesService } from '../../../service/traces/traces.ts';
import type { FilingAnswers } from '../../../traces/draft/complete-draft.ts';
import type { Submission } from '../../../traces/filing/submission.ts';
import { actorOf } from '../../guards/audit.ts';
import { IdempotencyHeaders, idempotencyKeyOf } from '../../guards/request-headers.ts';
import { principalOf, type App } from '../../server/app.ts';
import { problemResponses } from '../../server/complete-routes.ts';
import { abortedByClose } from '../fetch/collections-fetch.ts';
import { credentialRoutes } from './credentials.ts';
import {
  AmendBody,
  CheckBody,
  CheckSchema,
  EnvironmentSchema,
  SubmissionPageSchema,
  SubmissionSchema,
  SubmitBody,
  RetractBody,
} from './schemas.ts';
import { checkView, submissionView } from './view.ts';

const MAX_PAGE = 100;
/** Answers with 2,000 grouped numbers and 200 commodities need no more. */
const MAX_ANSWERS_BYTES = 1_000_000;

const Params = Type.Object({
  submission_id: Type.String({
    description: 'From the answer that recorded it.',
    examples: ['0d9c2f7e-6f0e-4b3a-9f5d-2f4b8f1f7a10'],
  }),
});
const PageQuery = Type.Object(
  {
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_PAGE, default: 20, description: 'Submissions a page.' }),
    ),
    before: Type.Optional(Type.String({ maxLength: 100, description: '`next` of the previous page.' })),
    collection_id: Type.Optional(Type.String({ maxLength: 100, description: 'Those of one collection.' })),
    environment: Type.Optional(EnvironmentSchema),
  },
  { additionalProperties: false },
);

/** Filing with the EU information system: check, submit, follow, amend, retract. */
export function tracesRoutes(traces: TracesService) {
  return (app: App): void => {
    filingRoutes(app, traces);
    readRoutes(app, traces);
    changeRoutes(app, traces);
    credentialRoutes(app, traces);
  };
}

function filingRoutes(app: App, traces: TracesService): void {
  app.post(
    '/traces/check',
    {
      bodyLimit: MAX_ANSWERS_BYTES,
      config: { access: 'traces' },
      schema: {
        operationId: 'checkFiling',
        summary: 'What is missing before a statement can be filed',
        description:
          'Takes a draft of the due diligence export of a completed collection, adds your answers, and lists what is missing or invalid, each with how it is given. Sends nothing. See docs/filing.md.',
        tags: ['traces'],
        body: CheckBody,
        response: {
          200: CheckSchema,
          ...problemResponses([
            'collection_not_found',
            'collection_not_ready',
            'collection_failed',
            'invalid_body',
            'conflict',
          ]),
        },
      },
    },
    async (request, reply) => {
      const { signal } = abortedByClose(reply);
      return checkView(await traces.check(requestOf(principalOf(request).userId, request.body), signal));
    },
  );

  app.post(
    '/traces/submissions',
    {
      bodyLimit: MAX_ANSWERS_BYTES,
      config: { access: 'traces' },
      schema: {
        operationId: 'submitFiling',
        summary: 'File a statement with the EU information system',
        description:
          'Records the submission and files it exactly once: after a crash or a lost answer the service is queried by the internal reference before anything is sent again. In the acceptance environment unless `environment` says otherwise; production needs the operator’s setting and `confirm`. With `Idempotency-Key` the same request gives the same submission.',
        tags: ['traces'],
        headers: IdempotencyHeaders,
        body: SubmitBody,
        response: {
          202: SubmissionSchema,
          ...problemResponses([
            'collection_not_found',
            'collection_not_ready',
            'collection_failed',
            'filing_incomplete',
            'filing_not_confirmed',
            'filing_credentials_missing',
            'quota_exceeded',
            'conflict',
            'idempotency_mismatch',
            'invalid_body',
          ]),
        },
      },
    },
    async (request, reply) => {
      const { signal } = abortedByClose(reply);
      const wanted = requestOf(principalOf(request).userId, request.body);
      const confirmed = { confirm: request.body.confirm ?? null, by: actorOf(request) };
      const submission = await traces.submit(
        { ...wanted, ...confirmed, idempotencyKey: idempotencyKeyOf(request) },
        signal,
      );
      reply.code(202).header('location', `/traces/submissions/${submission.id}`);
      return view(traces, submission);
    },
  );
}

function readRoutes(app: App, traces: TracesService): void {
  app.get(
    '/traces/submissions',
    {
      config: { access: 'traces', polling: true },
      schema: {
        operationId: 'listSubmissions',
        summary: 'Your submissions, newest first',
        description: 'A page of what you filed or tried to file, with reference and verification numbers.',
        tags: ['traces'],
        querystring: PageQuery,
        response: { 200: SubmissionPageSchema },
      },
    },
    async (request) => {
      const { limit = 20, before, collection_id: collectionId, environment } = request.query;
      const found = await traces.list(principalOf(request).userId, {
        limit: limit + 1,
        ...(before === undefined ? {} : { before }),
        ...(collectionId === undefined ? {} : { collectionId }),
        ...(environment === undefined ? {} : { environment }),
      });
      const shown = found.slice(0, limit);
      return {
        submissions: shown.map((submission) => view(traces, submission)),
        next: found.length > limit ? shown.at(-1)!.id : null,
      };
    },
  );

  app.get(
    '/traces/submissions/:submission_id',
    {
      config: { access: 'traces', polling: true },
      schema: {
        operationId: 'getSubmission',
        summary: 'A submission',
        description: 'Its state, its numbers, why the last call failed, and what can be done with it now.',
        tags: ['traces'],
        params: Params,
        response: { 200: SubmissionSchema, ...problemResponses(['submission_not_found']) },
      },
    },
    async (request) => view(traces, await traces.find(principalOf(request).userId, request.params.submission_id)),
  );

  app.post(
    '/traces/submissions/:submission_id/refresh',
    {
      config: { access: 'traces' },
      schema: {
        operationId: 'refreshSubmission',
        summary: 'Query the status now',
        description:
          'The status is queried by itself 30 minutes after the submission and every 30 minutes then, as the information system wants it. This has it queried now, once a minute at most; read the submission a few seconds later.',
        tags: ['traces'],
        params: Params,
        response: { 200: SubmissionSchema, ...problemResponses(['submission_not_found']) },
      },
    },
    async (request) => view(traces, await traces.refresh(principalOf(request).userId, request.params.submission_id)),
  );
}

const CHANGE_PROBLEMS = problemResponses([
  'submission_not_found',
  'filing_incomplete',
  'filing_not_confirmed',
  'conflict',
  'invalid_body',
]);

function changeRoutes(app: App, traces: TracesService): void {
  app.post(
    '/traces/submissions/:submission_id/cancel',
    {
      config: { access: 'traces' },
      schema: {
        operationId: 'cancelSubmission',
        summary: 'Stop a submission that was not sent yet',
        description: 'Once it was handed over it can only be retracted.',
        tags: ['traces'],
        params: Params,
        response: { 200: SubmissionSchema, ...problemResponses(['submission_not_found', 'conflict']) },
      },
    },
    async (request) => {
      const { userId } = principalOf(request);
      return view(traces, await traces.cancel({ userId, id: request.params.submission_id, by: actorOf(request) }));
    },
  );

  app.post(
    '/traces/submissions/:submission_id/retract',
    {
      bodyLimit: MAX_ANSWERS_BYTES,
      config: { access: 'traces' },
      schema: {
        operationId: 'retractSubmission',
        summary: 'Retract a filed statement',
        description: 'Within 72 hours of its reference number being made available; a declaration at any time.',
        tags: ['traces'],
        params: Params,
        body: RetractBody,
        response: { 202: SubmissionSchema, ...CHANGE_PROBLEMS },
      },
    },
    async (request, reply) => {
      const change = { userId: principalOf(request).userId, id: request.params.submission_id, by: actorOf(request) };
      reply.code(202);
      return view(traces, await traces.retract({ ...change, confirm: request.body.confirm ?? null }));
    },
  );

  app.post(
    '/traces/submissions/:submission_id/amend',
    {
      bodyLimit: MAX_ANSWERS_BYTES,
      config: { access: 'traces' },
      schema: {
        operationId: 'amendSubmission',
        summary: 'Amend a filed statement',
        description:
          'Files the draft of the same collection again, with these answers, in place of what is there; uuid and numbers stay. Give all answers, not only those that change. The activity cannot change.',
        tags: ['traces'],
        params: Params,
        body: AmendBody,
        response: { 202: SubmissionSchema, ...CHANGE_PROBLEMS },
      },
    },
    async (request, reply) => {
      const { signal } = abortedByClose(reply);
      const change = { userId: principalOf(request).userId, id: request.params.submission_id, by: actorOf(request) };
      const { confirm = null, places = 'geometry', exclude = [], answers = {} } = request.body;
      reply.code(202);
      const wanted = { ...change, confirm, places, exclude: excludedBy(exclude), answers: answers as FilingAnswers };
      return view(traces, await traces.amend(wanted, signal));
    },
  );
}

function view(traces: TracesService, submission: Submission): Static<typeof SubmissionSchema> {
  return submissionView(submission, (act) => traces.confirmationOf(submission, act), new Date());
}

function requestOf(userId: string, body: Static<typeof CheckBody>): FilingRequest {
  const {
    collection_id: collectionId,
    statement = 1,
    kind = 'dds',
    places = 'geometry',
    environment = null,
    exclude = [],
    answers = {},
  } = body;
  return {
    userId,
    collectionId,
    statementNumber: statement,
    kind,
    places,
    environment,
    exclude: excludedBy(exclude),
    // Left out and undefined are the same here.
    answers: answers as FilingAnswers,
  };
}

function excludedBy(words: readonly string[]): readonly string[] {
  try {
    return parseExclude(words.join(','));
  } catch (error) {
    const detail = (error as Error).message;
    throw new Problem('invalid_body', detail, { errors: [{ pointer: '/exclude', code: 'invalid', detail }] });
  }
}
