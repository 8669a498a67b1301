import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { COMMANDS } from '../commands.ts';
import { runCommand } from '../run-command.ts';
import { manualPage } from '../../../docs/manual-page.ts';

const folder = mkdtempSync(join(tmpdir(), 'firstmile-completion-'));
after(() => rmSync(folder, { recursive: true }));

async function command(...words: string[]): Promise<{ code: number; out: string; err: string }> {
  const [out, err] = [new PassThrough(), new PassThrough()];
  const code = await runCommand(COMMANDS, words, {
    out,
    err,
    signal: new AbortController().signal,
    version: '0.0.0',
    readConfig: () => Promise.reject(new Error('no setting may be needed')),
  });
  out.end();
  err.end();
  return { code, out: await text(out), err: await text(err) };
}

async function script(shell: string): Promise<string> {
  const path = join(folder, shell);
  writeFileSync(path, (await command('completion', shell)).out);
  return path;
}

/** How a shell runs a program that completes words, one completion a line. */
const SHELLS: Readonly<Record<string, (path: string, words: readonly string[]) => readonly string[]>> = {
  bash: (path, words) => [
    '-c',
    `source ${path}; COMP_WORDS=(${quoted(words)}); COMP_CWORD=${words.length - 1}; _firstmile; printf '%s\\n' "\${COMPREPLY[@]}"`,
  ],
  zsh: (path, words) => [
    '-fc',
    `compdef() {}; source ${path}; _describe() { print -l -- $names }; _arguments() { print -l -- "$@" }; words=(${quoted(words)}); CURRENT=${words.length}; _firstmile`,
  ],
  fish: (path, words) => ['--no-config', '-c', `source ${path}; complete -C '${words.join(' ')}'`],
};

for (const [shell, complete] of Object.entries(SHELLS)) {
  const skip = spawnSync(shell, ['-c', 'true']).error ? `${shell} is not installed here` : false;
  describe(`completion in ${shell}`, { skip }, () => {
    it('gives the next words of a command, and its options', async () => {
      const path = await script(shell);
      const given = (...words: string[]) => {
        const { stdout, stderr } = spawnSync(shell, [...complete(path, ['firstmile', ...words])], { encoding: 'utf8' });
        assert.equal(stderr, '');
        return stdout.split('\n').map((line) => /^[\w-]*/.exec(line)![0]);
      };
      for (const word of ['serve', 'data', 'completion']) assert.ok(given('').includes(word), word);
      assert.ok(['osm', 'overture'].every((word) => given('data', 'import', '').includes(word)));
      assert.ok(!given('data', 'import', '').includes('serve'));
      assert.ok(given('validate', 'file.csv', '--com').includes('--commodity'));
    });
  });
}

describe('completion', () => {
  it('names the shells it knows', async () => {
    const { code, err } = await command('completion', 'powershell');
    assert.equal(code, 2);
    assert.match(err, /SHELL: wanted one of bash, zsh, fish, got "powershell"/);
  });
});

describe('the manual page', () => {
  it('has every command and is formatted without a complaint', { skip: absent('groff') }, async () => {
    const page = await manualPage();
    for (const { name } of COMMANDS) assert.ok(page.includes(`.SS firstmile ${name}`), name);
    const { stdout, stderr } = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-P-c', '-P-b', '-P-u', '-K', 'utf8'], {
      input: page,
      encoding: 'utf8',
    });
    assert.equal(stderr, '');
    assert.match(stdout, /doctor/);
  });
});

function quoted(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(' ');
}

function absent(program: string): string | false {
  return spawnSync(program, ['--version']).error ? `${program} is not installed here` : false;
}
