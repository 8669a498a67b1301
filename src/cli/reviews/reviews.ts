import { openReviewAdmin } from '../../app/reviews/review-admin.ts';
import { MAX_NOTE, REVIEW_STATES, type Review, type ReviewState } from '../../collections/review.ts';
import { type Command, UsageError } from '../command.ts';
import { textTable } from '../parts/text-table.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';
import { readRows } from './rows.ts';

const ID = { name: 'ID', doc: 'Of a collection, or of a task that rated places.', required: true } as const;
const EXAMPLE_ID = '0b6f7f0e-6a0f-4c8e-9d54-0d7d8a9b1c2d';
/** Reviews of a page: with the longest notes it is still one message between the command and a running service. */
const A_PAGE = 1_000;

export const reviewsAdd: Command = {
  args: [ID],
  options: {
    ...USER_OPTION,
    rows: { type: 'string', value: 'ROWS', doc: 'Places of the rows from 0, such as 0,4-9. Needed.' },
    state: { type: 'string', value: 'STATE', doc: `One of ${REVIEW_STATES.join(', ')}. Needed.` },
    note: { type: 'string', value: 'TEXT', doc: `For people; up to ${MAX_NOTE} characters.` },
  },
  examples: [
    `npx firstmile reviews add ${EXAMPLE_ID} --rows 0,4-9 --state accepted --note "Seen on the image of 2024."`,
  ],
  async run({ args, options, config, out, actOf }) {
    const rows = readRows(String(options['rows'] ?? ''));
    const state = readState(options['state']);
    if (state === null) throw new UsageError(`--state: wanted one of ${REVIEW_STATES.join(', ')}`);
    const note = String(options['note'] ?? '');
    if ([...note].length > MAX_NOTE) throw new UsageError(`--note: wanted at most ${MAX_NOTE} characters`);
    const userId = await userIdOf(options['user'], config);
    const { actor, credential, source } = actOf('review_recorded');
    await using opened = await openReviewAdmin(config);
    const id = args[0] ?? '';
    await opened.reviews.addReview({ userId, id, rows, state, note, actor: { actor, credential, source } });
    out.write(`${rows.length === 1 ? '1 row is' : `${rows.length} rows are`} ${state} now.\n`);
    return 0;
  },
};

export const reviewsList: Command = {
  args: [ID],
  options: {
    ...USER_OPTION,
    state: { type: 'string', value: 'STATE', doc: `Only one of ${REVIEW_STATES.join(', ')}.` },
    row: { type: 'string', value: 'N', doc: 'Every review of this row, the newest first; rows count from 0.' },
    json: { type: 'boolean', doc: 'JSON instead of a table.' },
  },
  examples: [
    `npx firstmile reviews list ${EXAMPLE_ID} --state rejected`,
    `npx firstmile reviews list ${EXAMPLE_ID} --row 4`,
  ],
  async run({ args, options, config, out, err }) {
    const [id = ''] = args;
    const state = readState(options['state']);
    const row = options['row'] === undefined ? null : readRows(String(options['row']))[0]!;
    const userId = await userIdOf(options['user'], config);
    await using opened = await openReviewAdmin(config);
    if (row !== null) {
      const found = await opened.reviews.reviewHistory({ userId, id, row });
      if (options['json'] === true) out.write(`${JSON.stringify(found, null, 2)}\n`);
      else if (found.length === 0) err.write('Nobody has reviewed this row.\n');
      else out.write(textTable(HEADINGS, found.map(cells)));
      return 0;
    }
    const listed = [];
    for (let after: number | null = null; ;) {
      const page = await opened.reviews.listReviews({ userId, id, state, limit: A_PAGE, after });
      listed.push(...page.reviews);
      after = page.next;
      if (after !== null) continue;
      if (options['json'] === true) {
        out.write(`${JSON.stringify({ reviews: listed, counts: page.counts }, null, 2)}\n`);
        return 0;
      }
      const rows = listed.map((review) => [String(review.number), ...cells(review)]);
      if (rows.length > 0) out.write(textTable(['row', ...HEADINGS], rows, [0]));
      err.write(`${REVIEW_STATES.map((each) => `${page.counts[each]} ${each}`).join(', ')}.\n`);
      return 0;
    }
  },
};

const HEADINGS = ['state', 'when', 'who', 'note'];

function cells({ state, at, by, note }: Review): readonly string[] {
  return [state, at.slice(0, 16).replace('T', ' '), by, note.replaceAll(/\s+/g, ' ')];
}

function readState(text: string | boolean | undefined): ReviewState | null {
  if (text === undefined) return null;
  const state = REVIEW_STATES.find((each) => each === text);
  if (state === undefined)
    throw new UsageError(`--state: wanted one of ${REVIEW_STATES.join(', ')}, got "${String(text)}"`);
  return state;
}
