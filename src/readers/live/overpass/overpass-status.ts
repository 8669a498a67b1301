import { sendUpstream } from '../upstream-request.ts';
import { HOUR_MS } from '../../../durations.ts';

/** Longest wait that is believed, in milliseconds. */
const LONGEST_MS = HOUR_MS;

/**
 * How long an Overpass server keeps this address waiting, in milliseconds: it answers 429 without `Retry-After`, and its
 * `/api/status` says "Slot available after: ..., in 12 seconds." Null when it says no such thing.
 */
export async function overpassQuietMs(
  name: string,
  interpreterUrl: string,
  signal: AbortSignal,
): Promise<number | null> {
  const url = interpreterUrl.replace(/\/interpreter$/, '/status');
  if (url === interpreterUrl) return null;
  const text = await sendUpstream({ method: 'GET', url }, { name, attemptMs: 2_000, maxBytes: 65_536 }, signal);
  if (/\d+ slots? available now/.test(text)) return 0;
  const waits = Array.from(text.matchAll(/in (\d{1,7}) seconds/g), ([, seconds]) => Number(seconds) * 1000);
  return waits.length === 0 ? null : Math.min(LONGEST_MS, ...waits);
}
