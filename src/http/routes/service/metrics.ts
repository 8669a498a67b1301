import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { Type } from 'typebox';
import type { App } from '../../server/app.ts';
import type { ServerDeps } from '../../server/server-deps.ts';
import type { ListedContract } from '../../../service/outside/list-contracts.ts';
import { reportWebhooks } from '../webhooks/metrics.ts';

export interface Metrics {
  begin(): void;
  end(method: string, route: string, status: number, seconds: number): void;
  limited(): void;
  text(): Promise<string>;
}

/** From a cached answer to a long batch, in seconds. */
const DURATION_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** Counts what happens in this server, in a registry of its own. */
export function createMetrics({
  countTasks,
  measureQueue,
  countCollections,
  observeLookups,
  webhooks,
  contracts,
}: Pick<
  ServerDeps,
  'countTasks' | 'measureQueue' | 'countCollections' | 'observeLookups' | 'webhooks' | 'contracts'
>): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'firstmile_request_duration_seconds',
    help: 'Time from the request to the end of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: DURATION_BUCKETS,
    registers,
  });
  const inFlight = new Gauge({ name: 'firstmile_requests_in_flight', help: 'Requests being answered.', registers });
  const limited = new Counter({
    name: 'firstmile_rate_limited_total',
    help: 'Requests refused by a rate limit.',
    registers,
  });
  if (countTasks !== undefined) reportStatuses(registry, 'firstmile_tasks', 'Tasks by status.', countTasks);
  if (measureQueue !== undefined) reportQueue(registry, measureQueue);
  if (countCollections !== undefined)
    reportStatuses(registry, 'firstmile_collections', 'Collections by status.', countCollections);
  if (observeLookups !== undefined) reportLookups(registry, observeLookups);
  if (webhooks !== undefined) reportWebhooks(registry, webhooks);
  if (contracts !== undefined) reportContracts(registry, contracts);
  return {
    begin: () => inFlight.inc(),
    end(method, route, status, seconds) {
      inFlight.dec();
      durations.observe({ method, route, status }, seconds);
    },
    limited: () => limited.inc(),
    text: () => registry.metrics(),
  };
}

export function metricsRoutes(metrics: Metrics) {
  return (app: App): void => {
    app.get(
      '/metrics',
      {
        config: { access: 'public', produces: ['text/plain'] },
        schema: {
          operationId: 'getMetrics',
          summary: 'Measurements for Prometheus',
          description:
            'Durations by route and status, requests in flight, refusals by rate limit, forest lookups, tasks and how long they wait, collections, webhooks, contracts of datasets, event loop and process.',
          tags: ['service'],
          response: { 200: { description: 'The measurements.', content: { 'text/plain': { schema: Type.String() } } } },
        },
      },
      async (_request, reply) => {
        reply.header('content-type', 'text/plain; version=0.0.4; charset=utf-8').header('cache-control', 'no-store');
        return metrics.text();
      },
    );
  };
}

/** From a cached label to a cold read over the network, in seconds. */
const LOOKUP_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

function reportLookups(registry: Registry, observe: NonNullable<ServerDeps['observeLookups']>): void {
  const lookups = new Histogram({
    name: 'firstmile_forest_lookup_duration_seconds',
    help: 'Time of a forest lookup in its thread, by the tier that answered and what it found; tasks are not counted.',
    labelNames: ['source', 'outcome'],
    buckets: LOOKUP_BUCKETS,
    registers: [registry],
  });
  observe(({ source, outcome, seconds }) => lookups.observe({ source, outcome }, seconds));
}

/** Datasets that were checked; one that was not has no measurement. */
function reportContracts(registry: Registry, contracts: NonNullable<ServerDeps['contracts']>): void {
  const labelNames = ['dataset'];
  const report = (name: string, help: string, valueOf: (contract: ListedContract) => number | null): void => {
    const gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [],
      async collect() {
        this.reset();
        for (const contract of await contracts().catch(() => [])) {
          const value = valueOf(contract);
          if (value !== null) this.set({ dataset: contract.dataset }, value);
        }
      },
    });
    registry.registerMetric(gauge);
  };
  report(
    'firstmile_dataset_contract_held',
    'Whether a dataset at an address is what its entry says: 1 or 0.',
    ({ info }) => (info.checked_at === null || info.state === 'unstated' ? null : Number(info.state === 'held')),
  );
  report(
    'firstmile_dataset_contract_held_timestamp_seconds',
    'When a dataset at an address last was what its entry says.',
    ({ info }) => (info.held_at === null ? null : Date.parse(info.held_at) / 1000),
  );
}

/** Gauges of one look at the queue, which those that are read at the same time share; a database that does not answer leaves them out. */
function reportQueue(registry: Registry, measure: NonNullable<ServerDeps['measureQueue']>): void {
  type Measures = Awaited<ReturnType<typeof measure>>;
  let looking: Promise<Measures | null> | null = null;
  const look = (): Promise<Measures | null> =>
    (looking ??= measure()
      .catch(() => null)
      .finally(() => {
        looking = null;
      }));
  const report = (name: string, help: string, valueOf: (measures: Measures) => number): void => {
    const gauge = new Gauge({
      name,
      help,
      registers: [],
      async collect() {
        const measures = await look();
        if (measures === null) this.remove();
        else this.set(valueOf(measures));
      },
    });
    registry.registerMetric(gauge);
  };
  report('firstmile_tasks_limit', 'Tasks that may wait or run: TASK_MAX_QUEUED.', ({ limit }) => limit);
  report('firstmile_tasks_running', 'Tasks and parts of tasks that a process works on.', ({ running }) => running);
  report(
    'firstmile_tasks_oldest_waiting_seconds',
    'Seconds since the oldest task or part that nobody works on was submitted or cut off; 0 where none waits.',
    ({ oldestWaitingS }) => oldestWaitingS,
  );
}

/** A database that does not answer leaves the gauge out; it must not take the other measurements with it. */
function reportStatuses(
  registry: Registry,
  name: string,
  help: string,
  count: () => Promise<Readonly<Partial<Record<string, number>>>>,
): void {
  const gauge = new Gauge({
    name,
    help,
    labelNames: ['status'],
    registers: [],
    async collect() {
      this.reset();
      const counts = await count().catch(() => ({}));
      for (const [status, number] of Object.entries(counts)) if (number !== undefined) this.set({ status }, number);
    },
  });
  registry.registerMetric(gauge);
}
