import { parseArgs } from 'node:util';
import { ConfigError } from '../config.ts';
import type { Config } from '../config.ts';
import { Problem } from '../errors.ts';
import { UsageError, type Command, type CommandContext } from './command.ts';
import { overview, usage } from './usage.ts';

export interface Surroundings extends Pick<CommandContext, 'out' | 'err' | 'signal'> {
  /** Called only by commands that run, so that `--help` works with a broken configuration. */
  readonly readConfig: () => Config;
  readonly version: string;
}

/** Finds the command that `argv` names, runs it and returns its exit code: 0 done, 1 failed, 2 called wrongly. */
export async function runCommand(
  commands: readonly Command[],
  argv: readonly string[],
  around: Surroundings,
): Promise<number> {
  if (argv.includes('--version') || argv[0] === 'version') return say(around.out, `${around.version}\n`, 0);
  if (argv.length === 0) return say(around.err, overview(commands), 2);
  const command = find(commands, argv);
  if (command === undefined)
    return asksForHelp(argv) ? say(around.out, overview(commands), 0) : unknown(commands, argv, around);
  const rest = argv.slice(command.name.split(' ').length);
  if (rest.includes('--help') || rest.includes('-h')) return say(around.out, usage(command), 0);
  try {
    const { args, options } = parse(command, rest);
    return await command.run({
      args,
      options,
      config: around.readConfig(),
      out: around.out,
      err: around.err,
      signal: around.signal,
    });
  } catch (error) {
    return explain(error, command, around.err);
  }
}

function find(commands: readonly Command[], argv: readonly string[]): Command | undefined {
  return commands.find((command) => command.name.split(' ').every((word, i) => argv[i] === word));
}

function asksForHelp(argv: readonly string[]): boolean {
  return ['help', '--help', '-h'].includes(argv[0] ?? '');
}

function unknown(commands: readonly Command[], argv: readonly string[], around: Surroundings): number {
  const family = commands.filter((command) => command.name.startsWith(`${argv[0]} `));
  if (family.length > 0) return say(around.err, overview(family), 2);
  return say(around.err, `firstmile: there is no command "${argv[0]}"; firstmile --help lists them\n`, 2);
}

function parse(command: Command, argv: readonly string[]): Pick<CommandContext, 'args' | 'options'> {
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

function explain(error: unknown, command: Command, err: NodeJS.WritableStream): number {
  if (error instanceof UsageError || isParseArgsError(error)) {
    const advice = `firstmile ${command.name} --help explains it`;
    return say(err, `firstmile ${command.name}: ${(error as Error).message}\n${advice}\n`, 2);
  }
  if (error instanceof ConfigError)
    return say(err, `firstmile: a setting cannot be used\n${indent(error.message)}\n`, 2);
  if (error instanceof Problem) {
    const more = error.errors.filter(({ detail }) => detail !== error.message);
    const details = more.map(
      (entry) => `  ${entry.pointer ?? (entry.index === undefined ? '' : `feature ${entry.index}`)} ${entry.detail}`,
    );
    return say(err, [`firstmile ${command.name}: ${error.message}`, ...details, ''].join('\n'), 1);
  }
  if (error instanceof Error && error.name === 'AbortError')
    return say(err, `firstmile ${command.name}: stopped\n`, 130);
  return say(err, `firstmile ${command.name}: ${error instanceof Error ? error.message : String(error)}\n`, 1);
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
