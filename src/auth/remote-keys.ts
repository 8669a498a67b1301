import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { Problem } from '../errors.ts';
import { DAY_MS } from '../durations.ts';

export interface RemoteKeysOptions {
  /** Milliseconds since 1970; default `Date.now`. */
  readonly clock?: () => number;
  /** Reads the key set; default an HTTP GET without redirects, 5 s and 256 KiB at most. */
  readonly read?: (url: string, signal: AbortSignal) => Promise<JSONWebKeySet>;
  /** Shortest time between two requests to the key host, whatever tokens name; default 30,000 ms. */
  readonly cooldownMs?: number;
  /** Age at which keys are read again in the background; default 600,000 ms. */
  readonly refreshMs?: number;
  /** Age beyond which keys are no longer trusted while their host cannot be reached; default 86,400,000 ms. */
  readonly maxAgeMs?: number;
}

const READ_TIMEOUT_MS = 5_000;
const MAX_BYTES = 256 * 1024;

/**
 * Finds the verification key of a JWT in the key set (JWKS) at `url`. The host is queried at most once per cooldown, a failed
 * request counts too, so a flood of unknown key ids never reaches it. While it is down the keys read before keep working;
 * without any, `Problem('dependency_unavailable')` is thrown: never open.
 */
export function remoteKeys(url: string, options: RemoteKeysOptions = {}): JWTVerifyGetKey {
  const { clock = Date.now, read = readKeySet, cooldownMs = 30_000, refreshMs = 600_000, maxAgeMs = DAY_MS } = options;
  let keys: JWTVerifyGetKey | null = null;
  let loadedAt = -Infinity;
  let queriedAt = -Infinity;
  let pending: Promise<void> | null = null;

  const load = (): Promise<void> => {
    if (pending !== null) return pending;
    if (clock() - queriedAt < cooldownMs) return Promise.reject(new Error('the key host was queried a moment ago'));
    queriedAt = clock();
    pending = read(url, AbortSignal.timeout(READ_TIMEOUT_MS))
      .then((set) => {
        keys = createLocalJWKSet(set);
        loadedAt = queriedAt;
      })
      .finally(() => {
        pending = null;
      });
    return pending;
  };

  const currentKeys = async (): Promise<JWTVerifyGetKey> => {
    const age = clock() - loadedAt;
    if (keys !== null && age < refreshMs) return keys;
    const loading = load();
    // Keys that can still be trusted answer at once; the outcome of the reload shows in the next request.
    if (keys !== null && age < maxAgeMs) void loading.catch(() => {});
    else
      await loading.catch((cause: unknown) => {
        throw new Problem('dependency_unavailable', 'The keys of the token issuer cannot be read at the moment.', {
          cause,
          retryAfterS: Math.ceil(cooldownMs / 1000),
        });
      });
    return keys!;
  };

  return async (header, token) => {
    const current = await currentKeys();
    try {
      return await current(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      // The issuer may have begun to sign with a new key; a host that is down or was just queried leaves the token unknown.
      await load().catch(() => {
        throw error;
      });
      return await keys!(header, token);
    }
  };
}

async function readKeySet(url: string, signal: AbortSignal): Promise<JSONWebKeySet> {
  const response = await fetch(url, {
    signal,
    redirect: 'error',
    headers: { accept: 'application/jwk-set+json, application/json' },
  });
  if (response.status !== 200 || response.body === null)
    throw new Error(`wanted status 200 from the key host, got ${response.status}`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.byteLength;
    if (length > MAX_BYTES) throw new Error(`wanted a key set of at most ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  // createLocalJWKSet checks the shape and throws when it is not a key set.
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as JSONWebKeySet;
}
