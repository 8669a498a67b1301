import type { AuditedAct, NewAct } from '../auth/audit-log.ts';
import type { Config } from '../config/settings.ts';

export interface CommandOption {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  /** What stands for the value in the help, such as `FILE` or `METRES`. */
  readonly value?: string;
  readonly doc: string;
}

interface CommandArgument {
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
  /** This call of the command as an act, for commands whose database records it with what they change. */
  readonly actOf: (act: AuditedAct) => NewAct;
}

/** A line of the table of commands: what the overview shows, and how to load the rest. */
export interface CommandEntry {
  /** One to three words: `serve`, `token create`, `data import osm`. */
  readonly name: string;
  readonly summary: string;
  /** The act that the log of administrative acts gets when the command ends with 0; absent: none, or its database does it. */
  readonly audit?: AuditedAct;
  /** Changes packs, registries or models, which processes share through a bucket where there is one. */
  readonly changesData?: true;
  load(): Promise<Command | BareCommand>;
}

/** What help, reference page, completions and manual page are made of, together with the entry in the table. */
export interface CommandShape {
  readonly args: readonly CommandArgument[];
  readonly options: Readonly<Record<string, CommandOption>>;
  readonly examples: readonly string[];
}

/** One command of the command line. */
export interface Command extends CommandShape {
  /** Returns the exit code: 0 done, 1 done with findings or failed, 2 called wrongly. */
  run(context: CommandContext): Promise<number>;
}

/** A command that also works where a setting cannot be used. */
export interface BareCommand extends CommandShape {
  runBare(context: BareContext): Promise<number>;
}

interface BareContext extends Omit<CommandContext, 'config' | 'actOf'> {
  /** Throws a `ConfigError` for settings that cannot be used. */
  readonly readConfig: () => Promise<Config>;
  /** The whole table. */
  readonly commands: readonly CommandEntry[];
}

/** A call that cannot be understood; the message says what was wanted. Exits with 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
