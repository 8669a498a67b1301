import { hostname, userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import type { AuditedAct, NewAct } from '../auth/audit-log.ts';
import type { Config } from '../config/settings.ts';
import type { Problem } from '../errors.ts';
import { UsageError, type CommandContext, type CommandEntry, type CommandShape } from './command.ts';
import { overview, usage } from './usage.ts';

interface Surroundings extends Pick<CommandContext, 'out' | 'err' | 'signal'> {
  /** Called only by commands that run, so that `--help` works with a broken configuration. */
  readonly readConfig: () => Promise<Config>;
  readonly version: string;
}

/** Finds the command that `argv` names, runs it and returns its exit code: 0 done, 1 failed, 2 called wrongly. */
export async function runCommand(
  commands: readonly CommandEntry[],
  argv: readonly string[],
  around: Surroundings,
): Promise<number> {
  if (argv.includes('--version') || argv[0] === 'version') return say(around.out, `${around.version}\n`, 0);
  if (argv.length === 0) return say(around.err, overview(commands), 2);
  const entry = find(commands, argv);
  if (entry === undefined)
    return wantsHelp(argv) ? say(around.out, overview(commands), 0) : unknown(commands, argv, around);
  const rest = argv.slice(entry.name.split(' ').length);
  const command = await entry.load();
  if (rest.includes('--help') || rest.includes('-h')) return say(around.out, usage(entry, command), 0);
  try {
    const { args, options } = parse(command, rest);
    const { out, err, signal, readConfig } = around;
    if ('runBare' in command) return await command.runBare({ args, options, out, err, signal, readConfig, commands });
    const config = await readConfig();
    const actOf = (act: AuditedAct): NewAct => commandAct(entry.name, act, { args, options });
    await using changes = entry.changesData === true ? await watchData(config, signal) : null;
    const code = await command.run({ args, options, config, out, err, signal, actOf });
    if (code === 0) await changes?.share(err);
    if (code === 0 && entry.audit !== undefined) await record(entry.name, actOf(entry.audit), config, err);
    return code;
  } catch (error) {
    return explain(error, entry, around.err);
  }
}

async function watchData(config: Config, signal: AbortSignal) {
  if (config.objectStoreUrl === null) return null;
  const { watchChanges } = await import('../service/shared-data/share-changes.ts');
  return watchChanges(config, signal);
}

/** A command whose work is done does not fail because its record cannot be written; it says so. */
async function record(name: string, act: NewAct, config: Config, err: NodeJS.WritableStream): Promise<void> {
  try {
    const { recordCommandAct } = await import('../app/audit.ts');
    await recordCommandAct(config, act);
  } catch (error) {
    err.write(`firstmile ${name}: this is missing from the audit log: ${(error as Error).message}\n`);
  }
}

/** What a command does, by whoever is signed in to the machine. */
function commandAct(
  name: string,
  act: AuditedAct,
  { args, options }: Pick<CommandContext, 'args' | 'options'>,
): NewAct {
  const actor = `${accountName()}@${hostname()}`;
  const target = [args[0], options['user'], options['label']].find((one) => typeof one === 'string') ?? '';
  const detail = { args, options };
  return { actor, credential: 'command', source: `firstmile ${name}`, act, target, detail };
}

/** Containers may run as a number that no account has. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

function find(commands: readonly CommandEntry[], argv: readonly string[]): CommandEntry | undefined {
  return commands.find((command) => command.name.split(' ').every((word, i) => argv[i] === word));
}

function wantsHelp(argv: readonly string[]): boolean {
  return ['help', '--help', '-h'].includes(argv[0] ?? '');
}

function unknown(commands: readonly CommandEntry[], argv: readonly string[], around: Surroundings): number {
  const family = commands.filter((command) => command.name.startsWith(`${argv[0]} `));
  if (family.length > 0 && wantsHelp(argv.slice(1))) return say(around.out, overview(family), 0);
  if (family.length > 0) return say(around.err, overview(family), 2);
  return say(around.err, `firstmile: there is no command "${argv[0]}"; firstmile --help lists them\n`, 2);
}

function parse(command: CommandShape, argv: readonly string[]): Pick<CommandContext, 'args' | 'options'> {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, option]) => [
      name,
      option.short ? { type: option.type, short: option.short } : { type: option.type },
    ]),
  );
  const { positionals: given, values } = parseArgs({
    args: argv.map(shieldNumber),
    options,
    allowPositionals: true,
    strict: true,
  });
  const positionals = given.map(unshield);
  const needed = command.args.filter((arg) => arg.required);
  const missing = needed[positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing.name} is missing: ${missing.doc}`);
  if (positionals.length > command.args.length)
    throw new UsageError(`"${positionals[command.args.length]}" is one argument too many`);
  const unshielded = Object.entries(values).map(([name, value]) => [
    name,
    typeof value === 'string' ? unshield(value) : value,
  ]);
  return { args: positionals, options: Object.fromEntries(unshielded) as CommandContext['options'] };
}

/** Stands before a negative number, which would be taken for an option. No argument of a process can hold it. */
const SHIELD = '\u0000';

function shieldNumber(word: string): string {
  return /^-(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word) ? `${SHIELD}${word}` : word;
}

function unshield(word: string): string {
  return word.startsWith(SHIELD) ? word.slice(SHIELD.length) : word;
}

function explain(error: unknown, command: CommandEntry, err: NodeJS.WritableStream): number {
  if (error instanceof UsageError || isParseArgsError(error)) {
    const advice = `firstmile ${command.name} --help explains it`;
    return say(err, `firstmile ${command.name}: ${(error as Error).message}\n${advice}\n`, 2);
  }
  // By name: the class of configuration errors comes with the settings, which an error need not load.
  if (error instanceof Error && error.name === 'ConfigError')
    return say(err, `firstmile: a setting cannot be used\n${indent(error.message)}\n`, 2);
  if (isProblem(error)) {
    const more = error.errors.filter(({ detail }) => detail !== error.message);
    const details = more.map(
      (entry) => `  ${entry.pointer ?? (entry.index === undefined ? '' : `feature ${entry.index}`)} ${entry.detail}`,
    );
    // What a client of the service may not read is meant for whoever runs the command.
    const cause = error.code === 'dependency_unavailable' && error.cause instanceof Error ? [error.cause.message] : [];
    return say(err, [`firstmile ${command.name}: ${error.message}`, ...cause, ...details, ''].join('\n'), 1);
  }
  if (error instanceof Error && error.name === 'AbortError')
    return say(err, `firstmile ${command.name}: stopped\n`, 130);
  return say(err, `firstmile ${command.name}: ${error instanceof Error ? error.message : String(error)}\n`, 1);
}

function isProblem(error: unknown): error is Problem {
  return error instanceof Error && error.name === 'Problem';
}

function isParseArgsError(error: unknown): boolean {
  return error instanceof TypeError && String((error as { code?: unknown }).code).startsWith('ERR_PARSE_ARGS');
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}

function say(stream: NodeJS.WritableStream, text: string, code: number): number {
  stream.write(text);
  return code;
}
