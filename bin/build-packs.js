// Packs the built-in data (countries, water, ports, settlements, places) into dist/packs: `npm ci` runs it through `prepare`.
// Packs that are there and up to date stay. Without --required it leaves an installation alone that cannot pack: the service
// then does it at its first start.
import { join } from 'node:path';

const required = process.argv.includes('--required');

async function build() {
  if (Number(process.versions.node.split('.')[0]) < 24)
    throw new Error(`Node ${process.versions.node} runs no TypeScript`);
  const { obtainPacks } = await import('../src/readers/built-in/obtain-packs.ts');
  const { createLog } = await import('../src/log.ts');
  const { packs } = obtainPacks({
    folder: join(import.meta.dirname, '../dist/packs'),
    shipped: null,
    log: createLog({ level: 'warn', json: false }),
    signal: new AbortController().signal,
  });
  await Promise.all(Object.values(packs));
}

try {
  await build();
} catch (error) {
  console.error(`The built-in data was not packed: ${error.message}`);
  if (required) process.exitCode = 1;
}
