#!/usr/bin/env -S node --max-semi-space-size=8 --heap-growing-percent=50 --no-memory-pool --memory-pool-timeout=0 --no-memory-pool-share-memory-on-teardown --wasm-num-compilation-tasks=1 --v8-pool-size=2
// The flags, also in the start script of package.json, keep memory small: docs/decisions/2026-11-21-small-memory.md.
import './check-node.js';
import { join } from 'node:path';

// Types are stripped and sources compiled once an installation rather than at every start. Imported here and not above, because
// a Node that lacks it must get as far as the sentence of check-node.
const { enableCompileCache } = await import('node:module');
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/firstmile'));
const { main } = await import('../src/cli/main.ts');
process.exitCode = await main(process.argv.slice(2));
