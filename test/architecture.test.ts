import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { readSourceTree, unusedExports } from '../tools/source-tree.ts';

const ROOT = resolve(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');
const CONSOLE = join(ROOT, 'console');
const CLIENT = join(ROOT, 'clients/typescript');

/** Domain folders: each knows its own files, `geo/`, `jobs/` and the leaves, and nothing of its neighbours. */
const DOMAINS = [
  'plots',
  'facilities',
  'forest',
  'locations',
  'collections',
  'parcels',
  'webhooks',
  'email',
  'auth',
  'traces',
  'signatures',
  'gis',
];
/** What anybody may import. */
const LEAVES = [
  'errors',
  'log',
  'nearest-name',
  'is-record',
  'monitoring-days',
  'durations',
  'every',
  'maybe-promise',
  'first-answer',
  'in-time',
  'counted',
  'text-lines',
  'claim-loop',
  'tracing',
  // Sentences as codes with parameters, and their languages.
  'messages',
  // Dated tables of the law and pure functions over them.
  'law',
];

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

const files = walk(SRC).filter(isSource);
const pageFiles = walk(CONSOLE).filter(isSource);
const clientFiles = walk(CLIENT).filter(isSource);
const imports = files.flatMap(importsOf);
const pageImports = pageFiles.flatMap(importsOf);

describe('the import rule', () => {
  it('sees the sources it evaluates', () => {
    assert.ok(files.length > 30, `found only ${files.length} files`);
    assert.ok(imports.length > files.length / 2, `found only ${imports.length} imports`);
  });

  it('holds for every import', () => {
    const broken = imports.filter((edge) => !isAllowed(edge)).map((edge) => `${edge.from} -> ${edge.to}`);
    assert.deepEqual(broken, []);
  });

  it('refuses what it should refuse', () => {
    const edge = (from: string, to: string, typeOnly = false) => isAllowed({ from, to, typeOnly });
    assert.equal(edge('geo/a.ts', 'readers/b.ts', true), false);
    assert.equal(edge('facilities/a.ts', 'forest/b.ts', true), false);
    assert.equal(edge('facilities/a.ts', 'readers/b.ts', true), false);
    assert.equal(edge('readers/a.ts', 'db/b.ts'), false);
    assert.equal(edge('readers/a.ts', 'facilities/b.ts'), false);
    assert.equal(edge('readers/a.ts', 'facilities/b.ts', true), true);
    assert.equal(edge('db/a.ts', 'auth/b.ts'), false);
    assert.equal(edge('http/a.ts', 'db/b.ts'), false);
    assert.equal(edge('law/a.ts', 'collections/b.ts', true), false);
    assert.equal(edge('law/a.ts', 'geo/b.ts'), false);
    assert.equal(edge('collections/a.ts', 'law/b.ts'), true);
  });

  it('gives the console constants and nothing else', () => {
    const used = pageImports.filter(({ to }) => !to.startsWith('..')).map(({ to }) => to);
    assert.deepEqual([...new Set(used)].sort(), [
      'auth/scopes.ts',
      'durations.ts',
      'facilities/thresholds.ts',
      'monitoring-days.ts',
    ]);
  });

  it('lets the client know itself alone, so that it runs anywhere', () => {
    const outside = clientFiles.flatMap((file) =>
      [...code(file).matchAll(/from\s*['"]([^'"]+)['"]/g)].filter(([, to]) => !/^\.\/[a-z-]+\.ts$/.test(to!)),
    );
    assert.deepEqual(outside, []);
    assert.deepEqual(cycles(clientFiles.flatMap(importsOf)), []);
  });

  it('has no cycles, type imports included', () => {
    assert.deepEqual(cycles(imports), []);
    assert.ok(pageFiles.some((file) => file.endsWith('.tsx')));
    assert.deepEqual(cycles(pageImports), []);
  });

  it('keeps the query builder of the database out of worker threads, each of which would load it', () => {
    const ofFile = Map.groupBy(imports, ({ from }) => from);
    const builds = (file: string): boolean => /import\s+(?!type\s)[^;]*?from\s*'kysely'/.test(code(join(SRC, file)));
    const reached = new Set(files.map((file) => relative(SRC, file)).filter((file) => file.startsWith('app/threads/')));
    for (const file of reached) for (const { to, typeOnly } of ofFile.get(file) ?? []) if (!typeOnly) reached.add(to);
    assert.ok(builds('db/tasks/end-leases.ts'));
    assert.deepEqual([...reached].filter(builds), []);
  });

  it('lets only the command line read the environment', () => {
    const readers = files.filter((file) => /process\.env/.test(code(file))).map((file) => relative(SRC, file));
    assert.deepEqual(readers, ['cli/main.ts']);
  });
});

/** What no import names: published, or loaded by its address. */
const LOADED_OTHERWISE = [
  'src/webhooks/verify-webhook.ts',
  'src/cli/main.ts',
  'console/build/build-console.ts',
  'clients/typescript/schema.ts',
  'clients/typescript/client.ts',
  'clients/typescript/problems.ts',
];

describe('the sources', () => {
  it('export nothing that nobody imports', () => {
    const unused = unusedExports(readSourceTree(ROOT)).filter(
      (name) => !LOADED_OTHERWISE.some((path) => name.startsWith(`${path}:`)),
    );
    assert.deepEqual(unused, []);
  });

  it('have no folder of over 25 files', () => {
    const folders = Map.groupBy([...files, ...pageFiles, ...clientFiles], (file) => relative(ROOT, dirname(file)));
    const crowded = [...folders].filter(([, held]) => held.length > 25).map(([folder]) => folder);
    assert.deepEqual(crowded, []);
  });

  it('limit the young generation of each thread that they start, for which the process has no limit', () => {
    const starts = files.flatMap((file) => code(file).split('new Worker(').slice(1));
    assert.ok(starts.length > 8);
    const unlimited = starts.filter((text) => !/maxYoungGenerationSizeMb|HEAP_LIMITS/.test(text.slice(0, 400)));
    assert.deepEqual(unlimited, []);
  });

  it('have no file over 400 lines, tables apart', () => {
    const long = files
      .filter((file) => !isTable(file))
      .map((file) => ({ file: relative(SRC, file), lines: readFileSync(file, 'utf8').split('\n').length - 1 }))
      .filter(({ lines }) => lines > 400);
    assert.deepEqual(long, []);
  });

  it('have no drawer folders and no barrels', () => {
    const drawers = files.filter((file) => /\/(utils?|lib|helpers|common)\//.test(file) || file.endsWith('/index.ts'));
    assert.deepEqual(drawers, []);
  });

  it('are named in kebab-case', () => {
    const odd = files
      .map((file) => relative(SRC, file))
      .filter((file) => !/^([a-z0-9-]+\/)*[a-z0-9-]+(\.[a-z0-9-]+)*\.ts$/.test(file));
    assert.deepEqual(odd, []);
  });
});

function isAllowed({ from, to, typeOnly }: Import): boolean {
  const [source, target] = [area(from), area(to)];
  if (source === target || LEAVES.includes(target)) return true;
  const below = ['geo', 'jobs', 'config', ...DOMAINS];
  switch (source) {
    case 'geo':
    case 'jobs':
    case 'law':
      return false;
    case 'config':
      return DOMAINS.includes(target);
    case 'readers':
    case 'db':
      return target === 'geo' || (typeOnly && (DOMAINS.includes(target) || target === 'jobs'));
    case 'service':
      return [...below, 'readers', 'db'].includes(target);
    case 'http':
      return [...below, 'service'].includes(target);
    case 'app':
      return [...below, 'readers', 'db', 'service', 'http'].includes(target);
    case 'cli':
    case 'main':
      return [...below, 'readers', 'db', 'service', 'http', 'app', 'main'].includes(target);
    default:
      return DOMAINS.includes(source) && ['geo', 'plots'].includes(target);
  }
}

function isSource(file: string): boolean {
  return /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file);
}

/** The first folder of a path inside `src`, or the file's own name at the top. */
function area(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : path.replace(/\.ts$/, '');
}

function importsOf(file: string): Import[] {
  const pattern =
    /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^'";]*?from\s*['"](\.[^'"]+)['"]|import\(\s*['"](\.[^'"]+)['"]\s*\)|(?:^|\n)\s*import\s+['"](\.[^'"]+)['"]/g;
  return [...code(file).matchAll(pattern)].map((match) => ({
    from: relative(SRC, file),
    to: relative(SRC, resolve(dirname(file), match[2] ?? match[3] ?? match[4] ?? '')),
    typeOnly: match[1] !== undefined,
  }));
}

function code(file: string): string {
  return readFileSync(file, 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '');
}

/** A table is a file that is nearly all data: fewer than one line in fifty belongs to a function. */
function isTable(file: string): boolean {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => /=>|function |\breturn\b/.test(line)).length < lines.length / 50;
}

function cycles(edges: readonly Import[]): string[] {
  const next = Map.groupBy(edges, (edge) => edge.from);
  const state = new Map<string, 'open' | 'done'>();
  const found: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      found.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      return;
    }
    state.set(file, 'open');
    for (const edge of next.get(file) ?? []) visit(edge.to, [...path, file]);
    state.set(file, 'done');
  };
  for (const file of next.keys()) visit(file, []);
  return found;
}

function walk(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? walk(path) : [path];
  });
}
