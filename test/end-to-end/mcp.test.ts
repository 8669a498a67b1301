import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { runCommand } from './run-command.ts';
import { ROOT, runService, type RunningProcess } from './run-service.ts';

let service: RunningProcess;

before(async () => {
  service = await runService({ database: 'embedded' });
});
after(() => service[Symbol.asyncDispose]());

/** Fields inside the made-up sample district, whose maps every service has. */
const PLOTS = [102.605, 102.615, 102.625].map((x, i) => ({
  type: 'Feature',
  properties: { ProducerName: `Producer ${i}`, location_id: `plot-${i}` },
  geometry: {
    type: 'Polygon',
    coordinates: [
      [
        [x, 4.6],
        [x + 0.004, 4.6],
        [x + 0.004, 4.604],
        [x, 4.604],
        [x, 4.6],
      ],
    ],
  },
}));

interface Verdict {
  readonly location_id: string;
  readonly parcel_id: string;
  readonly check_status: string;
  readonly convergence: { readonly verdict: string };
}

interface Page {
  readonly features: readonly { readonly properties: Verdict }[];
  readonly properties: { readonly next: string | null };
}

interface Collection {
  readonly collection_id: string;
  readonly task_id: string;
  readonly status: string;
  readonly counts: { readonly plots: number };
}

/** What the tools of these tests answer, in one. */
type Answer = Page &
  Collection & {
    readonly collection: Collection;
    readonly verdicts: Page;
    readonly collections: readonly Collection[];
    readonly arithmetic: { readonly agrees: boolean };
  };

interface Way {
  readonly name: string;
  connect(client: Client): Promise<void>;
}

const stdio = (env: Readonly<Record<string, string>>): StdioClientTransport =>
  new StdioClientTransport({
    command: process.execPath,
    args: [join(ROOT, 'bin/firstmile.js'), 'mcp'],
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stderr: 'inherit',
  });

const WAYS: readonly Way[] = [
  {
    name: 'over HTTP',
    connect: (client) =>
      client.connect(
        new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), {
          requestInit: { headers: { authorization: `Bearer ${service.token}` } },
        }),
      ),
  },
  {
    name: 'on standard input and output, through the control socket',
    connect: (client) => client.connect(stdio(service.settings)),
  },
  {
    name: 'on standard input and output, with an address and a token',
    connect: (client) => client.connect(stdio({ FIRSTMILE_URL: service.url, FIRSTMILE_TOKEN: service.token })),
  },
];

describe('an assistant', () => {
  for (const way of WAYS)
    it(`takes plots from their geometry to verdicts ${way.name}`, async () => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
      await way.connect(client);
      try {
        const { tools } = await client.listTools();
        assert.equal(tools.length, 17);
        const call = async (name: string, given: object, heard: unknown[] = []): Promise<Answer> => {
          const onprogress = (progress: unknown) => void heard.push(progress);
          const result = await client.callTool({ name, arguments: { ...given } }, { onprogress, timeout: 120_000 });
          assert.notEqual(result.isError, true, `${name}: ${JSON.stringify(result.content)}`);
          return result.structuredContent as unknown as Answer;
        };
        const begun = await call('start_collection', {
          collection_name: way.name,
          features: PLOTS,
          crop_type: 'palm',
          location_type: 'plot',
          idempotency_key: way.name,
        });
        const again = await call('start_collection', {
          collection_name: way.name,
          features: PLOTS,
          crop_type: 'palm',
          location_type: 'plot',
          idempotency_key: way.name,
        });
        assert.equal(again.collection_id, begun.collection_id);
        const id = begun.collection_id;
        const heard: unknown[] = [];
        const ended = await call('follow_collection', { collection_id: id, wait_s: 100 }, heard);
        assert.equal(ended.status, 'completed');
        const page = await call('fetch_collection', { collection_id: id, results: 'deforestation_check', limit: 2 });
        assert.equal(page.features.length, 2);
        const rest = await call('fetch_collection', {
          collection_id: id,
          results: 'deforestation_check',
          after: page.properties.next,
        });
        assert.equal(rest.features.length, 1);
        const totals = await call('fetch_collection', { collection_id: id, results: 'plots', aggregate: true });
        assert.equal(totals.features.length, 1);

        const evaluated = await call('evaluate_plots', { features: PLOTS, crop_type: 'palm', wait_s: 100 }, heard);
        assert.equal(evaluated.collection.status, 'completed');
        const verdicts = evaluated.verdicts.features.map(({ properties }) => properties);
        assert.deepEqual(
          verdicts.map((one) => [one.location_id, one.convergence.verdict, one.check_status]),
          [...page.features, ...rest.features].map(({ properties: one }) => [
            one.location_id,
            one.convergence.verdict,
            one.check_status,
          ]),
        );
        const shown = await call('get_collection', { collection_id: id });
        assert.equal(shown.counts.plots, 3);
        assert.ok((await call('list_collections', {})).collections.length >= 2);
        await call('cancel_task', { task_id: shown.task_id });
        for (const one of [id, evaluated.collection.collection_id])
          await call('delete_collection', { collection_id: one });
        assert.deepEqual((await call('list_collections', {})).collections, []);

        const mill = await call('rate_place', {
          longitude: 102.6124,
          latitude: 4.5821,
          facility_name: 'Kilang Sawit Contoh',
          commodity_type: 'palm',
        });
        const explained = await call('explain_receipt', mill.features[0].properties);
        assert.equal(explained.arithmetic.agrees, true);
        const parcels = await call('find_parcels', { points: [{ longitude: 102.6012, latitude: 4.6177 }] });
        assert.equal(parcels.features[0].properties.parcel_id, 'SAMPLE-0001');
      } finally {
        await client.close();
      }
    });

  it('leaves no token of its own that is still valid', async () => {
    const { out } = await runCommand(['token', 'list', '--json'], service.settings);
    const tokens = JSON.parse(out) as { label: string }[];
    assert.deepEqual(
      tokens.filter(({ label }) => label === 'firstmile mcp'),
      [],
    );
  });

  it('stops the batch of an evaluation that is cancelled', async () => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
    await WAYS[1]!.connect(client);
    const many = Array.from({ length: 100 }, (_, i) => {
      const feature = structuredClone(PLOTS[i % 3]!);
      feature.properties.location_id = `many-${i}`;
      return feature;
    });
    const abort = new AbortController();
    const call = client.callTool(
      { name: 'evaluate_plots', arguments: { features: many, wait_s: 100 } },
      { signal: abort.signal, onprogress: () => abort.abort() },
    );
    const list = async () =>
      (await client.callTool({ name: 'list_collections', arguments: {} })).structuredContent as unknown as Answer;
    // Word of progress comes within the batch, unless that is over before; then there is nothing to stop.
    const outcome = await call.then(
      () => 'answered',
      () => 'cancelled',
    );
    let status = '';
    while (status === '' || status === 'processing') status = (await list()).collections[0]?.status ?? '';
    if (outcome === 'cancelled') assert.ok(['failed', 'cancelled', 'completed'].includes(status), status);
    await client.close();
  });

  it('is told where nothing runs', async () => {
    const { code, err } = await runCommand(['mcp'], { DATA_DIR: join(service.dataDir, 'elsewhere') });
    assert.equal(code, 2);
    assert.match(err, /no service runs on .*elsewhere.*firstmile serve, or set FIRSTMILE_URL/);
    const without = await runCommand(['mcp'], { ...service.settings, FIRSTMILE_URL: service.url });
    assert.match(without.err, /FIRSTMILE_TOKEN is not set/);
  });
});
