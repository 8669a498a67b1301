/**
 * One place through HTTP at 16 connections, next to Fastify and Node alone that answer the same bytes without looking at the
 * request: what a request costs in the serving thread. With a checkout of an older version its service takes turns too.
 * Run: node bench/one-request.ts [FOLDER of another checkout]
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RunningProcess, RunOptions } from '../test/end-to-end/run-service.ts';
import { processorMs } from './process-figures.ts';
import { explained } from './read-profile.ts';
import { saveResult, type BenchProfile, type BenchRow, type PeerRatio } from './results.ts';
import { median, quantile, ROUNDS } from './rounds.ts';

const CONNECTIONS = 16;
const SECONDS = Number(process.env['SECONDS'] ?? 4);
const PROFILE_SECONDS = 20;
const BARE = join(import.meta.dirname, 'peers/bare-server.ts');
const LOAD = join(import.meta.dirname, 'request-load.ts');
const QUERY = new URLSearchParams({
  geometry: 'POINT(101.4478 0.5071)',
  commodity_type: 'palm',
  facility_name: 'Mill',
  check_water_access: 'true',
  check_port_proximity: 'true',
}).toString();
const PATH = `/validate_facility?${QUERY}`;

interface Contender extends AsyncDisposable {
  readonly name: string;
  readonly url: string;
  readonly token: string;
  readonly pid: number;
  readonly rounds: Round[];
}

interface Round {
  /** Answers a second. */
  readonly rate: number;
  /** Microseconds of processor in the serving thread, and in all threads of the process, for one answer. */
  readonly thread: number;
  readonly process: number;
  readonly latencies: readonly number[];
}

async function main(): Promise<void> {
  const before = process.argv[2];
  await using ours = await service('ours', join(import.meta.dirname, '..'));
  const body = await (await fetch(ours.url + PATH, { headers: { authorization: `Bearer ${ours.token}` } })).text();
  await using plain = await bare('node', body);
  await using fastify = await bare('fastify', body);
  await using older = before === undefined ? null : await service('before', before);
  const all = [ours, plain, fastify, ...(older === null ? [] : [older])];
  for (let round = 0; round <= ROUNDS; round++)
    for (const one of all) {
      const measured = await measure(one);
      if (round > 0) one.rounds.push(measured);
      console.log(
        one.name.padEnd(8),
        `${measured.rate.toFixed(0)}/s, ${measured.thread.toFixed(0)} us in the thread, ${measured.process.toFixed(0)} us in all`,
      );
    }
  const profiles = [
    ...(before === undefined ? [] : [{ what: 'one place, before', entries: await profileOf(before) }]),
    { what: 'one place, now', entries: await profileOf(join(import.meta.dirname, '..')) },
  ];
  saveResult('one-request', [row(ours, [plain, fastify], older)], ROUNDS, profiles);
}

function profileOf(folder: string): Promise<BenchProfile['entries']> {
  return explained(async (env) => {
    const { stop, ...one } = await service('profiled', folder, env);
    await measure(one, PROFILE_SECONDS);
    await stop();
  }, 'main');
}

function row(ours: Contender, floors: readonly Contender[], older: Contender | null): BenchRow {
  const of = (one: Contender, key: 'rate' | 'thread' | 'process'): number =>
    median(one.rounds.map((round) => round[key]));
  const times = (one: Contender): Pick<PeerRatio, 'times' | 'processor'> => ({
    times: of(ours, 'rate') / of(one, 'rate'),
    processor: of(one, 'thread') / of(ours, 'thread'),
  });
  const latencies = ours.rounds.flatMap((round) => round.latencies);
  const names: Record<string, string> = { node: 'bare `node:http`, same bytes', fastify: 'bare Fastify, same bytes' };
  const [own, floor] = [of(ours, 'thread'), of(floors[0], 'thread')];
  return {
    what: `one place, all checks that have data, ${CONNECTIONS} connections; what a request costs in the serving thread`,
    ours:
      `${Math.round(of(ours, 'rate')).toLocaleString('en')} a second, ${own.toFixed(0)} µs of processor in the thread ` +
      `(${of(ours, 'process').toFixed(0)} in all threads), which is ${Math.round(1e6 / own).toLocaleString('en')} a second of a core of its own; ` +
      `p50 ${quantile(latencies, 0.5).toFixed(1)}, p99 ${quantile(latencies, 0.99).toFixed(1)} ms`,
    peers: [
      ...(older === null ? [] : [{ name: 'this service before', ...times(older) }]),
      ...floors.map((one) => ({ name: names[one.name], strongest: true, ...times(one) })),
    ],
    goal: '6,000 a second of one thread',
    limit: `sockets, parser and headers of \`node:http\`, ${floor.toFixed(0)} µs; ours is ${(own / floor).toFixed(1)} times that`,
  };
}

async function measure(one: Pick<Contender, 'pid' | 'url' | 'token'>, seconds = SECONDS): Promise<Round> {
  const [thread, all] = [processorMs(`${one.pid}/task/${one.pid}`), processorMs(one.pid)];
  const args = [LOAD, one.url + PATH, String(CONNECTIONS), String(seconds), one.token];
  const { done, latencies } = JSON.parse(await output(args)) as { done: number; latencies: number[] };
  return {
    rate: done / seconds,
    thread: ((processorMs(`${one.pid}/task/${one.pid}`) - thread) * 1e3) / done,
    process: ((processorMs(one.pid) - all) * 1e3) / done,
    latencies,
  };
}

async function output(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  return (await Array.fromAsync(child.stdout.setEncoding('utf8'))).join('');
}

async function service(
  name: string,
  folder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Contender & { stop(): Promise<unknown> }> {
  const path = pathToFileURL(join(folder, 'test/end-to-end/run-service.ts')).href;
  const { runService } = (await import(path)) as { runService: (options: RunOptions) => Promise<RunningProcess> };
  const running = await runService({ database: 'embedded', env });
  while ((await fetch(`${running.url}/readyz`)).status !== 200) await new Promise((done) => setTimeout(done, 200));
  const { url, token, pid } = running;
  return {
    name,
    url,
    token,
    pid,
    rounds: [],
    stop: () => running.stop(),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  };
}

async function bare(name: string, body: string): Promise<Contender> {
  const child = spawn(process.execPath, [BARE, name], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(body);
  const url = await new Promise<string>((done) =>
    child.stdout.setEncoding('utf8').once('data', (text: string) => done(text.trim())),
  );
  return {
    name,
    url,
    token: 'none',
    pid: child.pid ?? 0,
    rounds: [],
    async [Symbol.asyncDispose]() {
      const ended = new Promise((done) => child.once('exit', done));
      child.kill();
      await ended;
    },
  };
}

await main();
