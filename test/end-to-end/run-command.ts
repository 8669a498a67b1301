import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './run-service.ts';

export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `firstmile` with these words as its own process, standard input given whole. */
export function runCommand(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(ROOT, 'bin/firstmile.js'), ...words], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'] ?? '', AUTO_DATA: 'off', ...env },
    });
    const text = { out: '', err: '' };
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text.out += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (text.err += chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...text }));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}
