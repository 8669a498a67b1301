import { createInterface } from 'node:readline/promises';
import type { CommandContext } from '../command.ts';

/** What a person typed, from `--confirm` or at a terminal; null where nothing is wanted, or nobody is there. */
export async function typedConfirmation(
  wanted: string | null,
  { options, err, signal }: Pick<CommandContext, 'options' | 'err' | 'signal'>,
): Promise<string | null> {
  const given = options['confirm'];
  if (wanted === null || typeof given === 'string') return typeof given === 'string' ? given : null;
  if (!process.stdin.isTTY) return null;
  err.write('This has legal effect: it goes to the production environment of the EU information system.\n');
  const terminal = createInterface({ input: process.stdin, output: err });
  try {
    return await terminal.question(`Type "${wanted}" to go on: `, { signal });
  } finally {
    terminal.close();
  }
}
