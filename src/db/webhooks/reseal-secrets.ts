import { sql } from 'kysely';
import type { WebhookParts } from './webhook-parts.ts';

/** One stored text and whose it is. */
export interface StoredSecret {
  readonly webhookId: string;
  readonly userId: string;
  readonly sealed: string;
}

export interface ResealedPage {
  /** Secrets looked at, and those of them whose text changed. */
  readonly seen: number;
  readonly changed: number;
  /** Where the next page begins, or null after the last. */
  readonly next: string | null;
}

const WEBHOOKS_A_PAGE = 500;

/**
 * Passes stored secrets through `change`, which returns the text to keep: those of the users after `after`, one page. Row
 * by row and compared with what was read, so that requests and deliveries go on meanwhile.
 */
export async function resealPage(
  { db }: Pick<WebhookParts, 'db'>,
  after: string,
  change: (secret: StoredSecret) => string,
): Promise<ResealedPage> {
  const rows = await db
    .selectFrom('webhooks')
    .select(['id', 'user_id', 'secret', 'previous_secret'])
    .where('user_id', '>', after)
    .orderBy('user_id')
    .limit(WEBHOOKS_A_PAGE)
    .execute();
  let [seen, changed] = [0, 0];
  for (const row of rows) {
    for (const column of ['secret', 'previous_secret'] as const) {
      const sealed = row[column];
      if (sealed === null) continue;
      seen++;
      const text = change({ webhookId: row.id, userId: row.user_id, sealed });
      if (text === sealed) continue;
      const result = await db
        .updateTable('webhooks')
        .set({ [column]: text })
        .where('id', '=', row.id)
        .where(column, '=', sealed)
        .executeTakeFirst();
      changed += Number(result.numUpdatedRows);
    }
  }
  return { seen, changed, next: rows.length < WEBHOOKS_A_PAGE ? null : (rows.at(-1)?.user_id ?? null) };
}

/** The same for every stored secret; returns how many changed. */
export async function resealSecrets(
  parts: Pick<WebhookParts, 'db'>,
  change: (secret: StoredSecret) => string,
): Promise<number> {
  let changed = 0;
  for (let after: string | null = ''; after !== null;) {
    const page: ResealedPage = await resealPage(parts, after, change);
    changed += page.changed;
    after = page.next;
  }
  return changed;
}

/** Secrets that a key other than this one sealed. */
export async function countSealedOtherwise({ db }: Pick<WebhookParts, 'db'>, keyId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (count(*) filter (where split_part(secret, '.', 1) <> ${keyId}) +
      count(*) filter (where split_part(previous_secret, '.', 1) <> ${keyId}))::int as count from webhooks`.execute(db);
  return rows[0]?.count ?? 0;
}
