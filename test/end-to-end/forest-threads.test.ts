import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../../src/config/settings.ts';
import { forestRoutes } from '../../src/http/routes/forest/forest.ts';
import { createLog } from '../../src/log.ts';
import { openForestService, type ForestService } from '../../src/service/forest/forest.ts';
import { memoryTasks } from '../memory/tasks.ts';
import { NO_FILES, testServer, type TestServer } from '../memory/test-server.ts';

/** What the fixture does at some longitudes; everything else is as in the service. */
const DIES = [101, 10];
const HANGS = [103, 10];
const FOREST = [-88.825, 44.337];

interface Collection {
  readonly features: readonly {
    readonly id: number;
    readonly geometry: unknown;
    readonly properties: { readonly warnings: readonly { readonly code: string; readonly message: string }[] };
  }[];
}

describe('forest threads through HTTP', () => {
  let forest: ForestService;
  let server: TestServer;
  let url: string;
  let authorization: string;
  before(async () => {
    const config = readConfig({ FOREST_THREADS: '2', FOREST_POINT_TIMEOUT_MS: '60000' });
    const log = createLog({ level: 'silent', json: true, stream: process.stderr });
    forest = await openForestService(config, log, new URL('../forest-thread.fixture.ts', import.meta.url));
    server = testServer({
      routes: [forestRoutes({ forest, tasks: memoryTasks(), files: NO_FILES })],
      observeLookups: forest.onLookup,
    });
    ({ authorization } = await server.login());
    url = `http://127.0.0.1:${await server.listen()}`;
  });
  after(async () => {
    await forest.close();
    await server[Symbol.asyncDispose]();
  });

  const body = (points: readonly (readonly number[])[]): string =>
    JSON.stringify({
      features: points.map((coordinates, id) => ({ type: 'Feature', id, geometry: { type: 'Point', coordinates } })),
    });
  const headers = () => ({ authorization, 'content-type': 'application/json' });

  it('one that dies again and again costs its own point alone', async () => {
    const points = Array.from({ length: 100 }, (_, i) => (i === 41 ? DIES : FOREST));
    const answer = await fetch(`${url}/forest_polygon/lookup`, {
      method: 'POST',
      body: body(points),
      headers: headers(),
    });
    assert.equal(answer.status, 200);
    const { features } = (await answer.json()) as Collection;
    assert.deepEqual(
      features.map(({ id }) => id),
      points.map((_, i) => i),
    );
    const without = features.filter(({ geometry }) => geometry === null);
    assert.deepEqual(
      without.map(({ id, properties }) => [id, properties.warnings[0]?.code]),
      [[41, 'source_unavailable']],
    );
    const metrics = await (await fetch(`${url}/metrics`)).text();
    assert.match(metrics, /forest_lookup_duration_seconds_count\{source="aef-watershed",outcome="patch"\} 99/);
  });

  it('none works on for a client that has left', async () => {
    const sent = request(`${url}/forest_polygon/lookup`, { method: 'POST', headers: headers() });
    sent.on('error', () => {});
    sent.end(body(Array.from({ length: 100 }, () => HANGS)));
    while (forest.status().working === 0) await new Promise((done) => setTimeout(done, 5));
    sent.destroy();
    while (forest.status().waiting > 0 || forest.status().working > 0) await new Promise((done) => setTimeout(done, 5));
    const answer = await fetch(`${url}/forest_polygon/lookup`, {
      method: 'POST',
      body: body([FOREST]),
      headers: headers(),
    });
    assert.notEqual(((await answer.json()) as Collection).features[0]?.geometry, null);
  });
});
