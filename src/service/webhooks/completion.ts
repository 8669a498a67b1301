import type { Transaction } from 'kysely';
import type { Log } from '../../log.ts';
import type { Database } from '../../db/database.ts';
import type { WebhookStore } from '../../db/webhooks/open-webhook-store.ts';
import { createEvent, type EventType } from '../../webhooks/webhook-event.ts';

interface CompletedWork {
  readonly userId: string;
  readonly type: EventType;
  /** Texts, whole numbers, lists and objects of them; what has no canonical form is refused. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The same for every report of the same completion. */
  readonly uniqueKey: string;
}

/**
 * Writes the event that reports completed work, and its delivery, in the caller's transaction: once, however often
 * completion is reported; true the first time. Data that no event can carry is logged as an error and completes all the
 * same.
 */
export type RecordCompletion = (trx: Transaction<Database>, work: CompletedWork) => Promise<boolean>;

interface CompletionParts {
  readonly webhooks: Pick<WebhookStore, 'recordEvent'>;
  readonly log: Pick<Log, 'error'>;
  readonly clock: () => Date;
  /** Called when there is something to send, before the transaction commits. */
  readonly onDelivery: () => void;
  /** Called in the transaction with each delivery; default nobody. */
  readonly onRecorded?: (trx: Transaction<Database>, delivery: string) => Promise<void>;
}

export function createCompletionRecorder({
  webhooks,
  log,
  clock,
  onDelivery,
  onRecorded,
}: CompletionParts): RecordCompletion {
  return async (trx, { userId, type, data, uniqueKey }) => {
    let event;
    try {
      event = createEvent(type, data, clock());
    } catch (error) {
      log.error({ err: error, user: userId, type, key: uniqueKey }, 'an event cannot be written; none is sent');
      return false;
    }
    const recorded = await webhooks.recordEvent(trx, { userId, event, uniqueKey });
    if (recorded.isNew && recorded.delivery !== null) {
      await onRecorded?.(trx, recorded.delivery);
      onDelivery();
    }
    return recorded.isNew;
  };
}
