import { Gauge, Histogram, type Registry } from 'prom-client';
import type { ServerDeps } from '../../server/server-deps.ts';

/** From a receiver next door to the deadline of an attempt, in seconds. */
const ATTEMPT_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15];

/** Webhook attempts by result, and what waits. A database that does not answer leaves the gauges out. */
export function reportWebhooks(registry: Registry, webhooks: NonNullable<ServerDeps['webhooks']>): void {
  const attempts = new Histogram({
    name: 'firstmile_webhook_attempt_duration_seconds',
    help: 'Time of an attempt to deliver a webhook, by result: delivered, or the reason why not.',
    labelNames: ['result'],
    buckets: ATTEMPT_BUCKETS,
    registers: [registry],
  });
  webhooks.onAttempt(({ reason, durationMs }) =>
    attempts.observe({ result: reason ?? 'delivered' }, durationMs / 1_000),
  );
  registry.registerMetric(
    new Gauge({
      name: 'firstmile_webhook_attempts_in_flight',
      help: 'Webhook requests of this process on their way.',
      registers: [],
      collect() {
        this.set(webhooks.status().sending);
      },
    }),
  );
  const paused = new Gauge({
    name: 'firstmile_webhooks_paused',
    help: 'Webhooks whose deliveries wait because too many failed.',
    registers: [registry],
  });
  registry.registerMetric(
    new Gauge({
      name: 'firstmile_webhook_deliveries',
      help: 'Deliveries that are pending, and that were delivered or failed within the last hour; each counted up to 100,000.',
      labelNames: ['state'],
      registers: [],
      async collect() {
        this.reset();
        paused.reset();
        const counts = await webhooks.count().catch(() => null);
        if (counts === null) return;
        this.set({ state: 'pending' }, counts.pending);
        this.set({ state: 'failed' }, counts.failedLastHour);
        this.set({ state: 'delivered' }, counts.deliveredLastHour);
        paused.set(counts.pausedWebhooks);
      },
    }),
  );
}
