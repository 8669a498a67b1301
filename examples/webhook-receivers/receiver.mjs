// Receives webhooks with Node 18 or later: WEBHOOK_SECRET=whsec_... PORT=9000 node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

// While you rotate the secret, give both, separated by a comma.
const SECRETS = process.env.WEBHOOK_SECRET.split(',');
const TOLERANCE_S = 300;
const MAX_BODY_BYTES = 1_000_000;
const seen = new Set(); // In earnest: a table with a unique key on the event id.

createServer(async (request, response) => {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    if ((size += chunk.length) > MAX_BODY_BYTES) return response.writeHead(413).end();
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (!verify(body, request.headers['x-service-webhook-signature']))
    return response.writeHead(401).end('bad signature');
  const event = JSON.parse(body);
  if (!seen.has(event.id)) {
    seen.add(event.id);
    process.stdout.write(`${event.type} ${event.id}\n`); // Put it on a queue here; do slow work after the answer.
  }
  response.writeHead(200).end('ok');
}).listen(Number(process.env.PORT ?? 9000), '127.0.0.1');

/** True when the raw body was signed with one of our secrets within the tolerance. */
function verify(body, header) {
  const [, time, signature] = /^t=(\d{1,12}), ?v1=([0-9a-f]{64})$/.exec(header ?? '') ?? [];
  if (time === undefined || Math.abs(Date.now() / 1000 - Number(time)) > TOLERANCE_S) return false;
  const given = Buffer.from(signature, 'hex');
  return SECRETS.some((secret) => {
    const wanted = createHmac('sha256', secret).update(`${time}.`).update(body).digest();
    return timingSafeEqual(wanted, given);
  });
}
