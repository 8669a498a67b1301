import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { FAKE_CREDENTIALS, startFakeTraces, type Fault, type FakeOptions } from '../../../test/traces/fake-traces.ts';
import { SAMPLE_DDS, SAMPLE_GEOJSON, SAMPLE_IMPORT, SAMPLE_SD } from '../../../test/traces/sample-filings.ts';
import { TracesFailure } from '../faults/traces-failure.ts';
import type { TracesCredentials } from '../messages/security-header.ts';
import type { Filing } from '../messages/statement.ts';
import { openClient, type TracesClient } from './open-client.ts';
import { openSoap } from './post-soap.ts';

const never = new AbortController().signal;

interface Opened {
  readonly fake: Awaited<ReturnType<typeof startFakeTraces>>;
  readonly client: TracesClient;
}

async function withClient(
  test: (opened: Opened) => Promise<void>,
  {
    credentials = FAKE_CREDENTIALS,
    fake: options = {},
    deadlineMs = 20_000,
    answerBytes = 1_000_000,
    skewMs = 0,
  }: {
    credentials?: TracesCredentials;
    fake?: FakeOptions;
    deadlineMs?: number;
    answerBytes?: number;
    skewMs?: number;
  } = {},
): Promise<void> {
  // The client is not paced here, so that its tests take no time; nor is the server.
  const fake = await startFakeTraces({ hold: async () => {}, ...options });
  const soap = openSoap({ deadlineMs, answerBytes });
  const client = openClient(credentials, {
    base: fake.base,
    post: soap.post,
    takeTurn: async () => {},
    stamp: () => ({ at: new Date(Date.now() + skewMs), nonce: randomBytes(16) }),
    wait: async () => {},
  });
  try {
    await test({ fake, client });
  } finally {
    await soap.close();
    await fake.close();
  }
}

async function submit(client: TracesClient, filing: Filing): Promise<string> {
  return (await client.prepareSubmission(filing, never)).send(never);
}

async function failureOf(work: Promise<unknown>): Promise<TracesFailure> {
  const failure = await work.then(
    () => assert.fail('wanted a failure'),
    (error: unknown) => error,
  );
  assert.ok(failure instanceof TracesFailure, String(failure));
  return failure;
}

describe('the client of the information system', () => {
  it('has its echo answered', () =>
    withClient(async ({ client }) => assert.equal(await client.echo('hello', never), 'OK')));

  it('is slowed by the server above 5 calls a second, and refused nothing', async () => {
    const at = Date.now();
    const held: number[] = [];
    const hold = async (ms: number): Promise<void> => void held.push(ms);
    await withClient(
      async ({ client }) => {
        for (let i = 0; i < 11; i++) assert.equal(await client.echo('hello', never), 'OK');
      },
      { fake: { now: () => at, hold } },
    );
    assert.deepEqual(held, [1_000, 1_000, 1_000, 1_000, 1_000, 2_000]);
  });

  it('files a statement, follows it to its numbers, verifies and withdraws it', () =>
    withClient(async ({ client }) => {
      const uuid = await submit(client, SAMPLE_DDS);
      const [entry] = await client.byUuid('dds', [uuid], never);
      assert.equal(entry?.status, 'AVAILABLE');
      assert.match(entry.referenceNumber ?? '', /^26BE/);
      const pair = { referenceNumber: entry.referenceNumber!, verificationNumber: entry.verificationNumber! };
      assert.equal((await client.verify(pair, never)).result, 'EXISTING_USABLE');
      const filed = await client.byNumbers('dds', pair, never);
      assert.equal(filed?.comment, 'Lot <7> & "more"\r\nsecond line');
      assert.equal(filed?.commodities?.[0]?.descriptors?.goodsMeasure?.netWeight, '25000.5');
      const changed = { ...SAMPLE_DDS, statement: { ...SAMPLE_DDS.statement, comment: 'changed' } };
      assert.equal(await client.amend(changed, uuid, never), 'AVAILABLE');
      assert.equal((await client.byNumbers('dds', pair, never))?.comment, 'changed');
      assert.equal(await client.withdraw('dds', uuid, never), 'WITHDRAWN');
      assert.equal((await client.verify(pair, never)).result, 'EXISTING_NON_USABLE');
      assert.equal((await client.verify({ ...pair, verificationNumber: 'XXXXXXXX' }, never)).result, 'NON_EXISTENT');
      assert.equal(await client.byNumbers('dds', { ...pair, verificationNumber: 'XXXXXXXX' }, never), null);
    }));

  it('files an import that groups another statement, which then is grouped', () =>
    withClient(async ({ client }) => {
      const first = await submit(client, SAMPLE_DDS);
      const [entry] = await client.byUuid('dds', [first], never);
      const grouping = {
        ...SAMPLE_IMPORT,
        statement: { ...SAMPLE_IMPORT.statement, groupedDeclarations: [entry!.referenceNumber!] },
      };
      await submit(client, grouping);
      // The service groups when the new statement becomes available.
      await client.byUuid('dds', [first], never);
      assert.equal((await client.byUuid('dds', [first], never))[0]?.status, 'GROUPED');
      const failure = await failureOf(submit(client, grouping));
      assert.equal(failure.code, 'reference_not_found');
      assert.equal(failure.outcome, 'refused');
    }));

  it('files, updates and withdraws a simplified declaration', () =>
    withClient(async ({ client }) => {
      const uuid = await submit(client, SAMPLE_SD);
      const [entry] = await client.byUuid('sd', [uuid], never);
      assert.match(entry?.referenceNumber ?? '', /^S26BE/);
      assert.deepEqual(
        (await client.byInternalReference('sd', 'FM-SAMPLE-3', never)).map((one) => one.uuid),
        [uuid],
      );
      assert.equal(await client.amend(SAMPLE_SD, uuid, never), 'AVAILABLE');
      const pair = { referenceNumber: entry!.referenceNumber!, verificationNumber: entry!.verificationNumber! };
      const filed = await client.byNumbers('sd', pair, never);
      const [commodity] = filed?.commodities ?? [];
      const producers = (commodity?.producers ?? []) as NonNullable<
        NonNullable<typeof SAMPLE_SD.statement.commodities>[0]['producers']
      >;
      assert.deepEqual(producers[1]?.producerLocation?.cadastralIdentifier, ['256-402-1-12', '256-402-1-13']);
      assert.equal(await client.withdraw('sd', uuid, never), 'WITHDRAWN');
    }));

  it('finds an internal reference exactly, although the service finds parts of it', () =>
    withClient(async ({ client }) => {
      const uuid = await submit(client, SAMPLE_DDS);
      const other = {
        ...SAMPLE_DDS,
        statement: { ...SAMPLE_DDS.statement, internalReferenceNumber: 'fm-sample-1-longer' },
      };
      await submit(client, other);
      assert.deepEqual(
        (await client.byInternalReference('dds', 'FM-SAMPLE-1', never)).map((one) => one.uuid),
        [uuid],
      );
    }));

  it('takes the fault "Data not found." for an empty answer', () =>
    withClient(async ({ client, fake }) => {
      fake.next('GetDds', 'not_found');
      assert.deepEqual(await client.byUuid('dds', ['00000000-0000-4000-8000-000000000000'], never), []);
      fake.next('GetDdsByInternalReference', 'not_found');
      assert.deepEqual(await client.byInternalReference('dds', 'FM-1', never), []);
    }));

  const LOST: readonly Fault[] = [
    'hang_after_storing',
    'hang_before_storing',
    'close_after_storing',
    'close_before_storing',
    'status_429',
    'status_500',
    'status_503',
    'html_200',
    'html_502',
    'truncated',
    'huge',
    'other_answer',
    'no_uuid',
    'internal_fault',
    'internal_fault_after_storing',
    'doctype',
  ];
  for (const fault of LOST)
    it(`reports that a submission may have been filed after ${fault}, and never sends it twice`, () =>
      withClient(
        async ({ client, fake }) => {
          fake.next('SubmitDds', fault);
          const failure = await failureOf(submit(client, SAMPLE_DDS));
          assert.equal(failure.outcome, 'unknown');
          assert.equal(fake.calls.length, 1);
          assert.ok(failure.advice.length > 0);
        },
        fault.startsWith('hang') ? { deadlineMs: 300 } : {},
      ));

  it('reports that nothing was sent when nobody listens', () =>
    withClient(async ({ client, fake }) => {
      await fake.close();
      fake.close = async () => {};
      const failure = await failureOf(submit(client, SAMPLE_DDS));
      assert.deepEqual([failure.code, failure.outcome], ['not_connected', 'not_sent']);
    }));

  it('waits for a slow answer', () =>
    withClient(async ({ client, fake }) => {
      fake.next('SubmitDds', 'slow');
      assert.match(await submit(client, SAMPLE_DDS), /^[0-9a-f-]{36}$/);
    }));

  for (const [fault, code] of [
    ['unknown_code', 'refused'],
    ['hyphens', 'heading_invalid'],
    ['fault_with_200', 'heading_invalid'],
    ['discontinued', 'version_discontinued'],
  ] as const)
    it(`reports ${fault} as ${code}`, () =>
      withClient(async ({ client, fake }) => {
        fake.next('SubmitDds', fault);
        const failure = await failureOf(submit(client, SAMPLE_DDS));
        assert.deepEqual([failure.code, failure.outcome], [code, 'refused']);
        if (fault === 'unknown_code') assert.match(failure.message, /EUDR_SOMETHING_THAT_IS_NEW/);
        if (fault === 'hyphens') assert.equal(failure.findings[0]?.field, 'statement.commodities[0].hsHeading');
      }));

  it('tries a read again after passing failures, each time with a new nonce', () =>
    withClient(async ({ client, fake }) => {
      fake.next('GetDds', 'status_503', 'close_before_storing');
      assert.deepEqual(await client.byUuid('dds', ['00000000-0000-4000-8000-000000000000'], never), []);
      const nonces = fake.calls.map(({ message }) => /<wsse:Nonce[^>]*>([^<]+)/.exec(message)?.[1]);
      assert.equal(new Set(nonces).size, 3);
    }));

  it('does not try a read again that the service refused', () =>
    withClient(async ({ client, fake }) => {
      fake.next('GetDds', 'internal_fault');
      assert.equal(
        (await failureOf(client.byUuid('dds', ['00000000-0000-4000-8000-000000000000'], never))).code,
        'failed',
      );
      assert.equal(fake.calls.length, 1);
    }));

  for (const [name, credentials] of [
    ['key', { ...FAKE_CREDENTIALS, authenticationKey: 'wrong' }],
    ['user name', { ...FAKE_CREDENTIALS, username: 'wrong' }],
    ['client id', { ...FAKE_CREDENTIALS, clientId: 'wrong' }],
    [
      'body identity',
      { ...FAKE_CREDENTIALS, bodyIdentity: { kind: 'OperatorAccessIdentifier', value: 'wrong' } as const },
    ],
  ] as const)
    it(`reports a wrong ${name}`, () =>
      withClient(
        async ({ client }) => {
          const failure = await failureOf(submit(client, SAMPLE_DDS));
          assert.deepEqual([failure.code, failure.outcome], ['unauthenticated', 'refused']);
          assert.doesNotMatch(failure.message, /wrong/);
        },
        { credentials },
      ));

  it('is refused with a clock that is more than 5 minutes off, and when a message is sent a second time', () =>
    withClient(
      async ({ client }) => {
        assert.equal((await failureOf(client.echo('late', never))).code, 'unauthenticated');
      },
      { skewMs: -301_000 },
    ).then(() =>
      withClient(async ({ client }) => {
        const call = await client.prepareSubmission(SAMPLE_DDS, never);
        await call.send(never);
        assert.equal((await failureOf(call.send(never))).code, 'unauthenticated');
      }),
    ));

  it('has a message refused whose minute is over', () =>
    withClient(
      async ({ client }) => {
        assert.equal((await failureOf(submit(client, SAMPLE_DDS))).code, 'unauthenticated');
      },
      { skewMs: -61_000 },
    ));

  it('has what breaks the schema refused as such', () =>
    withClient(async ({ client }) => {
      const broken = { ...SAMPLE_DDS, statement: { ...SAMPLE_DDS.statement, countryOfActivity: 'EL' } };
      const failure = await failureOf(submit(client, broken));
      assert.deepEqual([failure.code, failure.outcome], ['schema_refused', 'refused']);
      assert.ok(SAMPLE_GEOJSON.length > 0);
    }));
});
