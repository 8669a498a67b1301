import { sql } from 'kysely';
import type { NewAct } from '../../auth/audit-log.ts';
import { Problem } from '../../errors.ts';
import { withAct, writeAct } from '../audit-log.ts';
import { isUniqueViolation } from '../sql-values.ts';
import type { Language } from '../../messages/languages.ts';
import type { SealedSecret } from '../../webhooks/delivery-queue.ts';
import type { EventType } from '../../webhooks/webhook-event.ts';
import { secretsInTurn } from './claim-deliveries.ts';
import type { WebhookParts } from './webhook-parts.ts';

/** A registered webhook, without its secrets. */
export interface Registration {
  readonly id: string;
  readonly url: string;
  /** Types of event it gets. */
  readonly events: readonly EventType[];
  readonly createdAt: Date;
  /** Until when the secret before the present one signs as well, or null. */
  readonly rotatingUntil: Date | null;
  /** Events in a row that failed for good. */
  readonly failures: number;
  readonly pausedAt: Date | null;
  /** When a paused webhook is tried again. */
  readonly probeAt: Date | null;
}

export interface NewRegistration {
  readonly id: string;
  readonly userId: string;
  readonly url: string;
  readonly host: string;
  /** Sealed. */
  readonly secret: string;
  /** Default: the two types of the specification. */
  readonly events?: readonly EventType[];
  /** Where notices go when the user is none of ours. */
  readonly noticeEmail?: string | null;
  /** What notices are written in; null: English. */
  readonly noticeLanguage?: Language | null;
  /** Recorded with the registration. */
  readonly act?: NewAct;
}

/** What changes of a webhook; what is left out stays. Its secret stays in any case. */
export interface RegistrationChange {
  readonly to?: { readonly url: string; readonly host: string };
  readonly events?: readonly EventType[];
  readonly noticeEmail?: string;
  readonly noticeLanguage?: Language;
  /** Recorded with the change, and with what the webhook is then. */
  readonly act?: NewAct;
}

/** Throws `Problem('webhook_exists')` when the user has one; the database decides between two at the same moment. */
export async function addRegistration(
  { db }: WebhookParts,
  { id, userId, url, host, secret, events, noticeEmail = null, noticeLanguage = null, act }: NewRegistration,
): Promise<void> {
  const row = { id, user_id: userId, url, host, secret, notice_email: noticeEmail, notice_language: noticeLanguage };
  try {
    await withAct(db, act, (trx) =>
      trx
        .insertInto('webhooks')
        .values(events === undefined ? row : { ...row, events })
        .executeTakeFirstOrThrow(),
    );
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new Problem(
      'webhook_exists',
      'You have a webhook already and each user has one; DELETE /webhooks/remove removes it.',
      { cause: error },
    );
  }
}

/** The user's webhook, or null. */
export async function findRegistration({ db, now }: WebhookParts, userId: string): Promise<Registration | null> {
  const row = await db.selectFrom('webhooks').selectAll().where('user_id', '=', userId).executeTakeFirst();
  if (row === undefined) return null;
  const { rows } = await sql<{ over: boolean }>`
    select coalesce(${row.previous_until}::timestamptz <= ${now()}, true) as over`.execute(db);
  return {
    id: row.id,
    url: row.url,
    events: row.events as readonly EventType[],
    createdAt: row.created_at,
    rotatingUntil: rows[0]?.over === true ? null : row.previous_until,
    failures: row.failures,
    pausedAt: row.paused_at,
    probeAt: row.probe_at,
  };
}

/**
 * Changes the webhook of a user; false when there is none. Another address begins with a clean record: what was waiting,
 * held back included, goes there at its time, and a pause is over.
 */
export async function changeRegistration(
  { db, now }: WebhookParts,
  userId: string,
  { to, events, noticeEmail, noticeLanguage, act }: RegistrationChange,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const changed = await trx
      .updateTable('webhooks')
      .set({
        ...(to && { url: to.url, host: to.host, failures: 0, paused_at: null, probe_at: null }),
        ...(events && { events }),
        ...(noticeEmail !== undefined && { notice_email: noticeEmail }),
        ...(noticeLanguage !== undefined && { notice_language: noticeLanguage }),
        user_id: userId,
      })
      .where('user_id', '=', userId)
      .returning(['id', 'url', 'events'])
      .executeTakeFirst();
    if (changed === undefined) return false;
    const detail = { host: new URL(changed.url).host, events: changed.events };
    if (act !== undefined) await writeAct(trx, { ...act, detail });
    if (to === undefined) return true;
    await sql`update webhook_deliveries set url = ${to.url},
        next_attempt_at = case when next_attempt_at = 'infinity' then ${now()} else next_attempt_at end
      where user_id = ${userId} and webhook_id = ${changed.id} and state = 'pending'`.execute(trx);
    return true;
  });
}

/** Removes the webhook and cancels what it still had to send; false when there is none. */
export async function removeRegistration({ db, now }: WebhookParts, userId: string, act?: NewAct): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const gone = await trx.deleteFrom('webhooks').where('user_id', '=', userId).returning('id').executeTakeFirst();
    if (gone === undefined) return false;
    // One that is being sent at this moment keeps its lease, so that its outcome still reaches the log.
    await sql`update webhook_deliveries set state = 'cancelled', next_attempt_at = null, finished_at = ${now()}
      where user_id = ${userId} and state = 'pending'`.execute(trx);
    if (act !== undefined) await writeAct(trx, act);
    return true;
  });
}

/**
 * Puts a new sealed secret in place; the present one signs as well for `overlapS`, and comes first until the receiver has
 * accepted the new one. A rotation inside the overlap of another drops the oldest. False when there is no webhook.
 */
export async function rotateSecret(
  { db, now }: WebhookParts,
  webhook: { readonly id: string; readonly secret: string; readonly overlapS: number; readonly act?: NewAct },
): Promise<boolean> {
  const rotated = await withAct(db, webhook.act, async (trx) => {
    const { rows } = await sql`
    update webhooks set previous_secret = case when ${webhook.overlapS}::double precision > 0 then secret end, secret = ${webhook.secret},
      previous_until = case when ${webhook.overlapS}::double precision > 0 then ${now()} + ${webhook.overlapS}::double precision * interval '1 second' end,
      previous_first = ${webhook.overlapS}::double precision > 0
    where id = ${webhook.id}
    returning id`.execute(trx);
    return rows[0] ?? null;
  });
  return rotated !== null;
}

/** The sealed secrets in force, the one whose turn is first in front; null without a webhook. */
export async function secretsOf(
  { db, now }: WebhookParts,
  userId: string,
): Promise<{ readonly webhookId: string; readonly secrets: readonly [SealedSecret, ...SealedSecret[]] } | null> {
  const row = await db
    .selectFrom('webhooks')
    .select(['id', 'secret', 'previous_first'])
    .select(sql<string | null>`case when previous_until > ${now()} then previous_secret end`.as('previous_secret'))
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row === undefined ? null : { webhookId: row.id, secrets: secretsInTurn(row) };
}
