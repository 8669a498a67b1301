import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';
import { Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';

export const ROOT = resolve(import.meta.dirname, '../..');
const PROGRAM = join(ROOT, 'bin/firstmile.js');

/** `firstmile` with some words, at work. */
export interface Started {
  readonly pid: number;
  /** Everything written so far. */
  readonly output: () => { out: string; err: string };
  /** The exit code once all of its output is there; null: a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Sends the signal, unless it has ended, and waits for the end. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

type Env = Readonly<Record<string, string>>;

/** In a process of its own, as users start it; standard input is given whole. */
export function startProcess(words: readonly string[], env: Env, { input = '', cwd = ROOT } = {}): Started {
  const child = spawn(process.execPath, [PROGRAM, ...words], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk));
  const exited = Promise.withResolvers<number | null>();
  const ended = Promise.withResolvers<number | null>();
  child.once('error', ended.reject).once('exit', exited.resolve).once('close', ended.resolve);
  child.stdin.on('error', () => {}).end(input);
  // Its output may stay open for longer, in a process that it started.
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return await exited.promise;
  };
  return { pid: child.pid ?? 0, output: () => ({ ...text }), ended: ended.promise, stop };
}

/** In this process, where nothing has to be loaded twice: a process of its own takes longer to start than most tests take. */
export function startHere(words: readonly string[], env: Env): Started {
  const controller = new AbortController();
  const text = { out: '', err: '' };
  const into = (name: keyof typeof text): Writable => {
    const decoder = new StringDecoder('utf8');
    return new Writable({
      write(chunk: Buffer, _, done) {
        text[name] += decoder.write(chunk);
        done();
      },
    });
  };
  const around = { env, signal: controller.signal, out: into('out'), err: into('err') };
  const ended = (program ??= loadProgram()).then(({ run }) => run(words, around));
  const stop = async () => {
    controller.abort();
    return await ended;
  };
  return { pid: process.pid, output: () => ({ ...text }), ended, stop };
}

type Program = typeof import('../../src/cli/main.ts');
let program: Promise<Program> | undefined;

/** What `bin/firstmile.js` runs. */
async function loadProgram(): Promise<Program> {
  const { builtProgram } = (await import(join(ROOT, 'bin/built-program.js'))) as { builtProgram(): string | null };
  const built = builtProgram();
  return (await import(built === null ? '../../src/cli/main.ts' : join(ROOT, 'bin', built))) as Program;
}
