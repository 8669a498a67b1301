import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { KeptFile } from '../kept-file.ts';
import { pageHtml, type SiteAddresses } from './page-html.ts';
import { readSite, type Site } from './read-site.ts';
import { searchIndex } from './search-index.ts';
import { SITE_CSS, SITE_ICON, SITE_JS } from './site-files.ts';

/** Nothing but files of the site. */
export const SITE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'";

/** The documentation site: pages, and the files they need. */
export interface OpenedSite {
  readonly site: Site;
  /** HTML of the page at `path`; null when there is none. */
  html(path: string, addresses: SiteAddresses, policy: string | null): string | null;
}

/** Reads the documentation; `version` is shown on every page. */
export async function openSite(version: string): Promise<OpenedSite> {
  const site = await readSite();
  const byPath = new Map(site.pages.map((page) => [page.path, page]));
  return {
    site,
    html(path, addresses, policy) {
      const page = byPath.get(path);
      return page === undefined ? null : pageHtml(site, page, { version, addresses, policy });
    },
  };
}

/** Files that every page needs, by name; `site` gives the one that is made of the pages. */
export const SITE_FILES: Readonly<Record<string, (site: () => Promise<Site>) => Promise<KeptFile>>> = {
  'site.css': async () => text('text/css', SITE_CSS),
  'site.js': async () => text('text/javascript', SITE_JS),
  'icon.svg': async () => text('image/svg+xml', SITE_ICON),
  'minisearch.js': async () => {
    // Its package names no entrance to this build.
    const path = join(createRequire(import.meta.url).resolve('minisearch'), '../../umd/index.js');
    // Its map is not served.
    return text('text/javascript', (await readFile(path, 'utf8')).replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'));
  },
  'search.json': async (site) => text('application/json', await searchIndex((await site()).pages)),
};

function text(type: string, content: string): KeptFile {
  return { mediaType: `${type}; charset=utf-8`, bytes: Buffer.from(content) };
}
