#!/usr/bin/env node
import { runsFromSources } from './check-node.js';
import { leaveYoungHeapsToThreads, memoryFlags, memorySettings } from './memory-flags.js';

if (['--version', 'version'].includes(process.argv[2])) await printVersion();
else await runProgram();

/** Here, because starting over and loading the command line take three times as long as Node itself. */
async function printVersion() {
  const { readFileSync } = await import('node:fs');
  console.log(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version);
}

async function runProgram() {
  startOverWithFlags();
  leaveYoungHeapsToThreads();
  // Types are stripped and sources compiled once an installation rather than at every start. Imported here and not above, because
  // a Node that lacks it must get as far as the sentence of check-node.
  const { enableCompileCache } = await import('node:module');
  const { join } = await import('node:path');
  enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/firstmile'));
  const { main } = await import(await program());
  process.exitCode = await main(process.argv.slice(2));
}

/**
 * What `npm ci` built of the sources, the sources themselves once one of them has changed, or what the package holds. RUN_SOURCES=on
 * is for whoever looks at the sources while they run.
 */
async function program() {
  if (!runsFromSources) return '../lib/cli/main.js';
  if (process.env.RUN_SOURCES === 'on') return '../src/cli/main.ts';
  const { builtProgram } = await import('./built-program.js');
  return builtProgram() ?? '../src/cli/main.ts';
}

/**
 * Replaces this process with one that has the flags that keep memory small: they differ by version, and V8 reads them when it
 * starts, as glibc reads its setting. The id, the streams and the rest of the environment stay. Windows cannot, and goes on without.
 */
function startOverWithFlags() {
  const { execArgv, execPath, argv, env, versions, platform } = process;
  const absent = memoryFlags(versions.node).filter((flag) => !execArgv.includes(flag));
  const isSet = Object.keys(memorySettings).every((name) => name in env);
  if ((absent.length === 0 && isSet) || platform === 'win32' || process.execve === undefined) return;
  process.execve(execPath, [execPath, ...absent, ...execArgv, ...argv.slice(1)], { ...memorySettings, ...env });
}
