import type { CommandEntry, CommandShape } from './command.ts';
import { TERMINAL_COLUMNS, wrapText } from './parts/wrap-text.ts';

/** The widest that names get before their texts begin; a longer one stands on a line of its own. */
const MOST_NAMES = 30;

/** The overview that `firstmile --help` prints: the commands with what each does. */
export function overview(commands: readonly CommandEntry[]): string {
  return [
    'Usage: firstmile COMMAND [ARGUMENTS] [OPTIONS]',
    '',
    'Commands:',
    ...listed(commands.map(({ name, summary }) => [name, summary])),
    '',
    'firstmile COMMAND --help explains a command.',
    'Settings come from the environment: docs/configuration.md.',
    '',
  ].join('\n');
}

/** What `firstmile COMMAND --help` prints. */
export function usage({ name, summary }: CommandEntry, command: CommandShape): string {
  const args = command.args.map((arg) => (arg.required ? arg.name : `[${arg.name}]`));
  const options = optionRows(command);
  const rows = [...command.args.map((arg) => [arg.name, arg.doc] as const), ...options];
  const width = nameWidth(rows);
  return [
    `Usage: firstmile ${[name, ...args].join(' ')}${options.length > 0 ? ' [OPTIONS]' : ''}`,
    '',
    ...wrapText(summary, TERMINAL_COLUMNS),
    ...section('Arguments:', listed(rows.slice(0, command.args.length), width)),
    ...section('Options:', listed(options, width)),
    ...section('Examples:', command.examples.flatMap(exampleLines)),
    '',
  ].join('\n');
}

/** Options as they are written, and what they do. */
export function optionRows(command: CommandShape): readonly (readonly [string, string])[] {
  return Object.entries(command.options).map(([name, option]) => [
    `${option.short ? `-${option.short}, ` : ''}--${name}${option.value ? ` ${option.value}` : ''}`,
    option.doc,
  ]);
}

type NamedText = readonly [name: string, text: string];

function nameWidth(rows: readonly NamedText[]): number {
  return Math.min(MOST_NAMES, Math.max(0, ...rows.map(([name]) => name.length)));
}

/** Names with their texts next to them, in lines that fit a terminal. */
function listed(rows: readonly NamedText[], width = nameWidth(rows)): readonly string[] {
  return rows.flatMap(([name, text]) => {
    const lines = wrapText(text, TERMINAL_COLUMNS - width - 4);
    const isLong = name.length > width;
    const below = lines.map((line, i) => `  ${(i === 0 && !isLong ? name : '').padEnd(width)}  ${line}`);
    return isLong ? [`  ${name}`, ...below] : below;
  });
}

/** An example as a shell takes it, cut with backslashes before an option where it is longer than a line. */
function exampleLines(example: string): readonly string[] {
  const lines = [''];
  for (const word of example.match(/"[^"]*"|'[^']*'|\S+/g) ?? []) {
    const line = lines.at(-1)!;
    // Two columns before it, two for what says that it goes on.
    if (line !== '' && line.length + 1 + word.length > TERMINAL_COLUMNS - 6) lines.push(`  ${word}`);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.map((line, i) => `  ${line}${i < lines.length - 1 ? ' \\' : ''}`);
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}
