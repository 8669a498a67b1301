import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** What came at the receiver of webhooks. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** By the rules of Standard Webhooks. */
export function isSigned({ headers, body }: Received, secret: string): boolean {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return headers['webhook-signature'] === `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
