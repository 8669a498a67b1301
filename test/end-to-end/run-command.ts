import { isWholeRun } from '../property-runs.ts';
import { startHere, startProcess } from './run-program.ts';

export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/**
 * Runs `firstmile` with these words to its end: in this process, unless standard input is given or this is `npm run test:all`.
 */
export async function runCommand(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  input?: string,
): Promise<CommandResult> {
  const settings = { AUTO_DATA: 'off', ...env };
  const started =
    input === undefined && !isWholeRun ? startHere(words, settings) : startProcess(words, settings, { input });
  return { code: await started.ended, ...started.output() };
}

/** The same in a process of its own, as users run it. */
export async function runProcess(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<CommandResult> {
  const started = startProcess(words, { AUTO_DATA: 'off', ...env });
  return { code: await started.ended, ...started.output() };
}
