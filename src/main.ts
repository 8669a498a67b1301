import { join } from 'node:path';
import { openAuth } from './auth/open-auth.ts';
import type { Config } from './config/settings.ts';
import { announceShutdown, shutDown } from './http/guards/drain.ts';
import { batchProgressRoutes } from './http/routes/collections/batch-progress.ts';
import { collectionUploadRoutes } from './http/routes/collections/uploads.ts';
import { collectionRoutes } from './http/routes/collections/collections.ts';
import { fetchRoutes } from './http/routes/fetch/collections-fetch.ts';
import { exportRoutes } from './http/routes/collections/export-eudr-dds.ts';
import { facilityRoutes } from './http/routes/facilities/facilities.ts';
import { forestRoutes } from './http/routes/forest/forest.ts';
import { locationRoutes } from './http/routes/locations/locations.ts';
import { mapFeatureRoutes } from './http/routes/service/map-features.ts';
import { mapRoutes } from './http/routes/ogc/map-routes.ts';
import { queueRoutes } from './http/routes/service/queue.ts';
import { parcelRoutes } from './http/routes/parcels/parcels.ts';
import { plotSplitRoutes } from './http/routes/plots/split.ts';
import type { App } from './http/server/app.ts';
import { buildServer } from './http/server/server.ts';
import type { ServerDeps } from './http/server/server-deps.ts';
import { supplyShedRoutes } from './http/routes/fetch/supply-shed.ts';
import { openUploadFolder } from './http/uploads/upload-folder.ts';
import { changeRoutes } from './http/routes/collections/changes.ts';
import { uploadPlotsRoutes } from './http/routes/collections/upload-plots.ts';
import { tracesRoutes } from './http/routes/traces/traces.ts';
import { webhookRoutes } from './http/routes/webhooks/webhooks.ts';
import type { Log } from './log.ts';
import { countryCode } from './readers/built-in/country-code.ts';
import { takeInActs } from './app/audit.ts';
import { createBackupAdmin } from './app/operate/backup-control.ts';
import { createSigningAdmin } from './app/signatures/signing-control.ts';
import { openReviews } from './app/reviews/open-reviews.ts';
import { createWatchAdmin } from './app/watches/watch-control.ts';
import { createTracesAdmin } from './app/traces-control.ts';
import { createMapExport } from './app/map-control.ts';
import { createUsersAdmin } from './app/users-control.ts';
import { datasetInfo } from './service/datasets/catalogue.ts';
import { listAutoData } from './service/auto-data/list-auto-data.ts';
import { fetchedThings } from './service/outside/fetched-contracts.ts';
import { contractInfos, listContracts, listFetched } from './service/outside/list-contracts.ts';
import { createCollectionService } from './service/collections/collections.ts';
import { createCollectionAdmin, createExportAdmin } from './app/collections-control.ts';
import { controlPath, startControl } from './app/control.ts';
import { openFoundation, type Foundation } from './app/foundation.ts';
import { listen, localAddress } from './app/listen.ts';
import { createPlaceLookups } from './app/lookups-control.ts';
import { ensureFirstUser, makeFirstToken } from './app/credentials.ts';
import { createDueDiligence } from './service/collections/due-diligence.ts';
import { createFacilityService, FEATURE_BYTES } from './service/facilities/facilities.ts';
import { openConfiguredFileWork } from './service/files/threads.ts';
import { openForestService } from './service/forest/forest.ts';
import { openMapSets } from './service/gis/open-map-sets.ts';
import { builtStoreDatasets } from './service/labels/label-store.ts';
import { serviceLimits } from './app/limits.ts';
import { packageVersion } from './config/package-version.ts';
import { plotParcels } from './service/parcels/plot-parcels.ts';
import { openParcelService } from './service/parcels/parcels.ts';
import { createMapFeatures } from './service/world/map-features.ts';
import { publicAddress } from './config/public-address.ts';
import { readinessChecks } from './app/readiness.ts';
import { runWhenReady, startConfiguredRunner } from './app/task-runner.ts';
import { createBatchAnnouncer } from './app/webhooks-announce.ts';
import { createTracesService } from './service/traces/traces.ts';
import { createSignatures } from './service/signatures/signatures.ts';
import { createCollectionStore } from './db/collections/create-collections.ts';
import { createEmailBox } from './db/email/create-email-box.ts';
import { measureQueue } from './db/tasks/measure-queue.ts';
import { createQueueViewer } from './db/tasks/show-queue.ts';
import { createSigningKeyStore } from './db/signatures/signing-keys.ts';
import { openRateCounts } from './db/rate-counts.ts';
import { countUnfinished } from './db/tasks/submit-task.ts';

export interface RunningService {
  readonly version: string;
  /** Where it listens, for people. */
  readonly url: string;
  /** The database, for people. */
  readonly engine: string;
  /** Whether this start made the first user. */
  readonly isFirstStart: boolean;
  /** A token for the first user, only when this start made one. */
  readonly firstToken: string | null;
  /** Finishes what runs within the configured time, then ends everything. */
  close(): Promise<void>;
}

interface StartOptions {
  /** Make a token for the first user, which the caller shows to a person and to nothing else; default false. */
  readonly makeToken?: boolean;
}

/** Starts the whole service: data, database, task runner and HTTP. Throws a sentence for the operator. */
export async function startService(
  config: Config,
  log: Log,
  { makeToken = false }: StartOptions = {},
): Promise<RunningService> {
  const version = packageVersion();
  // A path that is too long for a socket is refused before anything is made in it.
  const socket = config.databaseUrl === null ? controlPath(config.dataDir) : null;
  // A free port is known once the service listens on it.
  let address = publicAddress(config);
  await using opened = new AsyncDisposableStack();
  const closing = new AbortController();
  const foundation = opened.use(
    await openFoundation({
      config,
      log,
      role: 'serve',
      runs: config.runTasks,
      address: () => address,
      startRunner: (queue, data) => (config.runTasks ? runWhenReady(config, queue, data, log, closing.signal) : null),
    }),
  );
  opened.defer(() => closing.abort());
  const { store } = foundation;
  await takeInActs(config.dataDir, foundation.audit);
  const firstUser = await ensureFirstUser(store);
  const firstToken = firstUser !== null && makeToken ? await makeFirstToken(store, firstUser) : null;
  const start = { config, log, version, foundation, address: () => address };
  const subjects = await openSubjects(start, opened);
  const app = buildServer({ ...serverDeps(start, subjects), routes: routesOf(start, subjects) });
  if (socket !== null) {
    const acts = controlActs(start, subjects, { app, signal: closing.signal });
    const control = await startControl(socket, acts);
    opened.defer(() => control.close());
  }
  const url = await listen(app, config);
  if (config.port === 0) address = url;
  const keepOpen = opened.move();
  return {
    version,
    url,
    engine: store.engine === 'embedded' ? `an embedded database in ${config.dataDir}` : 'PostgreSQL',
    isFirstStart: firstUser !== null,
    firstToken,
    async close() {
      const drainMs = config.shutdownTimeoutS * 1000;
      await announceShutdown(app, config.shutdownDelayS * 1000);
      await Promise.all([shutDown(app, drainMs), foundation.drain(drainMs)]);
      await keepOpen.disposeAsync();
    },
  };
}

/** What every step of a start is given. */
interface Start {
  readonly config: Config;
  readonly log: Log;
  readonly version: string;
  readonly foundation: Foundation;
  /** The public address, without a slash at its end. */
  readonly address: () => string;
}

type Subjects = Awaited<ReturnType<typeof openSubjects>>;

/** Opens what a service does, subject by subject; `opened` closes it. */
async function openSubjects({ config, log, version, foundation, address }: Start, opened: AsyncDisposableStack) {
  const { data, store, keys, tasks, filer } = foundation;
  const uploads = await openUploadFolder(join(config.dataDir, 'uploads'), config.uploadsPerUser);
  const forest = await openForestService(config, log);
  opened.defer(() => forest.close());
  const parcels = await openParcelService(config, tasks, data, log);
  opened.defer(() => parcels.close());
  const files = openConfiguredFileWork(config, data, log);
  opened.defer(() => files.close());
  const collectionStore = createCollectionStore(store, { maxStoredBytes: config.storedMbPerUser * 1e6 });
  const maps = openMapSets({ collections: collectionStore, tasks, files, data, forest, config });
  opened.defer(() => maps.close());
  const collections = createCollectionService({
    store: collectionStore,
    tasks,
    files,
    addressOf: async (userId) => (await store.credentials.userById(userId))?.email ?? null,
    sendsEmails: config.smtpUrl !== null,
    onDeleted: (id) => maps.forget(id),
  });
  const parcelsOfPlots = plotParcels(async () => {
    await data.refresh();
    return data.catalogue.filter(({ role }) => role === 'parcels');
  }, config);
  const exportDeps = {
    collections: collectionStore,
    tasks,
    dueDiligence: createDueDiligence(data, config, { openParcels: parcelsOfPlots }),
  };
  const signingKeys = createSigningKeyStore(store);
  return {
    uploads,
    forest,
    parcels,
    files,
    maps,
    collections,
    exportDeps,
    traces: createTracesService({ store, config, filer, drafts: exportDeps }),
    signatures: createSignatures({ store: signingKeys, keys, config, version, address, log }),
    facilities: createFacilityService(data, config, FEATURE_BYTES.atOnce),
    reviews: openReviews(store),
  };
}

/** What the server itself uses: who may come in, what it reports of the service, and what is measured. */
function serverDeps(
  { config, log, version, foundation }: Start,
  { collections, forest, reviews, signatures }: Subjects,
): Omit<ServerDeps, 'routes'> {
  const { data, store, audit, trace, webhooks, tasks, runner } = foundation;
  const contracts = contractInfos(config);
  const fetched = fetchedThings(config);
  return {
    config,
    version,
    log,
    auth: openAuth(config, store.credentials),
    credentials: store.credentials,
    tasks,
    reviews: reviews.service,
    datasets: async () => {
      await data.refresh();
      const [stores, autoData] = [await builtStoreDatasets(config.dataDir), await listAutoData(config)];
      return [...data.datasets, ...stores.map(datasetInfo), ...autoData];
    },
    contracts: async () => [
      ...(await listContracts(data.catalogue, contracts)),
      ...(await listFetched(fetched, config)),
    ],
    limits: serviceLimits(config),
    ...(store.engine === 'postgres' ? { rateCounts: openRateCounts(store.db) } : {}),
    countTasks: async () => ({ processing: await countUnfinished(store.db, config.taskMaxQueued) }),
    measureQueue: async () => ({ ...(await measureQueue(store.db)), limit: config.taskMaxQueued }),
    countCollections: () => collections.count(),
    readiness: readinessChecks({ config, store, runner }),
    webhooks,
    audit,
    observeLookups: forest.onLookup,
    ...(trace && { tracing: trace.tracing }),
    signatures,
  };
}

/** The routes of every subject. */
function routesOf({ config, version, foundation }: Start, subjects: Subjects): ServerDeps['routes'] {
  const { data, store, webhooks, tasks, watches } = foundation;
  const { uploads, forest, parcels, files, maps, collections, exportDeps, traces, facilities, reviews } = subjects;
  const fetchDeps = { collections: exportDeps.collections, tasks, version };
  return [
    facilityRoutes({ facilities, files, tasks, uploads, config }),
    locationRoutes({ files, countryCode, tasks, uploads, config }),
    forestRoutes({ forest, tasks, files }),
    mapFeatureRoutes(createMapFeatures(() => data.layers)),
    mapRoutes(maps),
    plotSplitRoutes(files),
    parcelRoutes(parcels),
    collectionRoutes(collections, traces),
    changeRoutes(watches.service),
    reviews.routes,
    collectionUploadRoutes({ collections, countryCode, uploads, config }),
    uploadPlotsRoutes(collections),
    batchProgressRoutes(collections, tasks),
    fetchRoutes(fetchDeps),
    supplyShedRoutes(fetchDeps),
    exportRoutes({ ...exportDeps, version }),
    webhookRoutes(webhooks),
    tracesRoutes(traces),
    queueRoutes(createQueueViewer(store.db)),
  ];
}

/** What the command line may have done by a service whose database no other process can open. */
function controlActs(
  { config, foundation }: Start,
  { forest, maps, collections, exportDeps, traces, signatures, facilities, reviews }: Subjects,
  { app, signal }: { readonly app: App; readonly signal: AbortSignal },
): Parameters<typeof startControl>[1] {
  const { store, audit, webhooks, watches } = foundation;
  return {
    ...store.credentials,
    ...createEmailBox(store.db),
    ...createQueueViewer(store.db),
    resealSecrets: webhooks.resealSecrets,
    ...createBatchAnnouncer(store, config, webhooks),
    ...createCollectionAdmin(collections, config),
    ...createExportAdmin(exportDeps),
    ...createMapExport(maps),
    ...audit,
    ...createUsersAdmin(store),
    ...createTracesAdmin(traces),
    ...createPlaceLookups(facilities, forest, config, signal),
    serviceAddress: async () => localAddress(app),
    ...createSigningAdmin(signatures),
    ...createBackupAdmin(store, config),
    ...createWatchAdmin(watches.service),
    ...reviews.admin,
  };
}

/** Starts a task runner alone, next to any number of services on the same database. */
export async function startWorker(config: Config, log: Log): Promise<Pick<RunningService, 'close'>> {
  const foundation = await openFoundation({
    config,
    log,
    role: 'worker',
    runs: true,
    address: () => publicAddress(config),
    startRunner: (queue, data) => startConfiguredRunner(config, queue, data, log),
  });
  return {
    async close() {
      await foundation.drain(config.shutdownTimeoutS * 1000);
      await foundation[Symbol.asyncDispose]();
    },
  };
}
