import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { MAX_NOTE, MAX_ROW_REVIEWS, type ReviewState } from '../../src/collections/review.ts';
import { createAuditLog } from '../../src/db/audit-log.ts';
import { createCollectionStore, type CollectionStore } from '../../src/db/collections/create-collections.ts';
import { packRecords } from '../../src/db/collections/pack-records.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { createReviewStore } from '../../src/db/reviews/create-reviews.ts';
import { openTasks, type OpenedTasks } from '../../src/db/tasks/open-tasks.ts';
import { fetchRoutes } from '../../src/http/routes/fetch/collections-fetch.ts';
import { reviewRoutes } from '../../src/http/routes/reviews/reviews.ts';
import { createLog } from '../../src/log.ts';
import { exportKey } from '../../src/service/collections/export-collections.ts';
import { createReviewService } from '../../src/service/reviews/reviews.ts';
import { BATCH_OPTIONS, madeUpRecord } from '../memory/collections.ts';
import { testServer } from '../memory/test-server.ts';
import { testEngines, type TestDatabase } from './engines.ts';

const log = createLog({ level: 'silent', json: true });
const PLOTS = 7;

type Answer = {
  code?: string;
  reviews: {
    row: number;
    state: ReviewState;
    note: string;
    by: string;
    of_earlier_run: boolean;
    credential?: string;
  }[];
  counts: Record<ReviewState, number>;
  next: number | null;
};

for (const engine of testEngines())
  describe(`reviews on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let store: Store;
    let collections: CollectionStore;
    let tasks: OpenedTasks;
    let server: ReturnType<typeof testServer>;
    before(async () => {
      database = await engine.create();
      store = await openStore({ dataDir: database.dataDir, databaseUrl: database.databaseUrl, poolSize: 4, log });
      collections = createCollectionStore(store);
      tasks = await openTasks(store, { maxQueued: 100, retentionDays: 7 });
      server = testServer({
        credentials: store.credentials,
        audit: createAuditLog(store.db, 30),
        routes: [
          reviewRoutes(createReviewService(createReviewStore(store))),
          fetchRoutes({ collections, tasks: tasks.tasks, version: '0.0.0-test' }),
        ],
      });
    });
    after(async () => {
      await server?.[Symbol.asyncDispose]();
      await store?.close();
      await database?.drop();
    });

    /** A completed collection in two parts. */
    async function collectionOf(userId: string): Promise<string> {
      const id = randomUUID();
      const file = { name: 'lot.csv', size: 3, sha256: 'f'.repeat(64) };
      const added = { id, userId, name: 'lot', description: '', file, reading: {}, mapping: [], idempotency: null };
      await collections.add(added, async function* () {
        yield Buffer.from('abc');
      });
      await complete(id);
      return id;
    }
    async function complete(id: string, last = PLOTS): Promise<void> {
      const run = randomUUID();
      const lines = Array.from({ length: PLOTS }, (_, i) => JSON.stringify(madeUpRecord(i)));
      for (const [seq, from, to] of [
        [0, 0, 4],
        [1, 4, last],
      ] as const)
        await store.db
          .insertInto('collection_parts')
          .values({
            collection_id: id,
            run,
            seq,
            first_number: from,
            count: to - from,
            summary: '{}',
            bytes: await packRecords(lines.slice(from, to)),
          })
          .execute();
      const counts = { locations: PLOTS, plots: PLOTS, facilities: 0, measured: PLOTS, problems: 0 };
      const values = {
        status: 'completed',
        run,
        counts: JSON.stringify(counts),
        options: JSON.stringify(BATCH_OPTIONS),
      };
      await store.db
        .updateTable('collections')
        .set({ ...values, completed_at: sql<Date>`clock_timestamp()` } as never)
        .where('id', '=', id)
        .execute();
    }
    async function ratedPlaces(userId: string, kind = 'validate_locations', status = 'completed'): Promise<string> {
      const task = await tasks.tasks.submit({ kind, userId, params: {}, input: null, idempotency: null });
      await store.db
        .updateTable('tasks')
        .set({ status: status as 'completed', progress_done: 3, progress_total: 3 })
        .where('id', '=', task.id)
        .execute();
      return task.id;
    }
    function asker({ authorization }: { authorization: string }) {
      return async (method: 'GET' | 'POST', url: string, payload?: object) => {
        const answer = await server.app.inject({
          method,
          url,
          headers: { authorization },
          ...(payload && { payload }),
        });
        return { status: answer.statusCode, text: answer.body, etag: answer.headers['etag'] };
      };
    }
    const read = (text: string) => JSON.parse(text) as Answer;

    it('keeps every review of a row with who, when and why, and counts the newest', async () => {
      const user = await server.login();
      const ask = asker(user);
      const id = await collectionOf(user.userId);
      const made = await ask('POST', `/reviews/${id}`, { rows: [1, 5, 1], state: 'accepted', note: 'seen on site' });
      assert.equal(made.status, 200, made.text);
      assert.equal((JSON.parse(made.text) as { rows: number }).rows, 2);
      await ask('POST', `/reviews/${id}`, { rows: [5], state: 'rejected' });
      const { reviews, counts, next } = read((await ask('GET', `/reviews/${id}`)).text);
      const email = (await store.credentials.userById(user.userId))!.email;
      assert.deepEqual(
        reviews.map(({ row, state, note, by, of_earlier_run: earlier }) => [row, state, note, by, earlier]),
        [
          [1, 'accepted', 'seen on site', email, false],
          [5, 'rejected', '', email, false],
        ],
      );
      assert.deepEqual([counts, next], [{ open: PLOTS - 2, reviewed: 0, accepted: 1, rejected: 1 }, null]);
      const history = read((await ask('GET', `/reviews/${id}/5`)).text).reviews;
      assert.deepEqual(
        history.map(({ state }) => state),
        ['rejected', 'accepted'],
      );
      assert.match(history[0]!.credential!, /^token:/);
      assert.deepEqual(read((await ask('GET', `/reviews/${id}/0`)).text).reviews, []);
    });

    it('lists one state, and pages in the order of the rows', async () => {
      const user = await server.login();
      const ask = asker(user);
      const id = await collectionOf(user.userId);
      await ask('POST', `/reviews/${id}`, { rows: [6, 0, 3, 2], state: 'accepted' });
      await ask('POST', `/reviews/${id}`, { rows: [3], state: 'open', note: 'taken back' });
      const rows: number[] = [];
      for (let after: number | null = null, pages = 0; ; pages++) {
        const query: string = after === null ? '' : `&after=${after}`;
        const page = read((await ask('GET', `/reviews/${id}?state=accepted&limit=2${query}`)).text);
        rows.push(...page.reviews.map(({ row }) => row));
        after = page.next;
        if (after !== null) continue;
        assert.equal(pages, 1);
        assert.deepEqual(page.counts, { open: PLOTS - 3, reviewed: 0, accepted: 3, rejected: 0 });
        break;
      }
      assert.deepEqual(rows, [0, 2, 6]);
    });

    it('stands next to verdicts in every format of the fetch addresses, filters them, and changes none', async () => {
      const user = await server.login();
      const ask = asker(user);
      const id = await collectionOf(user.userId);
      const url = `/fetch_deforestation_check?filename=${id}`;
      const before = await ask('GET', url);
      await ask('POST', `/reviews/${id}`, { rows: [4, 2], state: 'rejected', note: '=1+1, "no"' });
      const after = await ask('GET', url);
      assert.notEqual(after.etag, before.etag);
      const properties = (text: string) =>
        text
          .trim()
          .split('\n')
          .map((line) => (JSON.parse(line) as { properties: Record<string, unknown> }).properties);
      const withoutReview = (all: Record<string, unknown>[]) =>
        all.map((one) => Object.fromEntries(Object.entries(one).filter(([name]) => !name.startsWith('review_'))));
      assert.deepEqual(withoutReview(properties(after.text)), withoutReview(properties(before.text)));
      assert.deepEqual(
        properties(after.text).map((one) => one['review_state']),
        ['open', 'open', 'rejected', 'open', 'rejected', 'open', 'open'],
      );
      const rejected = properties((await ask('GET', `${url}&review_state=rejected`)).text);
      assert.deepEqual(
        rejected.map((one) => [one['location_number'], one['review_note'], one['review_of_earlier_run']]),
        [
          [2, '=1+1, "no"', false],
          [4, '=1+1, "no"', false],
        ],
      );
      const csv = await server.app.inject({
        url: `/fetch_plots?filename=${id}&review_state=rejected`,
        headers: { authorization: user.authorization, accept: 'text/csv' },
      });
      const [head, row] = csv.body.split('\r\n');
      assert.match(head!, /,review_state,review_note,review_by,review_at,review_of_earlier_run,/);
      assert.match(row!, /,rejected,"'=1\+1, ""no""",/);
    });

    it('stays over another run of the collection, and says that it is of an earlier one', async () => {
      const user = await server.login();
      const ask = asker(user);
      const id = await collectionOf(user.userId);
      await ask('POST', `/reviews/${id}`, { rows: [0], state: 'accepted' });
      await complete(id);
      await ask('POST', `/reviews/${id}`, { rows: [1], state: 'accepted' });
      const { reviews } = read((await ask('GET', `/reviews/${id}`)).text);
      assert.deepEqual(
        reviews.map(({ row, of_earlier_run: earlier }) => [row, earlier]),
        [
          [0, true],
          [1, false],
        ],
      );
    });

    it('is counted and listed for the rows there are, where another run reads fewer', async () => {
      const user = await server.login();
      const ask = asker(user);
      const id = await collectionOf(user.userId);
      await ask('POST', `/reviews/${id}`, { rows: [0, 5, 6], state: 'accepted' });
      await complete(id, 5);
      const { reviews, counts } = read((await ask('GET', `/reviews/${id}`)).text);
      assert.deepEqual(
        reviews.map(({ row }) => row),
        [0],
      );
      assert.deepEqual(counts, { open: 4, reviewed: 0, accepted: 1, rejected: 0 });
    });

    it('gives whoever reads a collection the reviews of that moment, and exports of another moment another key', async () => {
      const user = await server.login();
      const ask = asker(user);
      const id = await collectionOf(user.userId);
      const period = {
        start: '2020-12-31',
        end: '2025-12-31',
        filing: { isDayGiven: true, day: '2026-01-01' },
      } as never;
      const untouched = (await collections.get(user.userId, id))!;
      await ask('POST', `/reviews/${id}`, { rows: [0], state: 'accepted' });
      const first = (await collections.get(user.userId, id))!;
      await ask('POST', `/reviews/${id}`, { rows: [0, 5], state: 'rejected' });
      const second = (await collections.get(user.userId, id))!;
      const states = async (collection: typeof first, from = 0) =>
        (await Array.fromAsync(collections.records(collection, from))).map(({ review }) => review?.state ?? null);
      assert.deepEqual(await states(untouched), Array(PLOTS).fill(null));
      assert.deepEqual(await states(first), ['accepted', ...Array(PLOTS - 1).fill(null)]);
      assert.deepEqual(await states(second, 3), [null, null, 'rejected', null]);
      const keys = [untouched, first, second].map((collection) => exportKey([collection], period));
      assert.equal(new Set(keys).size, 3);
    });

    it('reviews rated places until their task is gone, and no other kind of task', async () => {
      const user = await server.login();
      const ask = asker(user);
      const id = await ratedPlaces(user.userId);
      assert.equal((await ask('POST', `/reviews/${id}`, { rows: [2], state: 'reviewed' })).status, 200);
      assert.equal(read((await ask('GET', `/reviews/${id}`)).text).counts.reviewed, 1);
      assert.equal((await ask('POST', `/reviews/${id}`, { rows: [3], state: 'reviewed' })).status, 422);
      const forest = await ratedPlaces(user.userId, 'forest_lookup');
      assert.equal((await ask('GET', `/reviews/${forest}`)).status, 404);
      const running = await ratedPlaces(user.userId, 'validate_facilities', 'processing');
      assert.equal((await ask('GET', `/reviews/${running}`)).status, 409);
      await store.db.deleteFrom('tasks').where('id', '=', id).execute();
      const left = await sql<{ n: number }>`select count(*)::int as n from review_rows where subject = ${id}`.execute(
        store.db,
      );
      assert.deepEqual([left.rows[0]!.n, (await ask('GET', `/reviews/${id}`)).status], [0, 404]);
    });

    it('needs the scope review to record, and the scope of the rows to read', async () => {
      const owner = await server.login();
      const id = await collectionOf(owner.userId);
      const task = await ratedPlaces(owner.userId);
      const login = async (scopes: readonly string[]) => {
        const other = await server.login(scopes as never);
        await store.db.updateTable('collections').set({ user_id: other.userId }).where('id', '=', id).execute();
        await store.db.updateTable('tasks').set({ user_id: other.userId }).where('id', '=', task).execute();
        return asker(other);
      };
      const review = { rows: [0], state: 'accepted' };
      const reader = await login(['collections']);
      assert.equal((await reader('POST', `/reviews/${id}`, review)).status, 403);
      assert.equal((await reader('GET', `/reviews/${id}`)).status, 200);
      assert.equal((await reader('GET', `/reviews/${task}`)).status, 403);
      const reviewer = await login(['review']);
      assert.equal((await reviewer('POST', `/reviews/${id}`, review)).status, 403);
      const rater = await login(['review', 'validate']);
      assert.equal((await rater('POST', `/reviews/${task}`, review)).status, 200);
      assert.equal((await rater('GET', `/reviews/${task}/0`)).status, 200);
      const stranger = asker(await server.login());
      for (const url of [`/reviews/${id}`, `/reviews/${id}/0`, `/reviews/${randomUUID()}`, '/reviews/nonsense'])
        assert.equal((await stranger('GET', url)).status, 404, url);
      assert.equal((await stranger('POST', `/reviews/${id}`, review)).status, 404);
    });

    it('refuses what no review is, and more of one row than there may be', async () => {
      const user = await server.login();
      const ask = asker(user);
      const id = await collectionOf(user.userId);
      const review = { rows: [0], state: 'accepted' };
      for (const wrong of [
        { rows: [] },
        { rows: [PLOTS] },
        { rows: [-1] },
        { rows: [0.5] },
        { state: 'good' },
        { note: 'x'.repeat(MAX_NOTE + 1) },
        { note: 'a\0b' },
        { score: 1 },
      ])
        assert.equal((await ask('POST', `/reviews/${id}`, { ...review, ...wrong })).status, 422, JSON.stringify(wrong));
      assert.equal((await ask('POST', `/reviews/${id}`, { ...review, note: '🌳'.repeat(MAX_NOTE) })).status, 200);
      for (const row of [String(PLOTS), 'x', '-1', '1e3', '99999999999'])
        assert.equal((await ask('GET', `/reviews/${id}/${row}`)).status, 404, row);
      for (const after of ['2147483647', '99999999999', '-1', 'x'])
        assert.equal((await ask('GET', `/reviews/${id}?after=${after}`)).status, 422, after);
      assert.deepEqual(read((await ask('GET', `/reviews/${id}?after=2147483646`)).text).reviews, []);
      const answers = [];
      for (let i = 1; i <= MAX_ROW_REVIEWS; i++) answers.push((await ask('POST', `/reviews/${id}`, review)).status);
      assert.deepEqual([answers.lastIndexOf(200), answers.at(-1)], [MAX_ROW_REVIEWS - 2, 409]);
      assert.equal((await ask('POST', `/reviews/${id}`, { ...review, rows: [0, 1] })).status, 409);
      assert.equal(read((await ask('GET', `/reviews/${id}/1`)).text).reviews.length, 0);
      assert.equal((await ask('POST', `/reviews/${id}`, { ...review, rows: [1] })).status, 200);
    });

    it('records reviews made at the same time one after the other, each with its act', async () => {
      const user = await server.login();
      const ask = asker(user);
      const id = await collectionOf(user.userId);
      const made = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          ask('POST', `/reviews/${id}`, { rows: [0, 1], state: i % 2 === 0 ? 'accepted' : 'rejected', note: `${i}` }),
        ),
      );
      assert.deepEqual([...new Set(made.map(({ status }) => status))], [200]);
      const seqs = await store.db.selectFrom('reviews').select('seq').where('collection_id', '=', id).execute();
      assert.deepEqual(
        seqs.map(({ seq }) => seq).toSorted((a, b) => a - b),
        Array.from({ length: 12 }, (_, i) => i + 1),
      );
      assert.equal((await collections.get(user.userId, id))!.reviews, 12);
      const acts = await store.db.selectFrom('audit_log').select(['act', 'detail']).where('target', '=', id).execute();
      assert.equal(acts.length, 12);
      assert.deepEqual([acts[0]!.act, acts[0]!.detail['rows']], ['review_recorded', 2]);
      assert.doesNotMatch(JSON.stringify(acts), /note/);
    });

    it('goes with its collection', async () => {
      const user = await server.login();
      const id = await collectionOf(user.userId);
      await asker(user)('POST', `/reviews/${id}`, { rows: [0, 1, 2], state: 'accepted' });
      assert.equal(await collections.delete(user.userId, id), 'deleted');
      const { rows } = await sql<{ n: number }>`
        select (select count(*) from reviews where collection_id = ${id})::int
          + (select count(*) from review_rows where subject = ${id})::int as n`.execute(store.db);
      assert.equal(rows[0]!.n, 0);
    });
  });
