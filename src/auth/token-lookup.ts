import { credentialDigest } from './tokens.ts';
import type { CredentialStore, TokenRecord } from './principal.ts';
import { sameDigest } from './same-digest.ts';

export interface TokenLookupOptions {
  /** Milliseconds since 1970; default `Date.now`. */
  readonly clock?: () => number;
  /** Told when a token's last use could not be recorded; the request goes on. Default: nobody. */
  readonly onTouchFailed?: (error: unknown) => void;
}

/** Milliseconds an answer of the database is believed; below the second in which a revoked token must stop working. */
const BELIEVED_MS = 500;
const TOUCH_EVERY_MS = 60_000;
const MAX_ENTRIES = 10_000;

interface Entry {
  readonly record: Promise<TokenRecord | null>;
  readonly askedAt: number;
}

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
  const recent = new Map<string, Entry>();
  const touchedAt = new Map<string, number>();

  return async (token) => {
    const digest = credentialDigest(token);
    const key = Buffer.from(digest).toString('base64');
    const now = clock();
    let entry = recent.get(key);
    if (entry === undefined || now - entry.askedAt >= BELIEVED_MS) {
      entry = { record: find(store, digest), askedAt: now };
      entry.record.catch(() => recent.delete(key));
      remember(recent, key, entry);
    }
    const record = await entry.record;
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

/** A Map keeps the order of insertion, so its first key is the oldest. */
function remember<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  if (map.size >= MAX_ENTRIES) map.delete(map.keys().next().value!);
  map.set(key, value);
}
