/**
 * Counts what makes a source tree hard to live in: files and lines, crowded folders, exports that nobody imports, import
 * cycles (types included), double casts and files over the ceiling. Prints a table, or JSON with `--json`.
 *
 * `node tools/tree-report.ts [FOLDER] [--json]`; FOLDER is a checkout, by default this one. Two checkouts compared give a
 * before and an after.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';

const MOST_FILES_IN_FOLDER = 25;
const MOST_LINES_IN_FILE = 400;

const words = process.argv.slice(2);
const root = resolve(words.find((word) => !word.startsWith('--')) ?? join(import.meta.dirname, '..'));
const tracked = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 })
  .split('\n')
  .filter((path) => path !== '');
const texts = new Map(tracked.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
const isTest = (path: string) => /\.test\.tsx?$|^test\/|\.fixture\.ts$/.test(path);
const isProduct = (path: string) => /^(src|console)\//.test(path) && !isTest(path);
const product = tracked.filter(isProduct);

const report = {
  'TypeScript files, tracked': tracked.length,
  'TypeScript lines, tracked': tracked.reduce((sum, path) => sum + lines(path), 0),
  'product files': product.length,
  'product lines': product.reduce((sum, path) => sum + lines(path), 0),
  [`folders with over ${MOST_FILES_IN_FOLDER} product files`]: crowdedFolders().length,
  [`product files over ${MOST_LINES_IN_FILE} lines`]: product.filter((path) => lines(path) > MOST_LINES_IN_FILE).length,
  'exported names nobody imports': unusedExports().length,
  'import cycles, types included': cycles(),
  'double casts': count(/\bas unknown as\b/g),
  'double casts per 1,000 product lines': 0,
};
report['double casts per 1,000 product lines'] = Number(
  ((1000 * report['double casts']) / report['product lines']).toFixed(2),
);

if (words.includes('--json')) console.log(JSON.stringify(report, null, 2));
else for (const [name, value] of Object.entries(report)) console.log(`${name.padEnd(46)}${value}`);
if (words.includes('--verbose')) {
  console.log(`\nCrowded folders: ${crowdedFolders().join(', ')}`);
  console.log(`Exports nobody imports:\n  ${unusedExports().join('\n  ')}`);
}

function lines(path: string): number {
  return texts.get(path)!.split('\n').length - 1;
}

function count(pattern: RegExp): number {
  return product.reduce((sum, path) => sum + (texts.get(path)!.match(pattern)?.length ?? 0), 0);
}

function crowdedFolders(): string[] {
  const folders = Map.groupBy(product, (path) => dirname(path));
  return [...folders].filter(([, files]) => files.length > MOST_FILES_IN_FOLDER).map(([folder]) => folder);
}

/** Every relative import of a file, resolved to a tracked path. */
function importsOf(path: string): string[] {
  const code = texts.get(path)!;
  return [...code.matchAll(/(?:from\s*|import\s*\(\s*|import\s+)['"](\.[^'"]+)['"]/g)]
    .map(([, to]) => normalize(join(dirname(path), to)))
    .filter((to) => texts.has(to));
}

/** Names that a product file exports and that no other file mentions next to an import of it. */
function unusedExports(): string[] {
  const importers = new Map<string, string[]>();
  for (const path of tracked) {
    for (const to of importsOf(path)) importers.set(to, [...(importers.get(to) ?? []), path]);
  }
  return product.flatMap((path) => {
    const names = [
      ...texts
        .get(path)!
        .matchAll(/^export (?:declare )?(?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm),
    ].map(([, name]) => name);
    const readers = importers.get(path) ?? [];
    return names
      .filter((name) => !readers.some((reader) => new RegExp(String.raw`\b${name}\b`).test(texts.get(reader)!)))
      .map((name) => `${path}: ${name}`);
  });
}

function cycles(): number {
  const state = new Map<string, 'open' | 'done'>();
  let found = 0;
  const visit = (path: string): void => {
    state.set(path, 'open');
    for (const to of importsOf(path)) {
      if (state.get(to) === 'open') found++;
      else if (!state.has(to)) visit(to);
    }
    state.set(path, 'done');
  };
  for (const path of product) if (!state.has(path)) visit(path);
  return found;
}
