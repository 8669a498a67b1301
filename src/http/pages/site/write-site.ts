import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { llmsText } from './llms-text.ts';
import { openSite, SITE_FILES, SITE_POLICY } from './open-site.ts';
import type { SiteAddresses } from './page-html.ts';
import { PICTURES_FOLDER } from './read-site.ts';
import { VERSION_MENU_JS } from './version-menu.ts';

interface WriteSiteOptions {
  /** Whether the folder lies next to those of other versions, below their list; pages get a menu of them. Default false. */
  readonly isOneOfVersions?: boolean;
}

/** Writes the documentation as files that any server of files can serve, below any address. How many there are. */
export async function writeSite(
  folder: string,
  version: string,
  { isOneOfVersions = false }: WriteSiteOptions = {},
): Promise<number> {
  const { site, html } = await openSite(version);
  let written = 0;
  const write = async (name: string, content: string | Uint8Array): Promise<void> => {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    written++;
  };
  for (const { path, text } of site.pages) {
    const name = path === '' ? 'index' : path;
    const up = '../'.repeat(name.split('/').length - 1);
    await write(`${name}.html`, html(path, addressesFrom(up, isOneOfVersions), SITE_POLICY)!);
    await write(`${name}.md`, text);
  }
  for (const [name, load] of Object.entries(SITE_FILES)) await write(name, (await load(async () => site)).bytes);
  if (isOneOfVersions) await write('version-menu.js', VERSION_MENU_JS);
  await mkdir(join(folder, 'pictures'), { recursive: true });
  for (const name of await readdir(PICTURES_FOLDER)) {
    await copyFile(join(PICTURES_FOLDER, name), join(folder, 'pictures', name));
    written++;
  }
  await write('llms.txt', llmsText(site).replaceAll('(/docs/', '('));
  return written;
}

function addressesFrom(up: string, isOneOfVersions: boolean): SiteAddresses {
  return {
    page: (path, anchor) => `${up}${path === '' ? 'index' : path}.html${anchor === '' ? '' : `#${anchor}`}`,
    file: (name) => `${up}${name}`,
    reference: null,
    versions: isOneOfVersions ? `${up}../` : null,
  };
}
