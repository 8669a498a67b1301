import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { COMMANDS } from './commands.ts';
import { TERMINAL_COLUMNS } from './parts/wrap-text.ts';
import { overview, usage } from './usage.ts';

const PROGRAM = resolve(import.meta.dirname, '../../bin/firstmile.js');
/** Modules of ours that `--version`, `--help` and a mistyped command may load. */
const MOST_MODULES = 20;

describe('the table of commands', () => {
  it('has no name twice and loads every command', async () => {
    assert.equal(new Set(COMMANDS.map(({ name }) => name)).size, COMMANDS.length);
    for (const entry of COMMANDS) {
      const command = await entry.load();
      assert.equal(typeof ('runBare' in command ? command.runBare : command.run), 'function', entry.name);
    }
  });

  it('explains itself and each command in lines that fit a terminal', async () => {
    const texts = [overview(COMMANDS)];
    for (const entry of COMMANDS) texts.push(usage(entry, await entry.load()));
    // What `firstmile data --help` shows, and the help of every other first word.
    for (const [word, family] of Map.groupBy(COMMANDS, ({ name }) => name.split(' ')[0]!)) {
      assert.ok(family.length > 0, word);
      texts.push(overview(family));
    }
    for (const text of texts)
      for (const line of text.split('\n')) assert.ok(line.length <= TERMINAL_COLUMNS, `${line.length}: ${line}`);
    const said = texts[0]!.replace(/\s+/g, ' ');
    for (const { name, summary } of COMMANDS) assert.ok(said.includes(`${name} ${summary}`), name);
  });

  for (const words of ['--version', '--help', 'data --help', 'vaildate']) {
    it(`loads nothing of the program for ${words}`, () => {
      const loaded = modulesLoadedBy(words.split(' '));
      assert.ok(loaded.length > 0 && loaded.length <= MOST_MODULES, loaded.join('\n'));
    });
  }

  it('shows a group of commands for help on its first word', () => {
    const { status, stdout } = run(['data', '--help']);
    assert.equal(status, 0);
    assert.match(stdout, /data import osm/);
    assert.doesNotMatch(stdout, /token create/);
  });
});

/** Addresses of the modules outside node_modules that a call of the program loads. */
function modulesLoadedBy(words: readonly string[]): string[] {
  const count = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ load(url, context, next) { if (url.startsWith('file:') && !url.includes('/node_modules/')) seen.push(url); return next(url, context); } });
    process.on('exit', () => console.error('LOADED ' + JSON.stringify(seen)));`;
  const { stderr } = run(words, ['--import', `data:text/javascript,${encodeURIComponent(count)}`]);
  const line = stderr.split('\n').find((text) => text.startsWith('LOADED '));
  assert.ok(line !== undefined, stderr);
  return JSON.parse(line.slice('LOADED '.length)) as string[];
}

function run(words: readonly string[], flags: readonly string[] = []) {
  return spawnSync(process.execPath, [...flags, PROGRAM, ...words], {
    encoding: 'utf8',
    cwd: join(import.meta.dirname, '../..'),
  });
}
