import type { ReceivedWebhook } from './listen-server.ts';

const INDENT = ' '.repeat(10);

/** A webhook as lines for a terminal: what it is, whether it is genuine and if not why, what was answered, the body. */
export function describeWebhook(webhook: ReceivedWebhook, at: Date): string {
  const { type, id, attempt, sinceLastMs, verified, findings, response, body } = webhook;
  const since = sinceLastMs === null ? '' : `, ${(sinceLastMs / 1_000).toFixed(1)} s after the one before`;
  const lines = [
    `${at.toTimeString().slice(0, 8)}  ${type}  ${id}  attempt ${attempt}${since}`,
    `${INDENT}${verdict(verified)}  ->  ${answer(response)}`,
    ...findings.map(({ code, detail, fix }) => `${INDENT}${code}: ${detail} ${fix}`),
    ...pretty(body)
      .split('\n')
      .map((line) => `${INDENT}${line}`),
  ];
  return `${lines.map(printable).join('\n')}\n\n`;
}

function verdict(verified: boolean | null): string {
  if (verified === null) return 'not verified: no secret is known, give --secret or --token';
  return verified ? 'verified' : 'NOT VERIFIED';
}

function answer(response: ReceivedWebhook['response']): string {
  switch (response.kind) {
    case 'hang':
      return 'no answer';
    case 'close':
      return 'connection closed';
    case 'redirect':
      return '307 to /redirected';
    case 'status':
      return `${response.status}${response.afterMs > 0 ? ` after ${response.afterMs / 1_000} s` : ''}`;
  }
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** Control characters of another person's text could rewrite the terminal. */
function printable(line: string): string {
  return line.replaceAll(/\p{Cc}/gu, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
