import type { CommandContext } from './command.ts';
import { COMMANDS } from './commands.ts';
import { runCommand } from './run-command.ts';
import { packageVersion } from '../config/package-version.ts';

/** The longest that a timer takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The program: runs the command that `argv` names and returns the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const stop = new AbortController();
  const onSignal = () => {
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, onSignal);
  // A reader that goes away (`firstmile validate ... | head`) is no failure of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  // Threads that have nothing to do keep no process alive, also while somebody waits for their end: this does.
  const running = setInterval(() => {}, MAX_TIMER_MS);
  try {
    return await run(argv, { env: process.env, out: process.stdout, err: process.stderr, signal: stop.signal });
  } finally {
    clearInterval(running);
  }
}

interface Surroundings extends Pick<CommandContext, 'out' | 'err' | 'signal'> {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The program without what it has of its process. */
export function run(argv: readonly string[], { env, ...around }: Surroundings): Promise<number> {
  const readConfig = async () => (await import('../config/settings.ts')).readConfig(env);
  return runCommand(COMMANDS, argv, { ...around, version: packageVersion(), readConfig });
}
