import { credentialDigest } from './tokens.ts';
import { believed, remember } from './believed.ts';
import type { CredentialStore, TokenRecord } from './principal.ts';
import { sameDigest } from './same-digest.ts';

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
