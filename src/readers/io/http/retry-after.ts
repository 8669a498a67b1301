/**
 * Milliseconds that a `Retry-After` header (RFC 9110 section 10.2.3, seconds or an HTTP date) demands to wait from `now`
 * (milliseconds since 1970), never negative; null when it is absent or makes no sense.
 */
export function retryAfterMs(header: string | undefined, now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2,8}, /.test(text)) return null;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
