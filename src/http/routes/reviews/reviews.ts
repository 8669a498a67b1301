import { Type, type Static } from 'typebox';
import { requireScope } from '../../../auth/authenticate.ts';
import {
  isOfEarlierRun,
  MAX_NOTE,
  MAX_REVIEWED_ROWS,
  REVIEW_STATES,
  type Review,
  type ReviewState,
  type ReviewSubject,
} from '../../../collections/review.ts';
import type { ReviewService } from '../../../service/reviews/reviews.ts';
import { actorOf } from '../../guards/audit.ts';
import { principalOf, type AnyRequest, type App } from '../../server/app.ts';
import { problemResponses } from '../../server/complete-routes.ts';

/** Reviews of one page. */
export const MAX_REVIEW_PAGE = 10_000;

const Params = Type.Object({
  id: Type.String({
    description: 'Of a collection, or of a task that rated places.',
    examples: ['5f0c1e7a-8d0b-4f5e-9b57-0a6d6c1f2e43'],
  }),
});
const RowParams = Type.Object({
  ...Params.properties,
  row: Type.String({
    description: 'Place of the row, from 0: `location_number` of a collection, the place of a feature in the results.',
    examples: ['0'],
  }),
});

const StateSchema = Type.Unsafe<ReviewState>({
  type: 'string',
  enum: [...REVIEW_STATES],
  description: 'open: not decided, or a decision taken back.',
});

/** The last place that the database can number, less one: the row after it is requested. */
const LAST_ROW = 2_147_483_646;

const Body = Type.Object(
  {
    rows: Type.Array(Type.Integer({ minimum: 0, maximum: LAST_ROW }), {
      minItems: 1,
      maxItems: MAX_REVIEWED_ROWS,
      description:
        'Places of the rows, from 0: `location_number` of a collection, the place of a feature in the results.',
      examples: [[0]],
    }),
    state: StateSchema,
    note: Type.Optional(
      Type.String({ maxLength: MAX_NOTE, pattern: '^[^\\u0000]*$', default: '', description: 'For people.' }),
    ),
  },
  { additionalProperties: false, examples: [{ rows: [0], state: 'accepted', note: 'Seen on the image of 2024.' }] },
);

const Query = Type.Object(
  {
    state: Type.Optional(StateSchema),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MAX_REVIEW_PAGE, default: 1_000, description: 'Reviews of a page.' }),
    ),
    after: Type.Optional(
      Type.Integer({ minimum: 0, maximum: LAST_ROW, description: '`next` of the page before.', examples: [999] }),
    ),
  },
  { additionalProperties: false },
);

const fields = {
  state: StateSchema,
  note: Type.String({ description: 'Empty where none was given.' }),
  by: Type.String({
    description:
      'Email of the local user who decided, otherwise the id of the user; `name@machine` of whoever ran a command.',
  }),
  at: Type.String({ format: 'date-time' }),
  of_earlier_run: Type.Boolean({
    description: 'It was made before the collection was processed last: it is about what was found then.',
  }),
};

const ListSchema = Type.Object(
  {
    reviews: Type.Array(Type.Object({ row: Type.Integer({ description: 'From 0.' }), ...fields }), {
      description: 'The newest of each row. A row that nobody has reviewed is not listed.',
    }),
    counts: Type.Object(
      { open: Type.Integer(), reviewed: Type.Integer(), accepted: Type.Integer(), rejected: Type.Integer() },
      { description: 'Of all rows; one that nobody has reviewed is open.' },
    ),
    next: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Give it as `after` to get the next page; null on the last.',
    }),
  },
  { description: 'One page.' },
);

const HistorySchema = Type.Object(
  {
    reviews: Type.Array(
      Type.Object({
        ...fields,
        credential: Type.String({ description: 'What proved who it was, such as `token:<id>`.' }),
      }),
      { description: 'The newest first; empty where nobody has reviewed it.' },
    ),
  },
  { description: 'Every review of the row. None is ever changed.' },
);

const RecordedSchema = Type.Object(
  {
    rows: Type.Integer({ description: 'Different rows it is about.' }),
    state: StateSchema,
    note: Type.String(),
    by: fields.by,
    at: fields.at,
  },
  { description: 'The review as it is kept.' },
);

const tags = ['reviews'];
const missing = problemResponses(['not_found', 'collection_not_ready', 'task_not_ready']);

/** What people decide of rows, next to what the service found: `/reviews/{id}`. */
export function reviewRoutes(reviews: ReviewService) {
  return (app: App): void => {
    recordRoute(app, reviews);
    listRoute(app, reviews);
    historyRoute(app, reviews);
  };
}

function recordRoute(app: App, reviews: ReviewService): void {
  app.post(
    '/reviews/:id',
    {
      config: { access: 'review' },
      schema: {
        operationId: 'recordReview',
        summary: 'Record what you decided about some rows',
        description:
          'Adds a review to each row; earlier ones stay, and the newest counts. It changes no verdict and no score. Needs the scope `review`, and the one that reading the rows needs. Reviews of a collection stay over all its runs, those of a task are deleted with its results. See docs/reviews.md.',
        tags,
        params: Params,
        body: Body,
        response: { 200: RecordedSchema, ...missing, ...problemResponses(['conflict']) },
      },
    },
    async (request) => {
      const { id } = request.params;
      const { rows, state, note = '' } = request.body;
      const userId = await mayRead(reviews, request, id);
      const { at, by } = await reviews.record(userId, id, { rows, state, note, actor: actorOf(request) });
      return { rows: new Set(rows).size, state, note, by, at: at.toISOString() };
    },
  );
}

function listRoute(app: App, reviews: ReviewService): void {
  app.get(
    '/reviews/:id',
    {
      config: { access: 'authenticated' },
      schema: {
        operationId: 'listReviews',
        summary: 'The reviews of a collection or of rated places',
        description:
          'The newest review of each row that has one, in the order of the rows. Needs the scope that reading the rows needs.',
        tags,
        params: Params,
        querystring: Query,
        response: { 200: ListSchema, ...missing },
      },
    },
    async (request) => {
      const { id } = request.params;
      const { state, limit = 1_000, after = null } = request.query;
      const page = { limit, after, ...(state === undefined ? {} : { state }) };
      const found = await reviews.list(await mayRead(reviews, request, id), id, page);
      return {
        reviews: found.reviews.map(({ number, ...review }) => ({
          row: number,
          ...reviewView(review, found.subject),
        })),
        counts: { ...found.counts },
        next: found.next,
      };
    },
  );
}

function historyRoute(app: App, reviews: ReviewService): void {
  app.get(
    '/reviews/:id/:row',
    {
      config: { access: 'authenticated' },
      schema: {
        operationId: 'getReviewHistory',
        summary: 'Every review of one row',
        description: 'Who decided what, when, and with which note. Needs the scope that reading the row needs.',
        tags,
        params: RowParams,
        response: { 200: HistorySchema, ...missing },
      },
    },
    async (request): Promise<Static<typeof HistorySchema>> => {
      const { id, row } = request.params;
      // What is no number is the number of no row: a wrong address is not found, whatever it holds.
      const number = /^\d{1,9}$/.test(row) ? Number(row) : Infinity;
      const { subject, entries } = await reviews.history(await mayRead(reviews, request, id), id, number);
      return {
        reviews: entries.map(({ credential, ...review }) => ({ ...reviewView(review, subject), credential })),
      };
    },
  );
}

/** The caller, who has the scope that reading the rows needs. */
async function mayRead(reviews: ReviewService, request: Pick<AnyRequest, 'principal'>, id: string): Promise<string> {
  const principal = principalOf(request);
  requireScope(principal, await reviews.scopeOf(principal.userId, id));
  return principal.userId;
}

function reviewView({ state, note, by, at }: Review, { completedAt }: ReviewSubject) {
  return { state, note, by, at, of_earlier_run: isOfEarlierRun({ at }, completedAt) };
}
