import { COMMANDS } from '../src/cli/commands.ts';
import { optionRows } from '../src/cli/usage.ts';
import { packageVersion } from '../src/config/package-version.ts';
import { SETTINGS } from '../src/config/settings.ts';

/** The manual page `firstmile(1)` in the macros of man(7), made of the tables of commands and settings. */
export async function manualPage(): Promise<string> {
  const commands = await Promise.all(COMMANDS.map(async (entry) => ({ ...entry, command: await entry.load() })));
  return `${[
    `.TH FIRSTMILE 1 "" "Firstmile ${packageVersion()}" "User Commands"`,
    '.ad l',
    '.SH NAME',
    String.raw`firstmile \- evidence about places where commodities come from`,
    '.SH SYNOPSIS',
    String.raw`.B firstmile`,
    String.raw`.I COMMAND`,
    '[ARGUMENTS] [OPTIONS]',
    '.SH COMMANDS',
    ...commands.flatMap(({ name, summary, command }) => [
      `.SS firstmile ${[name, ...command.args.map((arg) => (arg.required ? arg.name : `[${arg.name}]`))].join(' ')}`,
      text(summary),
      ...[...command.args.map((arg) => [arg.name, arg.doc] as const), ...optionRows(command)].flatMap(row),
    ]),
    '.SH ENVIRONMENT',
    ...Object.values(SETTINGS).flatMap(({ env, fallback, doc }) =>
      row([env, fallback === '' ? doc : `${doc} Default: ${fallback}`]),
    ),
    '.SH EXIT STATUS',
    '0 done, 1 failed or done with findings, 2 called wrongly, 3 looked and found nothing there, 130 stopped by Ctrl-C.',
  ].join('\n')}\n`;
}

function row([name, doc]: readonly [string, string]): readonly string[] {
  return ['.TP', `.B ${text(name)}`, text(doc)];
}

/** A backslash, a hyphen of an option and a line that begins with a control character mean something to roff. */
function text(plain: string): string {
  return plain
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll('`', '')
    .replace(/^(?=[.'])/, String.raw`\&`);
}
