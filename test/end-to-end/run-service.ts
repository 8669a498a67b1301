import { existsSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { anyDatabase, embeddedDatabase, type TestDatabase } from '../contracts/engines.ts';
import { copyFirstDatabase } from '../first-database.ts';
import { isWholeRun } from '../property-runs.ts';
import { ROOT, startHere, startProcess, type Started } from './run-program.ts';

export { ROOT };

export interface RunningProcess extends AsyncDisposable {
  readonly url: string;
  /** The bootstrap token the process was started with. */
  readonly token: string;
  readonly dataDir: string;
  /** Where a command finds the same data. */
  readonly settings: Readonly<Record<string, string>>;
  /** Of its process, which is that of the test unless it is an `ownProcess`. */
  readonly pid: number;
  /** Everything written so far. */
  readonly output: () => { out: string; err: string };
  /** Sends the signal and resolves with the exit code once it has ended; in the process of the test every signal is SIGTERM. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** Milliseconds from the start of the process to the line with its address. */
  readonly startMs: number;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A data folder, kept afterwards; without it a new one is made and removed. */
  readonly dataDir?: string;
  /** Default: a DATABASE_URL in `env` decides, then a `dataDir`, in which it is embedded, then `any`. */
  readonly database?: 'embedded' | 'any';
  /** Default false. With true the process makes by itself what a first start makes and the folder lacks: seconds of it. */
  readonly firstStart?: boolean;
  /** Default `serve`; a `worker` has no address. */
  readonly command?: 'serve' | 'worker';
  /** Working directory of a process of its own; default the root of the repository. */
  readonly cwd?: string;
  /**
   * Whether it runs in a process of its own, with the flags that `bin/firstmile.js` gives it, rather than in that of the test, where
   * a start takes a fraction of the processor time. Default: in `npm run test:all`, and outside of tests: a benchmark measures a
   * process that does nothing else. Always true of a worker, of a first start and with a `cwd`.
   */
  readonly ownProcess?: boolean;
}

const TOKEN = 'end-to-end-test-token-0123456789abcdef';
const START_TIMEOUT_MS = 240_000;
/** Whether the test runner started this process. */
const isTest = process.env['NODE_TEST_CONTEXT'] !== undefined;

/** Starts the real program on a free port and waits for its address. */
export async function runService(options: RunOptions = {}): Promise<RunningProcess> {
  const own = await ownDatabase(options);
  const dataDir = options.dataDir ?? own.dataDir;
  const databaseUrl = options.env?.['DATABASE_URL'] ?? own.databaseUrl;
  const settings = {
    DATA_DIR: dataDir,
    ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
    ...(own.databaseUrl !== null && { SECRETS_KEY: `test:${Buffer.alloc(32, 7).toString('base64')}` }),
  };
  if (options.firstStart !== true) {
    await shareSampleDistrict(dataDir);
    if (databaseUrl === null) await copyFirstDatabase(dataDir);
  }
  const begun = performance.now();
  const command = options.command ?? 'serve';
  const env = {
    PORT: '0',
    ...settings,
    FIRSTMILE_TOKEN: TOKEN,
    RATE_LIMIT: 'off',
    LOG_FORMAT: 'json',
    // What plots lost must not depend on whether the machine has a network.
    PUBLIC_RASTERS: 'off',
    AUTO_DATA: 'off',
    // Processes of a test are on one machine.
    DATA_DIR_SHARED: 'on',
    // What tasks in another process cannot do without.
    ...(command === 'worker' || options.env?.['RUN_TASKS'] === 'off'
      ? { PUBLIC_URL: 'https://firstmile.example.org' }
      : {}),
    ...options.env,
  };
  const isOwn =
    isWholeRun ||
    !isTest ||
    options.ownProcess === true ||
    options.firstStart === true ||
    options.cwd !== undefined ||
    command === 'worker';
  const started = isOwn
    ? startProcess([command], env, { ...(options.cwd !== undefined && { cwd: options.cwd }) })
    : startHere([command], { SHUTDOWN_TIMEOUT_S: '1', ...env });
  const { pid, output, stop } = started;
  const url = await addressOf(started);
  const startMs = performance.now() - begun;
  return {
    url,
    token: options.env?.['FIRSTMILE_TOKEN'] ?? TOKEN,
    dataDir,
    settings,
    pid,
    output,
    stop,
    startMs,
    fetch: (path, init = {}) =>
      fetch(`${url}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${TOKEN}`, ...(init.headers as Record<string, string>) },
      }),
    async [Symbol.asyncDispose]() {
      await stop('SIGKILL');
      // The process that packs built-in data outlives a killed service for a moment and may be writing a file meanwhile.
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true, maxRetries: 10 });
      await own.drop();
    },
  };
}

/** A database that nobody else has, for a process that was not given one. */
async function ownDatabase({ dataDir, database, env = {} }: RunOptions): Promise<TestDatabase> {
  const isGiven = env['DATABASE_URL'] !== undefined || (dataDir !== undefined && database !== 'any');
  if (isGiven && dataDir !== undefined) return { dataDir, databaseUrl: null, drop: async () => {} };
  return isGiven || database === 'embedded' ? embeddedDatabase() : anyDatabase();
}

/**
 * The sample district takes seconds to make: a data folder that is not about a first start has it from the one before,
 * unless it has its own.
 */
export async function shareSampleDistrict(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  if (existsSync(join(dataDir, 'sample-district'))) return;
  const shared = join(tmpdir(), 'firstmile-test-sample-district');
  await mkdir(shared, { recursive: true });
  await symlink(shared, join(dataDir, 'sample-district'), 'junction');
}

async function addressOf({ output, ended, stop }: Started): Promise<string> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  let exited = false;
  ended.then(
    () => (exited = true),
    () => (exited = true),
  );
  while (performance.now() < deadline) {
    const { out, err } = output();
    const printed = /Address:?\s+(http\S+)/.exec(out)?.[1];
    if (printed?.startsWith('http:') === true) return printed;
    // The log names the socket where the printed address is that of a proxy.
    const socket = printed === undefined ? null : /Server listening at (http:[^"]+)/.exec(out + err);
    if (socket?.[1] !== undefined) return socket[1];
    if (output().err.includes('worker is ready')) return '';
    if (exited) throw new Error(`the service ended before it listened:\n${output().out}\n${output().err}`);
    await new Promise((done) => setTimeout(done, 5));
  }
  await stop('SIGKILL');
  throw new Error(`the service did not listen within ${START_TIMEOUT_MS} ms:\n${output().out}\n${output().err}`);
}
