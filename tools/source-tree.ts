import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The tracked TypeScript of a checkout: path from its root, text. */
export type SourceTree = ReadonlyMap<string, string>;

export function readSourceTree(root: string): SourceTree {
  const listed = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  const paths = listed.split('\n').filter((path) => path !== '');
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

/** What is run by users: no tests, and nothing that serves tests alone. */
export function isProduct(path: string): boolean {
  return /^(src|console|clients)\//.test(path) && !/\.test\.tsx?$|\.fixture\.ts$/.test(path);
}

/** Every relative import of a file, resolved to a tracked path. */
function importsOf(tree: SourceTree, path: string): string[] {
  return [...tree.get(path)!.matchAll(/(?:from\s*|import\s*\(\s*|import\s+)['"](\.[^'"]+)['"]/g)]
    .map(([, to]) => normalize(join(dirname(path), to!)))
    .filter((to) => tree.has(to));
}

/** Names that a product file exports and that no other file mentions next to an import of it, as `path: name`. */
export function unusedExports(tree: SourceTree): string[] {
  const importers = new Map<string, string[]>();
  for (const path of tree.keys())
    for (const to of importsOf(tree, path)) importers.set(to, [...(importers.get(to) ?? []), path]);
  return [...tree.keys()].filter(isProduct).flatMap((path) => {
    const exported = tree
      .get(path)!
      .matchAll(/^export (?:declare )?(?:async )?(?:function\*?|const|let|class|interface|type) (\w+)/gm);
    const readers = importers.get(path) ?? [];
    return [...exported]
      .map(([, name]) => name)
      .filter((name) => !readers.some((reader) => new RegExp(String.raw`\b${name}\b`).test(tree.get(reader)!)))
      .map((name) => `${path}: ${name}`);
  });
}

/** How many imports of product files close a cycle, types included. */
export function countCycles(tree: SourceTree): number {
  const state = new Map<string, 'open' | 'done'>();
  let found = 0;
  const visit = (path: string): void => {
    state.set(path, 'open');
    for (const to of importsOf(tree, path)) {
      if (state.get(to) === 'open') found++;
      else if (!state.has(to)) visit(to);
    }
    state.set(path, 'done');
  };
  for (const path of [...tree.keys()].filter(isProduct)) if (!state.has(path)) visit(path);
  return found;
}
