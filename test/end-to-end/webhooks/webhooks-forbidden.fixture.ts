/**
 * Runs inside a network namespace where every address leads to this machine, so that a connection to any address would
 * succeed, and the kernel counts every connection that was begun. Prints one JSON line for each scenario.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { createConnect } from '../../../src/webhooks/connect-checked.ts';
import { openPoster, type Poster } from '../../../src/webhooks/open-poster.ts';
import { queryNameServers } from '../../../src/webhooks/resolve-host.ts';
import { startNameServer, type NameAnswer } from '../name-server.ts';
import { LITERAL_HOSTS } from './webhook-url-vectors.ts';
import { TEST_AUTHORITY, testCertificate } from './webhooks-receiver.ts';

const TRIES = Number(process.env['REBINDING_TRIES']);
const PUBLIC = ['93.184.216.34', '2606:2800:220:1:248:1893:25c8:1946'] as const;
const FORBIDDEN = [
  '127.0.0.1',
  '169.254.169.254',
  '10.1.2.3',
  '192.168.0.1',
  '100.64.0.1',
  '0.0.0.0',
  '168.63.129.16',
  '224.0.0.1',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::7f00:1',
  '64:ff9b::a00:1',
  '2002:a00:1::1',
  '2001::1',
  'fd00:ec2::254',
  'fe80::1',
  'fec0::1',
  'ff02::1',
] as const;

const accepted: string[] = [];
let redirectTo = '';
const server = createServer(testCertificate('valid'), (request, response) => {
  request.resume();
  // Closed each time, so that each attempt looks the name up.
  if (redirectTo === '') response.writeHead(200, { connection: 'close' }).end();
  else response.writeHead(Number(redirectTo.slice(0, 3)), { location: redirectTo.slice(4) }).end();
});
server.on('connection', (socket) => accepted.push(String(socket.localAddress).replace(/^::ffff:/, '')));
await new Promise<void>((done) => server.listen(443, '::', done));

let answer: (family: 4 | 6, count: number) => NameAnswer = () => ({ addresses: [] });
await using names = await startNameServer((_name, family, count) => answer(family, count));
const resolve = queryNameServers([names.address]);
let nextName = 0;

/** What came of one attempt to the name, connections the kernel counted, and where they arrived. */
async function scenario(name: string, run: (post: (url: string) => Promise<string>) => Promise<void>): Promise<void> {
  const [opensBefore, acceptedBefore] = [activeOpens(), accepted.length];
  const outcomes: Record<string, number> = {};
  const poster = createPoster();
  await run(async (url) => {
    const result = await poster.post({ url, headers: {}, body: '{}' }, new AbortController().signal);
    const outcome = result?.reason ?? String(result?.status);
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    return outcome;
  });
  poster.close();
  const line = {
    name,
    outcomes,
    opens: activeOpens() - opensBefore,
    accepted: [...new Set(accepted.slice(acceptedBefore))],
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function createPoster(): Poster {
  return openPoster({
    connect: createConnect({ allowLocal: false, resolve, ca: [TEST_AUTHORITY] }),
    deadlineMs: 5_000,
  });
}

/** Connections this namespace has begun since it exists, over IPv4 and IPv6. */
function activeOpens(): number {
  const [names = '', values = ''] = readFileSync('/proc/net/snmp', 'utf8').match(/^Tcp: .*$/gm) ?? [];
  return Number(values.split(' ')[names.split(' ').indexOf('ActiveOpens')]);
}

function only(...addresses: readonly string[]): void {
  answer = () => ({ addresses });
}

const freshUrl = (): string => `https://n${nextName++}.receivers.test/`;

await scenario('a public address is reached', async (post) => {
  for (const address of PUBLIC) {
    only(address);
    await post(freshUrl());
  }
});
await scenario('C1 public, then inside', async (post) => {
  for (const forbidden of FORBIDDEN) {
    const url = freshUrl();
    only(PUBLIC[0]);
    await post(url);
    only(forbidden);
    await post(url);
  }
});
await scenario('C1 alternating', async (post) => {
  const url = freshUrl();
  answer = (_family, count) => ({
    addresses: count % 2 === 1 ? PUBLIC : [FORBIDDEN[(count / 2) % FORBIDDEN.length] as string],
  });
  for (let i = 0; i < TRIES; i++) await post(url);
});
await scenario('C3 literals', async (post) => {
  for (const host of LITERAL_HOSTS) await post(`https://${host}/`);
});
await scenario('C4 mixed', async (post) => {
  for (const forbidden of FORBIDDEN) {
    only(...PUBLIC, forbidden);
    await post(freshUrl());
    only(forbidden, ...PUBLIC);
    await post(freshUrl());
  }
});
await scenario('C4 alias', async (post) => {
  for (const forbidden of FORBIDDEN) {
    answer = () => ({ alias: 'inside.example.internal', addresses: [forbidden] });
    await post(freshUrl());
  }
});
await scenario('C4 one of 64', async (post) => {
  const many = Array.from({ length: 63 }, (_, i) => `93.184.216.${i + 1}`);
  only(...many, '10.0.0.1');
  await post(freshUrl());
});
await scenario('C5 redirects', async (post) => {
  only(PUBLIC[0]);
  for (const status of [301, 302, 303, 307, 308])
    for (const target of ['https://127.0.0.1/', 'http://169.254.169.254/latest/', 'https://93.184.216.35/']) {
      redirectTo = `${status} ${target}`;
      await post(freshUrl());
    }
});
server.closeAllConnections();
server.close();
