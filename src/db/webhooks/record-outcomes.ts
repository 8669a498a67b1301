import { sql, type Transaction } from 'kysely';
import type { RecordedOutcome } from '../../webhooks/delivery-queue.ts';
import type { Database } from '../database.ts';
import { noteFailures, noteSuccesses } from './note-results.ts';
import type { WebhookParts, WrittenOutcome } from './webhook-parts.ts';

/**
 * Writes outcomes: the attempt, the state and the time of the next attempt in one statement that checks the token, and in
 * the same transaction what follows from them for the webhook. Outcomes whose token was overtaken change nothing.
 */
export async function recordOutcomes(parts: WebhookParts, outcomes: readonly RecordedOutcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  const affected = outcomes.filter(
    ({ delivery, outcome, accepted }) => outcome.reason !== null || delivery.troubled || accepted !== null,
  );
  if (affected.length === 0) return void (await write(parts, parts.db, outcomes));
  await parts.db.transaction().execute(async (trx) => {
    // Before the deliveries, as the removal of a webhook does: otherwise the two could wait for each other.
    const ids = [...new Set(affected.map(({ delivery }) => delivery.webhookId))];
    await sql`select from webhooks where id = any(${ids}::uuid[]) order by id for no key update`.execute(trx);
    const written = await write(parts, trx, outcomes);
    await noteAccepted(trx, affected);
    const troubled = new Set(affected.filter(({ delivery }) => delivery.troubled).map(({ delivery }) => delivery.id));
    await noteSuccesses(
      parts,
      trx,
      written.filter(({ state, id }) => state === 'delivered' && troubled.has(id)),
    );
    await noteFailures(
      parts,
      trx,
      written.filter(({ state }) => state === 'failed'),
    );
  });
}

async function write(
  { now, owner, retryDelaysS }: WebhookParts,
  db: WebhookParts['db'] | Transaction<Database>,
  outcomes: readonly RecordedOutcome[],
): Promise<readonly WrittenOutcome[]> {
  const list = JSON.stringify(outcomes.map(asRow));
  // Named once more as an array: from the list alone the planner reads the whole table.
  const ids = outcomes.map(({ delivery }) => delivery.id);
  const delays = sql`array[${sql.join(retryDelaysS.map((seconds) => sql.lit(seconds)))}]::double precision[]`;
  const { rows } = await sql<WrittenOutcome>`
    with made as (
      select * from json_to_recordset(${list}::json) as made(
        id uuid, token int, started_at timestamptz, duration_ms int, status int, reason text, final boolean,
        detail text, address text, dns_ms int, connect_ms int, tls_ms int, first_byte_ms int, excerpt text)
    ), written as (
      update webhook_deliveries d set
        attempts = d.attempts + 1, claims = 0, lease_owner = null, lease_until = null,
        state = ${nextState('d')},
        retries_left = case when ${nextState('d')} = 'pending' then d.retries_left - 1 else d.retries_left end,
        next_attempt_at = case when ${nextState('d')} = 'pending' then
          ${now()} + (${delays})[${sql.lit(retryDelaysS.length)} - d.retries_left + 1] * interval '1 second' end,
        finished_at = case when ${nextState('d')} <> 'pending' then coalesce(d.finished_at, ${now()}) end
      from made
      where d.id = any(${ids}::uuid[]) and d.id = made.id and d.token = made.token and d.lease_owner = ${owner}::uuid
        and d.state in ('pending', 'cancelled')
      returning d.id, d.user_id, d.webhook_id, d.event_id, d.url, d.state, d.attempts, d.next_attempt_at,
        made.started_at, made.duration_ms,
        made.status, made.reason, made.detail, made.address, made.dns_ms, made.connect_ms, made.tls_ms,
        made.first_byte_ms, made.excerpt
    ), logged as (
      insert into webhook_attempts (delivery_id, number, started_at, duration_ms, status, reason, detail, address,
        dns_ms, connect_ms, tls_ms, first_byte_ms, excerpt, next_attempt_at)
      select id, attempts, started_at, duration_ms, status, reason, detail, address,
        dns_ms, connect_ms, tls_ms, first_byte_ms, excerpt, next_attempt_at
      from written
    )
    select id, user_id, webhook_id, event_id, url, state, reason from written`.execute(db);
  return rows;
}

function nextState(row: 'd') {
  return sql`case
    when ${sql.ref(row)}.state = 'cancelled' then 'cancelled'
    when made.reason is null then 'delivered'
    when made.final or ${sql.ref(row)}.retries_left = 0 then 'failed'
    else 'pending' end`;
}

function asRow({ delivery, outcome, startedAt, final }: RecordedOutcome): object {
  const { timings } = outcome;
  return {
    id: delivery.id,
    token: delivery.token,
    started_at: startedAt,
    duration_ms: outcome.durationMs,
    status: outcome.status,
    reason: outcome.reason,
    final,
    detail: outcome.detail,
    address: outcome.address,
    dns_ms: timings.dnsMs,
    connect_ms: timings.connectMs,
    tls_ms: timings.tlsMs,
    first_byte_ms: timings.firstByteMs,
    excerpt: outcome.excerpt,
  };
}

/** The secret that a receiver accepts signs first from now on. */
async function noteAccepted(trx: Transaction<Database>, outcomes: readonly RecordedOutcome[]): Promise<void> {
  for (const { delivery, accepted } of outcomes) {
    if (accepted === null) continue;
    const previousFirst = accepted === 'previous';
    await trx
      .updateTable('webhooks')
      .set({ previous_first: previousFirst })
      .where('id', '=', delivery.webhookId)
      .where('previous_first', '<>', previousFirst)
      .execute();
  }
}
