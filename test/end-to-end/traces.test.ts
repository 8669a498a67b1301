import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { oneEngine } from '../contracts/engines.ts';
import { FAKE_CREDENTIALS, startFakeTraces, type FakeTraces } from '../traces/fake-traces.ts';
import { find, parse, schemaFault } from '../traces/v3-schema.ts';
import { madeUpPlots } from './made-up-plots.ts';
import { runCommand } from './run-command.ts';
import { runService, type RunningProcess } from './run-service.ts';

interface Seen {
  readonly id: string;
  readonly state: string;
  readonly change: string | null;
  readonly environment: string;
  readonly internal_reference: string;
  readonly reference_number: string | null;
  readonly verification_number: string | null;
  readonly failure: { readonly code: string; readonly detail: string } | null;
  readonly allowed: readonly string[];
  readonly sends: number;
}
interface Checked {
  readonly ready: boolean;
  readonly environment: string;
  readonly issues: readonly { readonly code: string; readonly level: string; readonly field: string }[];
  readonly summary: { readonly plots: number };
  readonly confirm_with: string | null;
}

const DAYS = { monitoring_start: '2018-01-01', monitoring_end: '2024-12-31', validate_locations: 'true' };
const ANSWERS = {
  operatorRole: 'OPERATOR',
  activityType: 'DOMESTIC',
  countryOfActivity: 'DE',
  geoLocationConfidential: false,
  commodities: [
    {
      hsHeading: '1511',
      descriptionOfGoods: 'Palm oil <crude> & "red"',
      netWeight: 1000.5,
      percentageEstimationOrDeviation: 5,
    },
  ],
};
const CREDENTIALS = {
  username: FAKE_CREDENTIALS.username,
  authentication_key: FAKE_CREDENTIALS.authenticationKey,
  client_id: FAKE_CREDENTIALS.clientId,
};

for (const engine of oneEngine())
  describe(`filing with the EU information system (${engine.name})`, { skip: engine.skip }, () => {
    let fake: FakeTraces;
    let service: RunningProcess;
    let dropDatabase: () => Promise<void>;
    let env: Record<string, string>;
    let collection = '';

    before(async () => {
      fake = await startFakeTraces();
      const database = await engine.create();
      dropDatabase = database.drop;
      env = {
        TRACES_TEST_URL: fake.base.replace(/\/$/, ''),
        ...(database.databaseUrl === null
          ? {}
          : { DATABASE_URL: database.databaseUrl, SECRETS_KEY: `test:${Buffer.alloc(32, 7).toString('base64')}` }),
      };
      service = await runService({ env });
      env = { ...env, DATA_DIR: service.dataDir };
      collection = await processed();
    });
    after(async () => {
      await service?.[Symbol.asyncDispose]();
      await fake?.close();
      await dropDatabase?.();
    });

    async function call<T>(
      method: string,
      path: string,
      body?: object,
      headers: Record<string, string> = {},
    ): Promise<{ status: number; body: T }> {
      const response = await service.fetch(path, {
        method,
        headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as T };
    }

    async function processed(): Promise<string> {
      const form = new FormData();
      const fields = { collection_name: 'Lot 7', description: 'Harvest', crop_type: 'palm', stats: 'true', ...DAYS };
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      form.set('file', madeUpPlots(3), 'lot-7.geojson');
      const response = await service.fetch('/batch_process', { method: 'POST', body: form });
      assert.ok(response.ok, await response.clone().text());
      const { collection_id: id } = (await response.json()) as { collection_id: string };
      for (let i = 0; i < 600; i++) {
        const { body } = await call<{ status: string }>('GET', `/collections/${id}`);
        if (body.status === 'completed') return id;
        assert.notEqual(body.status, 'failed');
        await wait(100);
      }
      throw new Error('the batch does not end');
    }

    async function until(id: string, isDone: (seen: Seen) => boolean): Promise<Seen> {
      for (let i = 0; i < 300; i++) {
        const { body } = await call<Seen>('GET', `/traces/submissions/${id}`);
        if (isDone(body)) return body;
        await wait(100);
      }
      throw new Error(`the submission ${id} does not get there`);
    }

    const filed = { collection_id: '', answers: ANSWERS };

    it('lists what is missing before anything is sent', async () => {
      const { status, body } = await call<Checked>('POST', '/traces/check', { collection_id: collection });
      assert.equal(status, 200);
      assert.deepEqual([body.ready, body.environment, body.summary.plots], [false, 'test', 3]);
      const codes = body.issues.map(({ code }) => code);
      for (const code of [
        'role_missing',
        'activity_missing',
        'heading_missing',
        'description_missing',
        'quantity_missing',
        'confidentiality_missing',
        'credentials_missing',
        'synthetic_data',
      ])
        assert.ok(codes.includes(code), `${code} is not in ${codes.join(', ')}`);
      const refused = await call<{ code: string }>('POST', '/traces/submissions', {
        collection_id: collection,
        answers: ANSWERS,
      });
      assert.deepEqual([refused.status, refused.body.code], [409, 'filing_credentials_missing']);
      assert.equal(fake.calls.length, 0);
    });

    it('keeps credentials sealed, and shows them nowhere', async () => {
      assert.equal((await call('PUT', '/traces/credentials/test', CREDENTIALS)).status, 200);
      const status = await call<object>('GET', '/traces');
      assert.doesNotMatch(JSON.stringify(status.body), /n00fake1|fake-auth|eudr-test/);
      assert.deepEqual((await call('POST', '/traces/echo', {})).body, { status: 'OK' });
      for (const environment of ['acceptance', 'production']) {
        const refused = await call<{ code: string }>('PUT', `/traces/credentials/${environment}`, CREDENTIALS);
        assert.deepEqual([refused.status, refused.body.code], [409, 'conflict']);
      }
    });

    it('refuses what is not complete, with every place', async () => {
      const { commodities: _, ...rest } = ANSWERS;
      const { status, body } = await call<{ code: string; errors: readonly { code: string; detail: string }[] }>(
        'POST',
        '/traces/submissions',
        { collection_id: collection, answers: rest },
      );
      assert.deepEqual([status, body.code], [422, 'filing_incomplete']);
      assert.ok(body.errors.some(({ code, detail }) => code === 'heading_missing' && detail.includes('hsHeading')));
      assert.equal(fake.statements.size, 0);
    });

    it('files a statement, keeps its numbers, amends and retracts it', async () => {
      const request = { ...filed, collection_id: collection };
      const first = await call<Seen>('POST', '/traces/submissions', request, { 'idempotency-key': 'lot-7' });
      assert.equal(first.status, 202, JSON.stringify(first.body));
      const again = await call<Seen>('POST', '/traces/submissions', request, { 'idempotency-key': 'lot-7' });
      assert.equal(again.body.id, first.body.id);
      const twice = await call<{ code: string }>('POST', '/traces/submissions', request);
      assert.deepEqual([twice.status, twice.body.code], [409, 'conflict']);
      const seen = await until(first.body.id, ({ state }) => state === 'available');
      assert.match(seen.reference_number ?? '', /^26BE/);
      assert.equal(seen.verification_number?.length, 8);
      assert.deepEqual(seen.allowed, ['amend', 'retract']);
      assert.equal(fake.statements.size, 1);
      const [kept] = fake.statements.values();
      assert.equal(kept?.internalReference, seen.internal_reference);
      const shown = await call<{ submissions: readonly Seen[] }>('GET', `/collections/${collection}`);
      assert.deepEqual(
        shown.body.submissions.map((one) => [one.id, one.reference_number, one.verification_number]),
        [[seen.id, seen.reference_number, seen.verification_number]],
      );
      const pair = { reference_number: seen.reference_number, verification_number: seen.verification_number };
      assert.deepEqual((await call<{ result: string }>('POST', '/traces/verify', pair)).body.result, 'EXISTING_USABLE');
      const retrieved = await call<{
        statement: { commodities: readonly { descriptors: { descriptionOfGoods: string } }[] };
      }>('POST', '/traces/retrieve', pair);
      assert.equal(retrieved.body.statement.commodities[0]?.descriptors.descriptionOfGoods, 'Palm oil <crude> & "red"');

      const moved = await call<{ code: string; errors: readonly { code: string }[] }>(
        'POST',
        `/traces/submissions/${seen.id}/amend`,
        {
          answers: { ...ANSWERS, activityType: 'EXPORT' },
        },
      );
      assert.ok(moved.body.errors.some(({ code }) => code === 'activity_change'));
      const amended = await call<Seen>('POST', `/traces/submissions/${seen.id}/amend`, {
        answers: { ...ANSWERS, comment: 'amended' },
      });
      assert.deepEqual([amended.status, amended.body.change], [202, 'amend']);
      await until(seen.id, ({ change }) => change === null);
      assert.equal(find(kept?.node, 'comment')?.text, 'amended');
      assert.equal((await call('POST', `/traces/submissions/${seen.id}/retract`, {})).status, 202);
      const gone = await until(seen.id, ({ state }) => state === 'withdrawn');
      assert.deepEqual([gone.failure, gone.allowed, fake.statements.size], [null, [], 1]);
    });

    it('shows what the service refused, and files again once it is put right', async () => {
      fake.next('SubmitDds', 'unknown_code');
      const { body } = await call<Seen>('POST', '/traces/submissions', { ...filed, collection_id: collection });
      const refused = await until(body.id, ({ state }) => state === 'refused');
      assert.match(refused.failure?.detail ?? '', /EUDR_SOMETHING_THAT_IS_NEW/);
      fake.next('SubmitDds', 'close_after_storing');
      const next = await call<Seen>('POST', '/traces/submissions', { ...filed, collection_id: collection });
      const found = await until(next.body.id, ({ state }) => state === 'available');
      assert.equal(found.sends, 1);
      const same = [...fake.statements.values()].filter(
        ({ internalReference }) => internalReference === found.internal_reference,
      );
      assert.equal(same.length, 1);
      await call('POST', `/traces/submissions/${found.id}/retract`, {});
      await until(found.id, ({ state }) => state === 'withdrawn');
    });

    it('sends again what never arrived, and follows a rejection', async () => {
      fake.next('SubmitDds', 'close_before_storing', 'reject');
      const { body } = await call<Seen>('POST', '/traces/submissions', { ...filed, collection_id: collection });
      const seen = await until(body.id, ({ state }) => state === 'rejected');
      assert.equal(seen.sends, 2);
    });

    it('lists submissions page by page, those of a user alone', async () => {
      const first = await call<{ submissions: readonly Seen[]; next: string }>(
        'GET',
        `/traces/submissions?limit=2&collection_id=${collection}`,
      );
      const rest = await call<{ submissions: readonly Seen[]; next: null }>(
        'GET',
        `/traces/submissions?limit=100&before=${first.body.next}`,
      );
      const ids = [...first.body.submissions, ...rest.body.submissions].map(({ id }) => id);
      assert.deepEqual([ids.length, new Set(ids).size, rest.body.next], [4, 4, null]);
      assert.equal((await call('GET', '/traces/submissions/5d0c0a8e-2f57-4d3f-9b1a-7f0f5a0b3c21')).status, 404);
    });

    it('is done from the command line, and needs its scope', async () => {
      const bootstrap = ['--user', 'bootstrap'];
      const answers = join(service.dataDir, 'answers.json');
      await writeFile(
        answers,
        JSON.stringify({ ...ANSWERS, commodities: [{ ...ANSWERS.commodities[0], netWeight: null }] }),
      );
      const checked = await runCommand(['traces', 'check', collection, ...bootstrap, '--answers', answers], env);
      assert.equal(checked.code, 1, checked.err);
      assert.match(checked.out, /missing +statement\.commodities\[0\]\.descriptors\.goodsMeasure/);
      const words = [
        'traces',
        'submit',
        collection,
        ...bootstrap,
        '--answers',
        answers,
        '--net-weight',
        '12.5',
        '--json',
      ];
      const submitted = await runCommand(words, env);
      assert.equal(submitted.code, 0, submitted.err);
      const { id } = JSON.parse(submitted.out) as { id: string };
      const seen = await until(id, ({ state }) => state === 'available');
      const shown = await runCommand(['traces', 'status', id, ...bootstrap], env);
      assert.match(shown.out, new RegExp(`Reference number +${seen.reference_number}`));
      assert.match(
        (await runCommand(['traces', 'status', ...bootstrap], env)).out,
        new RegExp(`^${id}\\n +environment +test\\n +state +available$`, 'm'),
      );
      const verified = await runCommand(
        ['traces', 'verify', seen.reference_number!, seen.verification_number!, ...bootstrap],
        env,
      );
      assert.equal(verified.out, 'EXISTING_USABLE (AVAILABLE)\n', verified.err);
      const retracted = await runCommand(['traces', 'retract', id, ...bootstrap], env);
      assert.match(retracted.out, /State +withdrawn/, retracted.err);
      const production = await runCommand(
        ['traces', 'check', collection, ...bootstrap, '--environment', 'production'],
        env,
      );
      assert.match(production.err, /TRACES_PRODUCTION=on/);
      const { out } = await runCommand(['token', 'create', '--scopes', 'collections'], env);
      const other = await fetch(`${service.url}/traces/submissions`, {
        headers: { authorization: `Bearer ${out.trim()}` },
      });
      assert.equal(other.status, 403);
    });

    it('wrote nothing but messages by the schema, and no credentials to the log', async () => {
      for (const { message } of fake.calls) assert.equal(schemaFault(find(parse(message), 'Body')!.children[0]!), null);
      const { out, err } = service.output();
      assert.doesNotMatch(out + err, /fake-authentication-key|n00fake1/);
      const files = engine.name === 'embedded' ? [join(service.dataDir, 'answers.json')] : [];
      for (const file of files) assert.doesNotMatch(await readFile(file, 'utf8'), /fake-authentication-key/);
      await rm(join(service.dataDir, 'answers.json'), { force: true });
    });
  });

describe('filing in production', () => {
  it('needs the setting and a typed confirmation of each statement', async () => {
    await using service = await runService({ env: { TRACES_PRODUCTION: 'on' } });
    const json = (method: string, path: string, body: object) =>
      service.fetch(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    assert.equal((await json('PUT', '/traces/credentials/production', CREDENTIALS)).status, 200);
    const wanted = {
      collection_id: '0b6f7f0e-6a0f-4c8e-9d54-0d7d8a9b1c2d',
      environment: 'production',
      answers: ANSWERS,
    };
    for (const confirm of [undefined, 'yes']) {
      const refused = await json('POST', '/traces/submissions', { ...wanted, ...(confirm && { confirm }) });
      const { code, detail } = (await refused.json()) as { code: string; detail: string };
      assert.deepEqual([refused.status, code], [422, 'filing_not_confirmed']);
      assert.match(detail, /"file 0b6f7f0e in production"/);
    }
    // Confirmed, it gets as far as the collection, which is not there: nothing leaves this machine.
    const confirmed = await json('POST', '/traces/submissions', { ...wanted, confirm: 'file 0b6f7f0e in production' });
    assert.equal(confirmed.status, 404);
    const status = (await (await service.fetch('/traces')).json()) as { environments: readonly string[] };
    assert.deepEqual(status.environments, ['acceptance', 'production']);
  });
});
