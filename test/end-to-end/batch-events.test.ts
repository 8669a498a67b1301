import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { readConfig } from '../../src/config/settings.ts';
import { openEmails } from '../../src/app/email-admin.ts';
import { oneEngine, type TestDatabase } from '../contracts/engines.ts';
import { madeUpPlots } from './made-up-plots.ts';
import { runService, type RunningProcess } from './run-service.ts';

const KEY = 'internal-key-of-the-end-to-end-tests';
const CSV = 'id,name,lat,lon,area_ha\na,Plot A,4.590001,102.600001,1.5\nb,Plot B,4.600001,102.610001,1.2\n';
/** More rows than this fail the batch that counts them, when the request was accepted already. */
const MAX_FEATURES = 2_000;
const FIELDS = { collection_name: 'lot 7', description: 'Harvest 2026' };

interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>> & { readonly urls?: Readonly<Record<string, string>> };
}
interface Work {
  readonly collection_id: string;
  readonly status: string;
  readonly error: { readonly code: string; readonly detail: string } | null;
  readonly task_id: string;
  readonly warnings?: readonly { readonly code: string; readonly message: string }[];
  readonly locations_confidence: string | null;
}

for (const engine of oneEngine())
  describe(`the end of a batch on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let service: RunningProcess;
    let receiver: Server;
    const received: { readonly path: string; readonly event: Event }[] = [];

    before(async () => {
      receiver = createServer(async (request, response) => {
        const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
        received.push({ path: request.url ?? '', event: JSON.parse(body) as Event });
        response.end();
      });
      await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
      database = await engine.create();
      const env = {
        INTERNAL_API_KEY: KEY,
        WEBHOOK_ALLOW_LOCAL: 'on',
        MAX_FEATURES: String(MAX_FEATURES),
        ...(database.databaseUrl !== null && { DATABASE_URL: database.databaseUrl }),
        ...(database.databaseUrl !== null && { SECRETS_KEY: `one:${Buffer.alloc(32, 7).toString('base64')}` }),
      };
      service = await runService({ env });
    });
    after(async () => {
      await service?.[Symbol.asyncDispose]();
      receiver?.close();
      receiver?.closeAllConnections();
      await database?.drop();
    });

    /** A user of the internal key, with a webhook at a path of its own. */
    async function as(user: string, email: string | null, events?: readonly string[]) {
      const headers: Record<string, string> = { 'x-internal-api-key': KEY, 'x-user-id': user };
      if (email !== null) headers['x-user-email'] = email;
      const call = (path: string, init: RequestInit = {}): Promise<Response> =>
        fetch(`${service.url}${path}`, { ...init, headers: { ...headers, ...(init.headers as object) } });
      const send = (method: string, path: string, body: unknown): Promise<Response> =>
        call(path, { method, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
      const { port } = receiver.address() as AddressInfo;
      const url = `http://127.0.0.1:${port}/${user}`;
      const registered = await send('POST', '/webhooks/register', { url, ...(events && { events }) });
      assert.equal(registered.status, 200);
      return {
        url,
        call,
        send,
        registered: (await registered.json()) as { client_secret: string; events: string[] },
        async batch(file: Blob | string, fields: Record<string, string>, status = 202): Promise<Work> {
          const form = new FormData();
          for (const [name, value] of Object.entries({ ...FIELDS, ...fields })) form.append(name, value);
          form.append('file', typeof file === 'string' ? new Blob([file]) : file, 'plots.csv');
          const answer = await call('/batch_process', { method: 'POST', body: form });
          const text = await answer.text();
          assert.equal(answer.status, status, text);
          return JSON.parse(text) as Work;
        },
        async ended(id: string): Promise<Work> {
          for (;;) {
            const work = (await (await call(`/batch_progress?tracking_id=${id}`)).json()) as Work;
            if (work.status !== 'processing') return work;
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
        },
        /** Its events so far, once `count` of them have arrived. */
        async events(count: number): Promise<readonly Event[]> {
          for (;;) {
            const mine = received.filter(({ path }) => path === `/${user}`).map(({ event }) => event);
            if (mine.length >= count) return mine;
            await new Promise((resolve) => setTimeout(resolve, 50));
          }
        },
        /** Every delivery that was ever recorded for it, whether it has arrived or not. */
        async deliveries(): Promise<readonly string[]> {
          const { deliveries } = (await (await call('/webhooks/deliveries')).json()) as {
            deliveries: { type: string }[];
          };
          return deliveries.map(({ type }) => type);
        },
      };
    }

    const mails = async (to: string) => {
      const config = readConfig(service.settings);
      await using opened = await openEmails(config);
      return (await opened.emails.listEmails({ limit: 100 })).filter((mail) => mail.to === to);
    };

    test('sends batch_zonal_stats_complete where plots were measured, with collection, counts and confidence', async () => {
      const ana = await as('ana', null);
      const begun = await ana.batch(CSV, { validate_locations: 'true' });
      const done = await ana.ended(begun.task_id);
      assert.equal(done.status, 'completed');
      const [event] = await ana.events(1);
      assert.equal(event?.type, 'batch_zonal_stats_complete');
      const { urls, ...data } = event.data;
      assert.deepEqual(data, {
        collection_id: begun.collection_id,
        collection_name: 'lot 7',
        description: 'Harvest 2026',
        counts: { locations: 2, plots: 2, facilities: 0, measured: 2, problems: 0 },
        locations_confidence: done.locations_confidence,
      });
      assert.notEqual(done.locations_confidence, null);
      assert.equal(Object.keys(urls ?? {}).length, 5);
    });

    test('sends nothing of a batch without statistics, or without plots to measure', async () => {
      const ben = await as('ben', null, ['batch_failed']);
      await ben.ended((await ben.batch(CSV, { stats: 'false' })).task_id);
      const mill = 'id,name,lat,lon,type\na,Mill,4.590001,102.600001,facility\n';
      await ben.ended((await ben.batch(mill, { location_type: 'facility' })).task_id);
      assert.deepEqual(await ben.deliveries(), []);
    });

    test('reports a batch that failed by email, and by batch_failed to those who subscribed to it', async () => {
      const cas = await as('cas', 'cas@example.org', ['batch_failed']);
      const dee = await as('dee', 'dee@example.org');
      assert.deepEqual(cas.registered.events, ['batch_zonal_stats_complete', 'test_event', 'batch_failed']);
      assert.deepEqual(dee.registered.events, ['batch_zonal_stats_complete', 'test_event']);
      const rows = Array.from({ length: MAX_FEATURES + 1 }, (_, i) => `${i},Plot ${i},4.59,102.6,1`);
      const large = `id,name,lat,lon,area_ha\n${rows.join('\n')}\n`;
      for (const user of [cas, dee]) {
        const failed = await user.ended((await user.batch(large, {})).task_id);
        assert.deepEqual([failed.status, failed.error?.code], ['failed', 'too_large']);
      }
      const [event] = await cas.events(1);
      assert.equal(event?.type, 'batch_failed');
      assert.equal(event.data['status'], 'failed');
      assert.equal((event.data['error'] as { code: string }).code, 'too_large');
      assert.equal(event.data['collection_name'], 'lot 7');
      assert.equal(typeof (event.data['counts'] as { locations: number }).locations, 'number');
      assert.deepEqual(await cas.deliveries(), ['batch_failed']);
      assert.deepEqual(await dee.deliveries(), []);
      for (const to of ['cas@example.org', 'dee@example.org'])
        assert.deepEqual(
          (await mails(to)).map(({ kind, subject }) => [kind, subject]),
          [['batch_stopped', 'Batch failed: lot 7']],
        );
    });

    test('reports a batch that was cancelled, with its reason', async () => {
      const eve = await as('eve', 'eve@example.org');
      const changed = await eve.send('PATCH', '/webhooks', { events: ['batch_failed'] });
      assert.deepEqual(((await changed.json()) as { events: string[] }).events.at(-1), 'batch_failed');
      const { task_id: id, collection_id: collection } = await eve.batch(madeUpPlots(MAX_FEATURES), {
        validate_locations: 'true',
      });
      assert.equal((await eve.call(`/tasks/${id}`, { method: 'DELETE' })).status, 200);
      const work = await eve.ended(collection);
      assert.deepEqual([work.status, work.error?.code], ['cancelled', 'task_cancelled']);
      const [event] = await eve.events(1);
      assert.deepEqual([event?.type, event?.data['status']], ['batch_failed', 'cancelled']);
      assert.deepEqual(
        (await mails('eve@example.org')).map(({ subject }) => subject),
        ['Batch cancelled: lot 7'],
      );
    });

    test('is not awaited for a file without any location: that is a 400 at once', async () => {
      const fay = await as('fay', null);
      for (const empty of ['id,name,lat,lon\n', '{"type":"FeatureCollection","features":[]}']) {
        const refused = (await fay.batch(empty, {}, 400)) as unknown as { code: string; errors: { code: string }[] };
        assert.deepEqual([refused.code, refused.errors[0]?.code], ['malformed_file', 'no_locations']);
      }
      const { collections } = (await (await fay.call('/get_collections')).json()) as { collections: unknown[] };
      assert.deepEqual(collections, []);
    });

    test('sends the report to the address the request proves, and warns where there is none', async () => {
      const gil = await as('gil', 'gil@example.org');
      const known = await gil.batch(CSV, { eudr_dds: 'true' });
      assert.deepEqual(known.warnings, []);
      assert.equal((await gil.ended(known.task_id)).status, 'completed');
      assert.deepEqual(
        (await mails('gil@example.org')).map(({ kind }) => kind),
        ['report'],
      );
      const hal = await as('hal', null);
      const unknown = await hal.batch(CSV, { eudr_dds: 'true' });
      assert.deepEqual(
        unknown.warnings?.map(({ code }) => code),
        ['no_email_address'],
      );
      assert.match(unknown.warnings?.[0]?.message ?? '', /nothing will be sent/);
      assert.equal((await hal.ended(unknown.task_id)).status, 'completed');
    });

    test('goes to another address after PATCH /webhooks, signed with the same secret', async () => {
      const ida = await as('ida', null, ['batch_failed']);
      const moved = await ida.send('PATCH', '/webhooks', { url: `${ida.url}-moved` });
      assert.equal(moved.status, 200);
      const webhook = (await moved.json()) as { url: string; events: string[] };
      assert.deepEqual([webhook.url, webhook.events.length], [`${ida.url}-moved`, 3]);
      const sent = (await (await ida.call('/webhooks/test', { method: 'POST' })).json()) as {
        delivered: boolean;
        delivery_id: string;
      };
      assert.equal(sent.delivered, true);
      assert.equal(received.filter(({ path }) => path === '/ida-moved').length, 1);
      const { payload } = (await (await ida.call(`/webhooks/deliveries/${sent.delivery_id}`)).json()) as {
        payload: string;
      };
      const t = Math.floor(Date.now() / 1000);
      const digest = createHmac('sha256', ida.registered.client_secret).update(`${t}.${payload}`).digest('hex');
      const verify = await ida.send('POST', '/webhooks/verify', { body: payload, signature: `t=${t}, v1=${digest}` });
      assert.equal(((await verify.json()) as { verified: boolean }).verified, true);
      for (const [body, status] of [
        [{}, 422],
        [{ url: 'http://10.0.0.1/x' }, 422],
        [{ url: 'https://user:secret@example.org/' }, 422],
        [{ events: ['nope'] }, 422],
      ] as const)
        assert.equal((await ida.send('PATCH', '/webhooks', body)).status, status, JSON.stringify(body));
      assert.equal((await ida.call('/webhooks/remove', { method: 'DELETE' })).status, 200);
      assert.equal((await ida.send('PATCH', '/webhooks', { events: [] })).status, 404);
    });
  });
