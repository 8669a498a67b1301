import type { CommandEntry, CommandShape } from './command.ts';

/** The overview that `firstmile --help` prints: one line per command. */
export function overview(commands: readonly CommandEntry[]): string {
  const width = Math.max(...commands.map((command) => command.name.length)) + 2;
  return [
    'Usage: firstmile COMMAND [ARGUMENTS] [OPTIONS]',
    '',
    'Commands:',
    ...commands.map((command) => `  ${command.name.padEnd(width)}${command.summary}`),
    '',
    'firstmile COMMAND --help explains a command. Settings come from the environment: docs/configuration.md.',
    '',
  ].join('\n');
}

/** What `firstmile COMMAND --help` prints. */
export function usage({ name, summary }: CommandEntry, command: CommandShape): string {
  const args = command.args.map((arg) => (arg.required ? arg.name : `[${arg.name}]`));
  const rows = optionRows(command);
  const width = Math.max(0, ...command.args.map((arg) => arg.name.length), ...rows.map(([left]) => left.length)) + 2;
  return [
    `Usage: firstmile ${[name, ...args].join(' ')}${rows.length > 0 ? ' [OPTIONS]' : ''}`,
    '',
    summary,
    ...section(
      'Arguments:',
      command.args.map((arg) => `  ${arg.name.padEnd(width)}${arg.doc}`),
    ),
    ...section(
      'Options:',
      rows.map(([left, doc]) => `  ${left.padEnd(width)}${doc}`),
    ),
    ...section(
      'Examples:',
      command.examples.map((example) => `  ${example}`),
    ),
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

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines];
}
