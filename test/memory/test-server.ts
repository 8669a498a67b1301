import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { openAuth } from '../../src/auth/open-auth.ts';
import type { CredentialStore } from '../../src/auth/principal.ts';
import { SCOPES, type Scope } from '../../src/auth/scopes.ts';
import { createToken } from '../../src/auth/tokens.ts';
import { serviceLimits } from '../../src/app/limits.ts';
import { readConfig } from '../../src/config/settings.ts';
import type { App } from '../../src/http/server/app.ts';
import { findPatches } from '../../src/forest/find-patches.ts';
import { batchProgressRoutes } from '../../src/http/routes/collections/batch-progress.ts';
import { collectionUploadRoutes } from '../../src/http/routes/collections/uploads.ts';
import { fetchRoutes } from '../../src/http/routes/fetch/collections-fetch.ts';
import { reviewRoutes } from '../../src/http/routes/reviews/reviews.ts';
import { changeRoutes } from '../../src/http/routes/collections/changes.ts';
import { collectionRoutes } from '../../src/http/routes/collections/collections.ts';
import { exportRoutes } from '../../src/http/routes/collections/export-eudr-dds.ts';
import { facilityRoutes } from '../../src/http/routes/facilities/facilities.ts';
import { forestRoutes } from '../../src/http/routes/forest/forest.ts';
import { parcelRoutes } from '../../src/http/routes/parcels/parcels.ts';
import { mapRoutes } from '../../src/http/routes/ogc/map-routes.ts';
import { openMapSets } from '../../src/service/gis/open-map-sets.ts';
import { plotSplitRoutes } from '../../src/http/routes/plots/split.ts';
import { locationRoutes } from '../../src/http/routes/locations/locations.ts';
import { mapFeatureRoutes } from '../../src/http/routes/service/map-features.ts';
import { buildServer } from '../../src/http/server/server.ts';
import { supplyShedRoutes } from '../../src/http/routes/fetch/supply-shed.ts';
import { uploadPlotsRoutes } from '../../src/http/routes/collections/upload-plots.ts';
import { tracesRoutes } from '../../src/http/routes/traces/traces.ts';
import { queueRoutes } from '../../src/http/routes/service/queue.ts';
import { webhookRoutes } from '../../src/http/routes/webhooks/webhooks.ts';
import type { ServerDeps } from '../../src/http/server/server-deps.ts';
import type { UploadFolder } from '../../src/http/uploads/upload-folder.ts';
import type { Crs } from '../../src/geo/crs/find-crs.ts';
import { createLog } from '../../src/log.ts';
import { createDueDiligence } from '../../src/service/collections/due-diligence.ts';
import { createFacilityService, FEATURE_BYTES } from '../../src/service/facilities/facilities.ts';
import { createFileHandlers } from '../../src/service/files/handlers.ts';
import { openFileWorkHere } from '../../src/service/files/file-work.ts';
import { createParcelService } from '../../src/service/parcels/search.ts';
import { createMapFeatures } from '../../src/service/world/map-features.ts';
import { countryCode } from '../../src/readers/built-in/country-code.ts';
import type { Places } from '../../src/readers/built-in/places.ts';
import { noData } from '../facility-sources.ts';
import { memoryCollections } from './collections.ts';
import { memoryAudit } from './audit.ts';
import { memoryCredentials } from './credentials.ts';
import { noCollections } from './no-collections.ts';
import { noReviews } from './no-reviews.ts';
import { noWatches } from './no-watches.ts';
import { memorySignatures } from './signatures.ts';
import { memoryTasks, type MemoryTasks } from './tasks.ts';
import { noTraces } from './traces.ts';
import { noWebhooks } from './webhooks.ts';

const UPLOADS: UploadFolder = {
  path: tmpdir(),
  newPath: () => join(tmpdir(), `firstmile-upload-${randomUUID()}`),
  begin: () => () => {},
};

/** Nothing is found by its name. */
const NO_PLACES = {
  places: {
    use: <R>(ask: (reader: Places) => R) => ask({ named: () => [], coded: () => [], similar: () => [] }),
    ready: Promise.resolve(),
  },
  geocoders: [],
  datasets: [],
};

/** Real lookups, in this thread, where no dataset covers anything. */
const FOREST = {
  lookUp: (_userId: string, features: readonly unknown[], crs: Crs, signal: AbortSignal, rawOutline = false) =>
    findPatches(features, { labels: [], embeddings: [] }, { crs, timeoutMs: 1_000, signal, rawOutline }),
};

/** For routes whose work on files is not tried. */
export const NO_FILES = { run: () => Promise.reject(new Error('no file is worked on here')) };

export const INTERNAL_KEY = 'internal-key-of-the-tests-0123456789';

export interface TestServer extends AsyncDisposable {
  readonly app: App;
  readonly credentials: CredentialStore;
  readonly tasks: MemoryTasks;
  /** Lines of the log as objects. */
  readonly lines: readonly Record<string, unknown>[];
  /** Authorization header of a new user with these scopes; default all. */
  login(
    scopes?: readonly Scope[],
  ): Promise<{ readonly authorization: string; readonly userId: string; readonly token: string }>;
  /** Listens on a free port of 127.0.0.1. */
  listen(): Promise<number>;
}

/** The real server on stores in memory; `deps` and settings of the environment `env` replace the usual ones. */
export function testServer(deps: Partial<ServerDeps> = {}, env: Readonly<Record<string, string>> = {}): TestServer {
  const config = readConfig({ RATE_LIMIT: 'off', INTERNAL_API_KEY: INTERNAL_KEY, LOG_LEVEL: 'debug', ...env });
  const credentials = deps.credentials ?? memoryCredentials(deps.clock);
  const tasks = memoryTasks();
  const audit = memoryAudit();
  const data = { sources: noData(), citation: () => null };
  const facilities = createFacilityService(data, config, FEATURE_BYTES.atOnce);
  const files = openFileWorkHere(createFileHandlers({ ...data, ...NO_PLACES }, config));
  const collections = { collections: memoryCollections([]), tasks, version: '0.0.0-test' };
  const noCatalogue = { refresh: () => Promise.resolve(), catalogue: [] };
  const maps = openMapSets({ ...collections, files, data: noCatalogue, forest: null, config });
  const lines: Record<string, unknown>[] = [];
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)) as Record<string, unknown>);
      done();
    },
  });
  const log = createLog({ level: config.logLevel, json: true, stream });
  const app = buildServer({
    config,
    version: '0.0.0-test',
    log,
    auth: openAuth(config, credentials, deps.clock === undefined ? {} : { clock: deps.clock }),
    credentials,
    audit,
    tasks,
    reviews: noReviews(),
    datasets: async () => [],
    limits: serviceLimits(config),
    readiness: [],
    signatures: memorySignatures(),
    routes: [
      facilityRoutes({ facilities, files, tasks, uploads: UPLOADS, config }),
      locationRoutes({ files, countryCode, tasks, uploads: UPLOADS, config }),
      forestRoutes({ forest: FOREST, tasks, files }),
      fetchRoutes(collections),
      supplyShedRoutes(collections),
      collectionRoutes(noCollections(), noTraces()),
      changeRoutes(noWatches()),
      reviewRoutes(noReviews()),
      collectionUploadRoutes({ collections: noCollections(), countryCode: () => null, uploads: UPLOADS, config }),
      uploadPlotsRoutes(noCollections()),
      batchProgressRoutes(noCollections(), tasks),
      exportRoutes({ ...collections, dueDiligence: createDueDiligence({ ...data, catalogue: [] }, config) }),
      mapFeatureRoutes(createMapFeatures(() => [])),
      mapRoutes(maps),
      plotSplitRoutes(files),
      parcelRoutes(createParcelService({ sources: [], tasks, config })),
      webhookRoutes(noWebhooks()),
      tracesRoutes(noTraces()),
      queueRoutes({ showQueue: async () => ({ kinds: [], running: [], waiting: [], failed: [] }) }),
    ],
    ...deps,
  });
  return {
    app,
    credentials,
    tasks,
    lines,
    async login(scopes = SCOPES) {
      const user = await credentials.addUser(`${crypto.randomUUID()}@example.org`, null);
      const { token, hash } = createToken();
      await credentials.addToken({ userId: user.id, label: 'test', scopes, hash, expiresAt: null });
      return { authorization: `Bearer ${token}`, userId: user.id, token };
    },
    async listen() {
      await app.listen({ port: 0, host: '127.0.0.1' });
      return (app.server.address() as AddressInfo).port;
    },
    async [Symbol.asyncDispose]() {
      app.server.closeAllConnections();
      await app.close();
    },
  };
}
