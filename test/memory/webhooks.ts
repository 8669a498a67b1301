import { Problem } from '../../src/errors.ts';
import type { WebhookService } from '../../src/service/webhooks/webhooks.ts';

/** Webhooks of nobody: for tests of everything that only needs the routes to be there. */
export function noWebhooks(): WebhookService {
  const none = async (): Promise<never> => {
    throw new Problem('webhook_not_found', 'You have no webhook; POST /webhooks/register makes one.');
  };
  return {
    register: none,
    find: none,
    change: none,
    remove: none,
    rotate: none,
    test: none,
    redeliver: none,
    redeliverFailed: none,
    secrets: none,
    list: async () => [],
    get: async () => null,
    count: async () => ({ pending: 0, deliveredLastHour: 0, failedLastHour: 0, pausedWebhooks: 0 }),
    recordCompletion: async () => false,
    resealSecrets: none,
    onAttempt: () => {},
    status: () => ({ sending: 0, fault: null }),
    close: async () => {},
  };
}
