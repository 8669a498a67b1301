import type { Config } from '../config/settings.ts';
import type { Store } from '../db/open-store.ts';
import { type AnnouncedCollection, batchCompleteData } from '../webhooks/webhook-event.ts';
import { publicAddress } from '../config/public-address.ts';
import type { WebhookService } from '../service/webhooks/webhooks.ts';
import { DEFAULT_MONITORING_START } from '../monitoring-days.ts';

interface AnnouncedBatch extends Pick<AnnouncedCollection, 'collectionId' | 'collectionName' | 'description'> {
  readonly userId: string;
}

/** The event of a batch without one, for the command line: it tries a receiver. */
export interface BatchAnnouncer {
  /**
   * Writes event and delivery in one transaction, as the completion of a batch does. False when
   * this collection was announced before: there is one event a batch.
   */
  announceBatch(batch: AnnouncedBatch): Promise<boolean>;
}

export function createBatchAnnouncer(
  store: Store,
  config: Pick<Config, 'publicUrl' | 'host' | 'port'>,
  webhooks: Pick<WebhookService, 'recordCompletion'>,
): BatchAnnouncer {
  return {
    announceBatch: ({ userId, ...batch }) =>
      store.db.transaction().execute((trx) =>
        webhooks.recordCompletion(trx, {
          userId,
          type: 'batch_zonal_stats_complete',
          data: batchCompleteData(
            {
              ...batch,
              counts: { locations: 0, plots: 0, facilities: 0, measured: 0, problems: 0 },
              locationsConfidence: null,
              monitoringStart: DEFAULT_MONITORING_START,
              monitoringEnd: new Date().toISOString().slice(0, 10),
            },
            publicAddress(config),
          ),
          uniqueKey: `batch ${userId} ${batch.collectionId}`,
        }),
      ),
  };
}
