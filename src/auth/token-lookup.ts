import { credentialDigest, sameDigest } from './tokens.ts';
import type { CredentialStore, TokenRecord } from './principal.ts';

export interface TokenLookupOptions {
  /** Milliseconds since 1970; default `Date.now`. */
  readonly clock?: () => number;
  /** Called when a token's last use could not be recorded; the request goes on. Default: nobody. */
  readonly onTouchFailed?: (error: unknown) => void;
}

const TOUCH_EVERY_MS = 60_000;

/** The record of an API token that is in force, or null. */
export type TokenLookup = (token: string) => Promise<TokenRecord | null>;

/**
 * Looks tokens up by their SHA-256, remembers an answer for half a second (requests of the same moment share one question)
 * and records the last use at most once a minute. Memory is bounded by 10,000 tokens.
 */
export function tokenLookup(
  store: Pick<CredentialStore, 'activeTokenByHash' | 'touchToken'>,
  options: TokenLookupOptions = {},
): TokenLookup {
  const { clock = Date.now, onTouchFailed = () => {} } = options;
  const recordOf = believed((key: string) => find(store, new Uint8Array(Buffer.from(key, 'base64'))), clock);
  const touchedAt = new Map<string, number>();

  return async (token) => {
    const now = clock();
    const record = await recordOf(Buffer.from(credentialDigest(token)).toString('base64'));
    if (record !== null && now - lastUse(record, touchedAt) >= TOUCH_EVERY_MS) {
      remember(touchedAt, record.id, now);
      store.touchToken(record.id).catch(onTouchFailed);
    }
    return record;
  };
}

async function find(
  store: Pick<CredentialStore, 'activeTokenByHash'>,
  digest: Uint8Array,
): Promise<TokenRecord | null> {
  const found = await store.activeTokenByHash(digest);
  return found !== null && sameDigest(found.hash, digest) ? found.record : null;
}

function lastUse(record: TokenRecord, touchedAt: ReadonlyMap<string, number>): number {
  return Math.max(touchedAt.get(record.id) ?? -Infinity, record.lastUsedAt?.getTime() ?? -Infinity);
}

/** Milliseconds an answer of the database is believed; below the second in which a revoked token must stop working. */
const BELIEVED_MS = 500;
const MAX_ENTRIES = 10_000;

/**
 * `find`, with each answer believed for half a second: requests of the same moment share one query. A query that fails is
 * not kept. Memory is bounded by 10,000 keys. `clock` is milliseconds since 1970.
 */
export function believed<T>(
  find: (key: string) => Promise<T>,
  clock: () => number = Date.now,
): (key: string) => Promise<T> {
  const recent = new Map<string, { readonly answer: Promise<T>; readonly at: number }>();
  return (key) => {
    const now = clock();
    const known = recent.get(key);
    if (known !== undefined && now - known.at < BELIEVED_MS) return known.answer;
    const entry = { answer: find(key), at: now };
    entry.answer.catch(() => recent.delete(key));
    remember(recent, key, entry);
    return entry.answer;
  };
}

/** A Map keeps the order of insertion, so its first key is the oldest. */
export function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  if (map.size >= MAX_ENTRIES) map.delete(map.keys().next().value!);
  map.set(key, value);
}
