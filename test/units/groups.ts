import { globSync } from 'node:fs';
import { join } from 'node:path';
import { describe } from 'node:test';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Tests next to the sources, by the process that runs them. A process for each file would load the same modules nearly 300
 * times, which takes as long as the tests themselves. The file of a group in this folder runs it.
 */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  geo: ['src/geo/**/*.test.ts'],
  http: ['src/http/**/*.test.ts'],
  formats: ['src/readers/formats/**/*.test.ts'],
  readers: ['src/readers/!(formats)/**/*.test.ts'],
  database: ['src/db/**/*.test.ts'],
  // What answers from is opened in one, what is answered in the other: together they would be the longest of all.
  data: [
    'src/service/{auto-data,datasets,detection,installation,models,outside,sample-district,shared-data,world}/**/*.test.ts',
  ],
  service: [
    'src/service/!(auto-data|datasets|detection|installation|models|outside|sample-district|shared-data|world)/**/*.test.ts',
    'src/service/*.test.ts',
  ],
  domains: [
    'src/{app,auth,cli,collections,config,email,facilities,forest,gis,jobs,law,locations,messages,parcels,plots,signatures,traces,webhooks}/**/*.test.ts',
    'src/*.test.ts',
  ],
  console: ['console/**/*.test.ts', 'clients/typescript/*.test.ts', 'tools/**/*.test.ts'],
};

/** Paths from the root of the repository, in order. */
export function filesOf(patterns: readonly string[]): readonly string[] {
  return globSync([...patterns], { cwd: ROOT, exclude: ['**/node_modules/**'] }).toSorted();
}

/** Runs each file of a group as a block of its own, whose hooks are not those of the others. */
export function describeGroup(name: string): void {
  for (const file of filesOf(GROUPS[name] ?? []))
    describe(file, async () => {
      await import(join(ROOT, file));
    });
}
