import { existsSync } from 'node:fs';
import { glob, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { escapeHtml } from '../html-page.ts';
import { SITE_POLICY } from './open-site.ts';
import { compareVersions, isPreRelease, isVersion } from './semantic-version.ts';
import { writeSite } from './write-site.ts';

/** A version that lies in the folder. */
interface WrittenVersion {
  readonly version: string;
  /** Below the folder of the version, without an ending, in order. */
  readonly pages: readonly string[];
}

interface WrittenVersions {
  /** How many files the version has. */
  readonly written: number;
  /** All that are there now, the newest first. */
  readonly versions: readonly string[];
}

/**
 * Writes the documentation into a folder of its version, next to those of other versions, and lists them all. A version that is
 * there already is replaced when the new one is whole. One run at a time.
 */
export async function writeVersion(folder: string, version: string): Promise<WrittenVersions> {
  if (!isVersion(version)) throw new Error(`${JSON.stringify(version)} is no semantic version, such as 1.2.3`);
  await mkdir(folder, { recursive: true });
  await putBack(folder);
  const unfinished = join(folder, `.unfinished-${version}`);
  await rm(unfinished, { recursive: true, force: true });
  const written = await writeSite(unfinished, version, { isOneOfVersions: true });
  await replace(folder, version, unfinished);
  const versions = await versionsIn(folder);
  await writeLists(folder, versions);
  return { written, versions: versions.map((one) => one.version) };
}

const ASIDE = '.replaced-';

/** A run that was cut between two renames has left a version under another name. */
async function putBack(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const version = name.slice(ASIDE.length);
    if (!name.startsWith(ASIDE) || !isVersion(version)) continue;
    const place = join(folder, version);
    if (existsSync(place)) await rm(join(folder, name), { recursive: true });
    else await rename(join(folder, name), place);
  }
}

async function replace(folder: string, version: string, unfinished: string): Promise<void> {
  const place = join(folder, version);
  const aside = join(folder, `${ASIDE}${version}`);
  const hadOne = existsSync(place);
  if (hadOne) await rename(place, aside);
  try {
    await rename(unfinished, place);
  } catch (error) {
    if (hadOne) await rename(aside, place);
    throw error;
  }
  await rm(aside, { recursive: true, force: true });
}

/** Folders that are named for a version and have a first page, the newest first. */
async function versionsIn(folder: string): Promise<readonly WrittenVersion[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory() && isVersion(entry.name)).map(({ name }) => name);
  const found = await Promise.all(
    names
      .filter((name) => existsSync(join(folder, name, 'index.html')))
      .map(async (version) => {
        const files = await Array.fromAsync(glob('**/*.html', { cwd: join(folder, version) }));
        const pages = files.map((file) => file.replaceAll('\\', '/').slice(0, -'.html'.length)).toSorted();
        return { version, pages };
      }),
  );
  return found.toSorted((a, b) => compareVersions(b.version, a.version));
}

async function writeLists(folder: string, versions: readonly WrittenVersion[]): Promise<void> {
  const newest = (versions.find(({ version }) => !isPreRelease(version)) ?? versions[0]!).version;
  const list = versions.map(({ version }) => ({ version, path: `${version}/index.html` }));
  const files = {
    'versions.js': `globalThis.FIRSTMILE_VERSIONS = ${JSON.stringify({ newest, versions })};\n`,
    'versions.json': `${JSON.stringify({ newest, versions: list }, null, 2)}\n`,
    'versions.html': listPage(newest, versions),
    'index.html': firstPage(newest),
  };
  for (const [name, text] of Object.entries(files)) {
    const unfinished = join(folder, `.unfinished-${name}`);
    await writeFile(unfinished, text);
    await rename(unfinished, join(folder, name));
  }
}

function listPage(newest: string, versions: readonly WrittenVersion[]): string {
  const items = versions.map(({ version }) => {
    const words = version === newest ? ' (newest)' : isPreRelease(version) ? ' (pre-release)' : '';
    return `<li><a href="${version}/index.html">${version}</a>${words}</li>`;
  });
  return outerPage(newest, 'Versions of the documentation', '', `<ul>\n${items.join('\n')}\n</ul>`);
}

function firstPage(newest: string): string {
  const body = `<p><a href="${newest}/index.html">Version ${newest}</a>, the newest, or <a href="versions.html">all versions</a>.</p>`;
  const refresh = `<meta http-equiv="refresh" content="0; url=${newest}/index.html">\n`;
  return outerPage(newest, 'Firstmile documentation', refresh, body);
}

/** A page above the versions, in the styles of the newest. */
function outerPage(newest: string, title: string, meta: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${escapeHtml(SITE_POLICY)}">
${meta}<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${newest}/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${newest}/site.css">
</head>
<body>
<header>
<a class="brand" href="${newest}/index.html">Firstmile</a><span class="version">documentation</span>
</header>
<div class="columns">
<main class="alone">
<h1>${title}</h1>
${body}
</main>
</div>
</body>
</html>
`;
}
