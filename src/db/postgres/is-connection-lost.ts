const LOST_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  // PostgreSQL: the administrator ended the session, the server is shutting down, starting up or full.
  '57P01',
  '57P02',
  '57P03',
  '53300',
]);

/** What the driver says, without a code, about a socket that closed under it or a connection that did not come. */
const LOST_MESSAGES =
  /connection terminated|query read timeout|timeout exceeded when trying to connect|client has encountered a connection error|connection ended unexpectedly/i;

/** True when an error of the driver means that the server went away, not that it refused the statement. */
export function isConnectionLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as { code?: string };
  if (code !== undefined && (LOST_CODES.has(code) || code.startsWith('08'))) return true;
  return LOST_MESSAGES.test(error.message);
}
