import type { Config } from '../config/settings.ts';
import { createAuditLog } from '../db/audit-log.ts';
import type { Store } from '../db/open-store.ts';
import { openTasks, type OpenedTasks } from '../db/tasks/open-tasks.ts';
import { openTraceLinks } from '../db/trace-links.ts';
import type { TaskRunner } from '../jobs/start-task-runner.ts';
import type { Log } from '../log.ts';
import { collectionHooks, type CollectionHooks } from '../service/collections/outcome.ts';
import { startConfiguredEmailSender } from '../service/email/email.ts';
import { webhookNotices } from '../service/email/notices.ts';
import { removeAbandonedFolders } from '../service/files/temporary-folder.ts';
import { openInstallation } from '../service/installation/open-installation.ts';
import { openFiler } from '../service/traces/open-filer.ts';
import { openWatches } from '../service/watches/open-watches.ts';
import { openSecretKeys, type SecretKeys } from '../service/webhooks/keys.ts';
import { openWebhooks, type WebhookService } from '../service/webhooks/webhooks.ts';
import { openWorld, type World } from '../service/world/world.ts';
import { startStoreKeeper } from './keep-store.ts';
import { tryPort } from './listen.ts';
import { openTracing } from './operate/open-tracing.ts';
import { linkSubmitted, traceDeliveries, traceQueue, type TraceParts } from './operate/trace-work.ts';
import { checkDataIsShared, followChanges } from './shared-data.ts';

interface FoundationOptions {
  readonly config: Config;
  readonly log: Log;
  readonly role: 'serve' | 'worker';
  /** Whether this process sends emails and webhooks, files statements and runs watches. */
  readonly runs: boolean;
  /** The public address, for links; read when one is written. */
  readonly address: () => string;
  /** Called once the queue is there; null: this process runs no tasks. */
  startRunner(queue: OpenedTasks['queue'], data: World): TaskRunner | null | Promise<TaskRunner>;
}

/** Data, database and the loops that work on it: what a service and a worker have in common. */
export interface Foundation extends AsyncDisposable {
  readonly data: World;
  readonly store: Store;
  readonly audit: ReturnType<typeof createAuditLog>;
  readonly keys: SecretKeys;
  readonly trace: TraceParts | null;
  readonly webhooks: WebhookService;
  readonly tasks: OpenedTasks['tasks'];
  readonly runner: TaskRunner | null;
  readonly filer: Awaited<ReturnType<typeof openFiler>>;
  readonly watches: ReturnType<typeof openWatches>;
  /** Finishes what runs within the time given, in milliseconds, and takes on nothing new. */
  drain(drainMs: number): Promise<void>;
}

/** Opens all of it, in the order in which one needs the other; what was opened is closed when a later part fails. */
export async function openFoundation(options: FoundationOptions): Promise<Foundation> {
  const { config, log, role, runs, address } = options;
  await tryPort(config);
  await removeLeftovers(log);
  await using opened = new AsyncDisposableStack();
  const data = await openWorld(config, log);
  opened.defer(() => data.close());
  await checkDataIsShared(config);
  opened.defer(followChanges(config, data));
  const store = await openInstallation(config, role, log);
  opened.defer(() => store.close());
  const audit = createAuditLog(store.db, config.auditRetentionDays);
  const keeper = startStoreKeeper({ store, audit, log });
  opened.defer(() => keeper.stop());
  const keys = openSecretKeys(config);
  const trace = await openTraces(config, store, log);
  opened.defer(() => trace?.tracing.close());
  const webhooks = await openWebhooks({
    store,
    config,
    log,
    keys,
    send: runs,
    tracing: trace && traceDeliveries(trace),
    onNotice: webhookNotices(config.publicUrl),
  });
  opened.defer(() => webhooks.close(0));
  const { recordCompletion } = webhooks;
  const { tasks, queue } = await openConfiguredTasks(store, config, collectionHooks(address, recordCompletion), trace);
  const runner = await options.startRunner(queue, data);
  // A start that fails later must not leave it running: it would keep the process alive.
  opened.defer(() => runner?.stop(0));
  const emails = runs ? await startConfiguredEmailSender(config, store, log) : null;
  opened.defer(() => emails?.stop(0));
  const filer = await openFiler({ store, config, keys, log, send: runs });
  opened.defer(() => filer.close(0));
  const watches = openWatches({ store, config, tasks, data, recordCompletion, address, log, run: runs });
  opened.defer(() => watches.close(0));
  const keepOpen = opened.move();
  return {
    data,
    store,
    audit,
    keys,
    trace,
    webhooks,
    tasks,
    runner,
    filer,
    watches,
    async drain(drainMs) {
      await Promise.all([
        runner?.stop(drainMs),
        emails?.stop(drainMs),
        webhooks.close(drainMs),
        filer.close(drainMs),
        watches.close(drainMs),
      ]);
    },
    [Symbol.asyncDispose]: () => keepOpen.disposeAsync(),
  };
}

async function openConfiguredTasks(
  store: Store,
  config: Config,
  hooks: CollectionHooks,
  trace: TraceParts | null,
): Promise<OpenedTasks> {
  const opened = await openTasks(store, {
    maxQueued: config.taskMaxQueued,
    maxPerUser: config.tasksPerUser,
    maxStoredBytes: config.storedMbPerUser * 1e6,
    retentionDays: config.taskRetentionDays,
    ...hooks,
    ...(trace && { onSubmitted: linkSubmitted(hooks.onSubmitted, trace.links) }),
  });
  return trace === null ? opened : { ...opened, queue: traceQueue(opened.queue, trace) };
}

/** Null while tracing is off. */
async function openTraces(config: Config, store: Store, log: Log): Promise<TraceParts | null> {
  const tracing = await openTracing(config, log);
  return tracing && { tracing, links: openTraceLinks(store.db), log };
}

/** Files of customers must not outlive the process that was killed while it read them. */
async function removeLeftovers(log: Log): Promise<void> {
  const removed = await removeAbandonedFolders();
  if (removed > 0) log.info({ removed }, 'temporary folders of processes that were killed are removed');
}
