import type { Config } from '../../config/settings.ts';
import { UsageError, type Command, type CommandContext } from '../command.ts';
import { untilStopped } from '../parts/until-stopped.ts';
import { listenForWebhooks, parseRespond, type ReceivedWebhook, RESPOND_DOC } from './listen-server.ts';

const INDENT = ' '.repeat(10);

export const webhookListen: Command = {
  args: [],
  options: {
    port: { type: 'string', value: 'PORT', doc: 'Port to listen on; default 9000, 0 takes a free one.' },
    secret: {
      type: 'string',
      value: 'SECRET',
      doc: 'The client_secret of the registration, to verify signatures with.',
    },
    token: {
      type: 'string',
      value: 'TOKEN',
      doc: 'Registers the receiver with the running service, requests a test event, and removes the registration at the end.',
    },
    service: { type: 'string', value: 'URL', doc: 'Address of the service; default that of the settings.' },
    respond: { type: 'string', value: 'HOW', doc: RESPOND_DOC },
  },
  examples: [
    'npx firstmile webhook listen --token $TOKEN',
    'npx firstmile webhook listen --secret whsec_... --respond fail-first=2',
    'npx firstmile webhook listen --respond slow',
  ],
  async run({ options, config, out, err, signal }) {
    const respond = parseRespond((options['respond'] as string | undefined) ?? 'ok');
    const port = parsePort(options['port'] as string | undefined);
    const service = ((options['service'] as string | undefined) ?? serviceUrl(config)).replace(/\/+$/, '');
    const token = options['token'] as string | undefined;
    let secret = (options['secret'] as string | undefined) ?? null;
    const receiver = await listenForWebhooks({
      port,
      secret: () => secret,
      respond,
      onWebhook: (webhook) => void out.write(describeWebhook(webhook, new Date())),
    });
    try {
      err.write(`Listening on ${receiver.url} until Ctrl-C.\n`);
      if (token === undefined) err.write(howToRegister(service, receiver.url));
      else secret = await register(service, token, receiver.url, err, signal);
      await untilStopped(signal);
    } finally {
      // In the way of a later registration, unlike a receiver that was registered by hand.
      if (token !== undefined && secret !== null)
        await call(service, token, 'DELETE', '/webhooks/remove').catch(() => {});
      await receiver.close();
    }
    return 0;
  },
};

async function register(
  service: string,
  token: string,
  url: string,
  err: CommandContext['err'],
  signal: AbortSignal,
): Promise<string> {
  const made = await call(service, token, 'POST', '/webhooks/register', { url }, signal);
  err.write(`Registered with ${service}; requesting a test event. The registration is removed at the end.\n\n`);
  void call(service, token, 'POST', '/webhooks/test', undefined, signal).catch((error: unknown) => {
    if (!signal.aborted) err.write(`${(error as Error).message}\n`);
  });
  return String(made['client_secret']);
}

async function call(
  service: string,
  token: string,
  method: string,
  path: string,
  body?: object,
  signal?: AbortSignal,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${service}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.any([AbortSignal.timeout(30_000), ...(signal ? [signal] : [])]),
  }).catch((error: Error) => {
    throw new Error(
      `no service answers at ${service}: ${(error.cause as Error | undefined)?.message ?? error.message}`,
      {
        cause: error,
      },
    );
  });
  const answer = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${String(answer['detail'])}`);
  return answer;
}

function howToRegister(service: string, url: string): string {
  return `
Register it with a service that runs with WEBHOOK_ALLOW_LOCAL=on:

  curl -s -X POST -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
    -d '{"url":"${url}"}' ${service}/webhooks/register

and start this command again with --secret and the client_secret of the answer, to have signatures verified.
A test event:

  curl -s -X POST -H "Authorization: Bearer $TOKEN" ${service}/webhooks/test

`;
}

function serviceUrl({ publicUrl, host, port }: Config): string {
  return publicUrl ?? `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${port}`;
}

function parsePort(text = '9000'): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535)
    throw new UsageError(`--port: wanted a port from 0 to 65535, got "${text}"`);
  return port;
}

/** A webhook as lines for a terminal: what it is, whether it is genuine and if not why, what was answered, the body. */
function describeWebhook(webhook: ReceivedWebhook, at: Date): string {
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
