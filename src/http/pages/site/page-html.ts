import { anchorOf, escapeHtml, markdownHtml } from '../html-page.ts';
import type { Site, SitePage } from './read-site.ts';

/** Where things of the site are, seen from a page. */
export interface SiteAddresses {
  page(path: string, anchor: string): string;
  file(name: string): string;
  /** The page that checks signatures, which is no page of the site: it has a script inside. */
  readonly verification: string;
  /** The reference of the API; null where there is no service. */
  readonly reference: string | null;
  /** The folder above this version, which has others and their list; null where there is one version. */
  readonly versions: string | null;
}

interface PageOptions {
  readonly version: string;
  readonly addresses: SiteAddresses;
  /** Says it in the page as well, for files that no service sends. */
  readonly policy: string | null;
}

/** A page of the site as HTML; it needs nothing but files of the site. */
export function pageHtml(site: Site, page: SitePage, { version, addresses, policy }: PageOptions): string {
  const body = markdownHtml(page.text, {
    address(target) {
      if (/^https?:\/\//.test(target)) return target;
      if (target === 'verify.html') return addresses.verification;
      const found = site.find(page.source, target);
      return found === null ? null : addresses.page(found.path, found.anchor);
    },
    picture(target) {
      const name = site.picture(page.source, target);
      return name === null ? null : addresses.file(`pictures/${name}`);
    },
  });
  const home = addresses.page('', '');
  const meta = policy === null ? '' : `<meta http-equiv="content-security-policy" content="${escapeHtml(policy)}">\n`;
  const reference =
    addresses.reference === null ? '' : `<a href="${escapeHtml(addresses.reference)}">API reference</a>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${meta}<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page.path === '' ? 'Firstmile documentation' : `${page.title} · Firstmile`)}</title>
<link rel="icon" href="${addresses.file('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${addresses.file('site.css')}">
<script src="${addresses.file('minisearch.js')}" defer></script>
<script src="${addresses.file('site.js')}" defer data-index="${addresses.file('search.json')}" data-page="${escapeHtml(addresses.page('PAGE', ''))}" data-home="${escapeHtml(home)}"></script>
${menuScripts(page, version, addresses)}</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header>
<a class="brand" href="${escapeHtml(home)}">Firstmile</a>${versionLabel(version, addresses)}
<div class="search" hidden>
<input type="search" id="search" placeholder="Search" aria-label="Search the documentation" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list">
<ul id="found" role="listbox" aria-label="Found" hidden></ul>
</div>
${reference}
</header>
<div class="columns">
<details class="menu" open>
<summary>All pages</summary>
<nav aria-label="Documentation">
${navigation(site, page, addresses)}
</nav>
</details>
<main id="content">
${body}
</main>
${contents(page)}
</div>
</body>
</html>
`;
}

/** The version; with others next to it a link to their list, which a script makes a menu. */
function versionLabel(version: string, { versions }: SiteAddresses): string {
  if (versions === null) return `<span class="version">${escapeHtml(version)}</span>`;
  return `<a class="version" href="${versions}versions.html" aria-label="Version ${escapeHtml(version)}, choose another">${escapeHtml(version)}</a>`;
}

function menuScripts({ path }: SitePage, version: string, { versions, file }: SiteAddresses): string {
  if (versions === null) return '';
  const data = `data-root="${versions}" data-version="${escapeHtml(version)}" data-page="${escapeHtml(path === '' ? 'index' : path)}"`;
  return `<script src="${versions}versions.js" defer></script>\n<script src="${file('version-menu.js')}" defer ${data}></script>\n`;
}

function navigation(site: Site, page: SitePage, addresses: SiteAddresses): string {
  const others = { title: 'Changes', items: [{ path: 'changelog', title: 'Changelog' }] };
  return [...site.groups, others]
    .map(({ title, items }) => {
      const lines = items.map(({ path, title: label }) => {
        const here = path === page.path ? ' aria-current="page"' : '';
        return `<li><a href="${escapeHtml(addresses.page(path, ''))}"${here}>${escapeHtml(label)}</a></li>`;
      });
      return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${lines.join('\n')}\n</ul>`;
    })
    .join('\n');
}

/** The headings of a page that has several. */
function contents({ text }: SitePage): string {
  const headings = [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/^## (.*)$/gm)].map(([, heading]) => heading!);
  if (headings.length < 3) return '';
  const items = headings.map((heading) => {
    const words = heading.replaceAll(/[`*]|\[|\]\([^)]*\)/g, '');
    return `<li><a href="#${escapeHtml(anchorOf(words))}">${escapeHtml(words)}</a></li>`;
  });
  return `<nav class="contents" aria-label="On this page">\n<h2>On this page</h2>\n<ul>\n${items.join('\n')}\n</ul>\n</nav>`;
}
