import type { Config } from '../config.ts';

export interface CommandOption {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** What stands for the value in the help, such as `FILE` or `METRES`. */
  readonly value?: string;
  readonly doc: string;
}

export interface CommandArgument {
  readonly name: string;
  readonly doc: string;
  readonly required: boolean;
}

/** Where a command writes and what it was given. Results go to `out`, everything said to a person goes to `err`. */
export interface CommandContext {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly config: Config;
  readonly out: NodeJS.WritableStream;
  readonly err: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  /** Aborts on the first Ctrl-C or SIGTERM. */
  readonly signal: AbortSignal;
}

/** One command of the command line: its reference page is generated from this, and so is its `--help`. */
export interface Command {
  /** One to three words: `serve`, `token create`, `data import osm`. */
  readonly name: string;
  readonly summary: string;
  readonly args: readonly CommandArgument[];
  readonly options: Readonly<Record<string, CommandOption>>;
  readonly examples: readonly string[];
  /** Returns the exit code: 0 done, 1 done with findings or failed, 2 called wrongly. */
  run(context: CommandContext): Promise<number>;
}

/** A call that cannot be understood; the message says what was wanted. Exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
