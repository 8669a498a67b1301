import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { readdirSync } from 'node:fs';

const run = promisify(execFile);

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly host: string;
}

interface Sent {
  readonly method?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * What stands before several hosts: it sends each request to the next one that says it is ready, over connections that it keeps,
 * and never sends one again.
 */
export interface Balancer extends AsyncDisposable {
  send(path: string, wanted?: Sent): Promise<Answer>;
  ready(): readonly string[];
}

const LOOKS_EVERY_MS = 100;

export function openBalancer(hosts: () => readonly string[], authorization: string): Balancer {
  const agent = new Agent({ keepAlive: true });
  let ready: readonly string[] = [];
  let turn = 0;
  const closing = new AbortController();
  const looking = look();

  async function look(): Promise<void> {
    while (!closing.signal.aborted) {
      const now = [...hosts()];
      const states = await Promise.all(now.map((host) => sendTo(host, '/readyz', {}).catch(() => null)));
      ready = now.filter((_, i) => states[i]?.status === 200);
      await wait(LOOKS_EVERY_MS);
    }
  }

  function sendTo(host: string, path: string, { method = 'GET', body, headers = {} }: Sent): Promise<Answer> {
    return new Promise((done, fail) => {
      const sent = request(`${host}${path}`, { method, agent, headers: { authorization, ...headers } }, (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('end', () => done({ status: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString(), host }));
        answer.on('error', fail);
      });
      sent.on('error', fail);
      sent.end(body);
    });
  }

  return {
    ready: () => ready,
    async send(path, wanted = {}) {
      while (ready.length === 0) await wait(LOOKS_EVERY_MS);
      return sendTo(ready[turn++ % ready.length], path, wanted);
    },
    async [Symbol.asyncDispose]() {
      closing.abort();
      await looking;
      agent.destroy();
    },
  };
}

export interface OwnDatabase extends AsyncDisposable {
  readonly url: string;
  /** Ends the server at once, as a crash does, and starts it again. */
  restart(): Promise<void>;
}

/** Why a PostgreSQL server of one's own cannot be made here, or false. */
export function whyNoCluster(): string | false {
  if (process.getuid?.() !== 0) return 'wanted root, which may become the user postgres';
  return binaries() === null ? 'the programs of a PostgreSQL server are not installed' : false;
}

function binaries(): string | null {
  try {
    const [newest] = readdirSync('/usr/lib/postgresql').toSorted((a, b) => Number(b) - Number(a));
    return newest === undefined ? null : `/usr/lib/postgresql/${newest}/bin`;
  } catch {
    return null;
  }
}

/** A PostgreSQL server in a folder and on a port of its own. */
export async function startOwnDatabase(): Promise<OwnDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-postgres-'));
  const port = await freePort();
  const { stdout } = await run('id', ['-u', 'postgres']);
  await chown(folder, Number(stdout), -1);
  const as = (program: string, args: readonly string[]) =>
    run('runuser', ['-u', 'postgres', '--', join(binaries()!, program), '-D', join(folder, 'data'), ...args]);
  const start = () =>
    as('pg_ctl', [
      '-w',
      '-l',
      join(folder, 'log'),
      '-o',
      `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1`,
      'start',
    ]);
  await as('initdb', ['-A', 'trust', '--no-sync', '-E', 'UTF8']);
  await start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async restart() {
      await as('pg_ctl', ['-w', '-m', 'immediate', 'stop']);
      await start();
    },
    async [Symbol.asyncDispose]() {
      await as('pg_ctl', ['-w', '-m', 'immediate', 'stop']).catch(() => {});
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
