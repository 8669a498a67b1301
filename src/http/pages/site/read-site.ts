import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { DOCS_FOLDER } from '../doc-files.ts';

/** A page of the documentation site. */
export interface SitePage {
  /** Below the site, without an ending: `verdicts`, `decisions/2026-11-23-mcp`; empty for the first page. */
  readonly path: string;
  readonly title: string;
  /** Markdown. */
  readonly text: string;
  /** The file it was read from. */
  readonly source: string;
}

interface NavigationGroup {
  readonly title: string;
  readonly items: readonly { readonly path: string; readonly title: string; readonly about: string }[];
}

export interface Site {
  readonly pages: readonly SitePage[];
  readonly groups: readonly NavigationGroup[];
  /** Where a link of a page leads: a page and perhaps an anchor; null when that is no page. */
  find(source: string, target: string): { readonly path: string; readonly anchor: string } | null;
  /** Name of the picture that a page shows, in `docs/pictures`; null when there is none. */
  picture(source: string, target: string): string | null;
}

/** Pages from outside `docs/`, by the names they get. */
const OTHERS = { changelog: 'CHANGELOG.md', security: 'SECURITY.md' } as const;
export const PICTURES_FOLDER = join(DOCS_FOLDER, 'pictures');

/** Reads every page of the documentation, in the order in which the first page lists them. */
export async function readSite(): Promise<Site> {
  const files = (await Array.fromAsync(glob('**/*.md', { cwd: DOCS_FOLDER }))).toSorted();
  const named = files.map((file) => [pathOf(file), join(DOCS_FOLDER, file)] as const);
  const others = Object.entries(OTHERS).map(([path, file]) => [path, resolve(DOCS_FOLDER, '..', file)] as const);
  const pages = await Promise.all(
    [...named, ...others.filter(([, source]) => existsSync(source))].map(async ([path, source]) => {
      const text = (await readFile(source, 'utf8')).replace(/^<!--.*?-->\s*/s, '');
      return { path, source, text, title: /^# (.*)$/m.exec(text)?.[1] ?? path };
    }),
  );
  const bySource = new Map(pages.map((page) => [page.source, page]));
  const find: Site['find'] = (source, target) => {
    const [file = '', anchor = ''] = target.split('#', 2);
    const page = bySource.get(file === '' ? source : resolve(dirname(source), file));
    return page === undefined ? null : { path: page.path, anchor };
  };
  const picture: Site['picture'] = (source, target) => {
    const name = relative(PICTURES_FOLDER, resolve(dirname(source), target));
    return /^[\w-]+\.png$/.test(name) && existsSync(join(PICTURES_FOLDER, name)) ? name : null;
  };
  return { pages, find, picture, groups: groupsOf(pages, find) };
}

function pathOf(file: string): string {
  const path = file.replaceAll('\\', '/').replace(/\.md$/, '');
  return path === 'README' ? '' : path.replace(/\/README$/, '');
}

/** The groups of the first page: its bold lines, with the pages that the list after each links to. */
function groupsOf(pages: readonly SitePage[], find: Site['find']): readonly NavigationGroup[] {
  const home = pages.find(({ path }) => path === '');
  if (home === undefined) return [];
  const groups: { title: string; items: { path: string; title: string; about: string }[] }[] = [];
  for (const line of home.text.split('\n')) {
    const title = /^\*\*(.+)\*\*$/.exec(line)?.[1];
    if (title !== undefined) groups.push({ title, items: [] });
    if (!line.startsWith('- ')) continue;
    const about = /\): (.*)$/.exec(line)?.[1]?.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1') ?? '';
    // A further link of a line stands in the middle of a sentence.
    for (const [i, [, label, target]] of [...line.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)].entries()) {
      const found = pages.find(({ path }) => path === find(home.source, target!)?.path);
      if (found !== undefined)
        groups.at(-1)?.items.push({ path: found.path, title: i === 0 ? label! : found.title, about });
    }
  }
  return groups;
}
