/**
 * Counts what makes a source tree hard to live in: files and lines, crowded folders, exports that nobody imports, import
 * cycles (types included), double casts and files over the ceiling. Prints a table, or JSON with `--json`.
 *
 * `node tools/tree-report.ts [FOLDER] [--json]`; FOLDER is a checkout, by default this one. Two checkouts compared give a
 * before and an after.
 */
import { dirname, join, resolve } from 'node:path';
import { countCycles, isProduct, readSourceTree, unusedExports } from './source-tree.ts';

const MOST_FILES_IN_FOLDER = 25;
const MOST_LINES_IN_FILE = 400;

const words = process.argv.slice(2);
const root = resolve(words.find((word) => !word.startsWith('--')) ?? join(import.meta.dirname, '..'));
const texts = readSourceTree(root);
const tracked = [...texts.keys()];
const product = tracked.filter(isProduct);

const report = {
  'TypeScript files, tracked': tracked.length,
  'TypeScript lines, tracked': tracked.reduce((sum, path) => sum + lines(path), 0),
  'product files': product.length,
  'product lines': product.reduce((sum, path) => sum + lines(path), 0),
  [`folders with over ${MOST_FILES_IN_FOLDER} product files`]: crowdedFolders().length,
  [`product files over ${MOST_LINES_IN_FILE} lines`]: product.filter((path) => lines(path) > MOST_LINES_IN_FILE).length,
  'exported names nobody imports': unusedExports(texts).length,
  'import cycles, types included': countCycles(texts),
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
  console.log(`Exports nobody imports:\n  ${unusedExports(texts).join('\n  ')}`);
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
