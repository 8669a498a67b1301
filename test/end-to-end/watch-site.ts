import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmails } from '../../src/app/email-admin.ts';
import { readConfig } from '../../src/config/settings.ts';
import type { TestDatabase } from '../contracts/engines.ts';
import { boxPolygon, rasterDataset, writeMadeUpTiff } from '../made-up-rasters.ts';
import { runService, type RunningProcess } from './run-service.ts';

const KEY = 'internal-key-of-the-end-to-end-tests';
const HEADERS = { 'x-internal-api-key': KEY, 'x-user-id': 'ada', 'x-user-email': 'ada@example.org' };
/** Three plots of 11 ha in the forest; the second lies where losses may be. */
const PLACES = [102.5, 102.6, 102.7] as const;
const HALF = 0.0015;

export interface WatchEvent {
  readonly id: string;
  readonly type: string;
  readonly data: {
    readonly collection_id: string;
    readonly run: number;
    readonly outcome: string;
    readonly counts: Readonly<Record<string, number>> | null;
    readonly datasets: readonly { readonly dataset: string; readonly before: string | null; readonly after: string }[];
    readonly changes: readonly {
      readonly plot: string;
      readonly direction: string;
      readonly before: { readonly loss_m2: number | null; readonly verdict: string; readonly rules: readonly string[] };
      readonly after: { readonly loss_m2: number | null; readonly verdict: string; readonly rules: readonly string[] };
    }[];
    readonly not_measured: readonly { readonly plot: string; readonly reasons: readonly string[] }[];
    readonly url: string;
  };
}

interface Run {
  readonly run: number;
  readonly state: string;
  readonly datasets: readonly object[];
  readonly counts: Readonly<Record<string, number>> | null;
}

/** Which losses the catalogue lists: of the second plot, of none, or at a file that is not there. */
type Losses = 'some' | 'none' | 'missing';

export interface WatchSite extends AsyncDisposable {
  readonly folder: string;
  readonly services: RunningProcess[];
  /** Starts a process on the same database. */
  start(ownProcess?: boolean): Promise<RunningProcess>;
  call(path: string, init?: RequestInit): Promise<Response>;
  json<T>(path: string, init?: RequestInit, status?: number): Promise<T>;
  /** Lists data under a version, with alerts where they are wanted. */
  publish(losses: Losses, version: string, alerts?: boolean): void;
  /** A collection of the three plots, measured. */
  measured(): Promise<string>;
  /** Its runs, the newest first, once so many are finished. */
  runs(id: string, finished: number): Promise<readonly Run[]>;
  /** Events of watches so far. */
  readonly events: readonly WatchEvent[];
  /** Subjects of the emails to the user. */
  mails(): Promise<readonly string[]>;
  /** Environment of a command on the same database. */
  readonly env: Readonly<Record<string, string>>;
}

/** Services over a database with made-up rasters, a catalogue that a test rewrites, and a receiver of events. */
export async function openWatchSite(database: TestDatabase): Promise<WatchSite> {
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-watch-'));
  const events: WatchEvent[] = [];
  const receiver = createServer(async (request, response) => {
    const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>)).toString();
    const event = JSON.parse(body) as WatchEvent;
    if (event.type === 'collection_changed') events.push(event);
    response.end();
  });
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  const catalogue = join(folder, 'catalogue.json');
  const raster = { width: 320, height: 32, west: 102.45, north: 4.016, pixel: 0.001 };
  const inSecond = (x: number): boolean => Math.abs(102.45 + (x + 0.5) * 0.001 - PLACES[1]) < 0.005;
  const paths = {
    mask: writeMadeUpTiff(folder, 'mask.tif', { ...raster, at: () => 1 }),
    some: writeMadeUpTiff(folder, 'some.tif', { ...raster, at: (x) => (inSecond(x) ? 23 : 0) }),
    none: writeMadeUpTiff(folder, 'none.tif', { ...raster, at: () => 0 }),
    missing: join(folder, 'not-there.tif'),
    alerts: writeMadeUpTiff(folder, 'alerts.tif', { ...raster, at: (x) => (x < 160 ? 2 : 1) }),
  };
  const env = {
    CATALOGUE: catalogue,
    INTERNAL_API_KEY: KEY,
    WEBHOOK_ALLOW_LOCAL: 'on',
    SAMPLE_DISTRICT: 'off',
    WATCH_EVERY_S: '1',
    MODELS: 'manual',
    ...(database.databaseUrl !== null && {
      DATABASE_URL: database.databaseUrl,
      SECRETS_KEY: `one:${Buffer.alloc(32, 7).toString('base64')}`,
    }),
  };
  const services: RunningProcess[] = [];

  const site: WatchSite = {
    folder,
    services,
    events,
    env: { DATA_DIR: database.dataDir, ...env },
    async start(ownProcess = false) {
      const service = await runService({ ownProcess, dataDir: database.dataDir, env });
      services.push(service);
      return service;
    },
    call: (path, init = {}) =>
      fetch(`${services.at(-1)!.url}${path}`, { ...init, headers: { ...HEADERS, ...(init.headers as object) } }),
    async json<T>(path: string, init: RequestInit = {}, status = 200): Promise<T> {
      const answer = await site.call(path, init);
      const text = await answer.text();
      assert.equal(answer.status, status, `${path}: ${text}`);
      return JSON.parse(text) as T;
    },
    publish(losses, version, alerts = false) {
      const datasets = [
        rasterDataset({ id: 'mask', role: 'forest-mask', path: paths.mask, options: { classes: [1] }, date: '2020' }),
        rasterDataset({
          id: 'loss',
          role: 'loss-year',
          path: paths[losses],
          version,
          options: { baseYear: 2000, lastYear: 2025 },
        }),
        ...(alerts
          ? [
              rasterDataset({
                id: 'alerts',
                role: 'evidence',
                path: paths.alerts,
                version,
                date: '2025',
                options: { votes: [{ indicator: 'disturbance_after_2020', classes: [2] }] },
              }),
            ]
          : []),
      ].map((dataset) => ({ ...dataset, coverage: [102.45, 3.984, 102.77, 4.016] }));
      // Replaced as a whole: a service may read it at any time.
      writeFileSync(`${catalogue}.new`, JSON.stringify({ datasets }));
      renameSync(`${catalogue}.new`, catalogue);
    },
    async measured() {
      const { port } = receiver.address() as AddressInfo;
      const registration = { url: `http://127.0.0.1:${port}/`, events: ['collection_changed'] };
      await site.json('/webhooks/register', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(registration),
      });
      const features = PLACES.map((lon, i) => ({
        type: 'Feature',
        id: `p${i}`,
        geometry: boxPolygon(lon - HALF, 4 - HALF, lon + HALF, 4 + HALF),
        properties: { location_type: 'plot', country: 'MY', commodity_type: 'palm' },
      }));
      const form = new FormData();
      form.set('collection_name', 'lot 7');
      form.set('monitoring_start', '2018-01-01');
      form.set('monitoring_end', '2024-12-31');
      form.set('file', new Blob([JSON.stringify({ type: 'FeatureCollection', features })]), 'plots.geojson');
      const work = await site.json<{ collection_id: string; task_id: string }>(
        '/batch_process',
        { method: 'POST', body: form },
        202,
      );
      await (await site.call(`/tasks/${work.task_id}/events`)).text();
      return work.collection_id;
    },
    async runs(id, finished) {
      for (;;) {
        const { runs } = await site.json<{ runs: readonly Run[] }>(`/collections/${id}/watch`);
        if (runs.filter(({ state }) => state !== 'measuring').length >= finished) return runs;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
    async mails() {
      const config = readConfig({
        DATA_DIR: database.dataDir,
        ...(database.databaseUrl !== null && { DATABASE_URL: database.databaseUrl }),
      });
      await using opened = await openEmails(config);
      const all = await opened.emails.listEmails({ limit: 1_000 });
      return all
        .filter(({ to, kind }) => to === 'ada@example.org' && kind === 'collection_changed')
        .map((m) => m.subject);
    },
    async [Symbol.asyncDispose]() {
      for (const service of services) await service.stop('SIGKILL');
      receiver.close();
      receiver.closeAllConnections();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
  return site;
}

/** Waits for events that were recorded and are on their way. */
export async function arrived(site: WatchSite, count: number): Promise<readonly WatchEvent[]> {
  while (new Set(site.events.map(({ id }) => id)).size < count) await new Promise((resolve) => setTimeout(resolve, 50));
  return site.events;
}
