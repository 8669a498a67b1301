import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { packagedOpenApi, referenceFiles } from '../reference.ts';
import { llmsText } from './llms-text.ts';
import { openSite, SITE_FILES, SITE_POLICY } from './open-site.ts';
import type { SiteAddresses } from './page-html.ts';
import { PICTURES_FOLDER } from './read-site.ts';
import { escapeHtml } from '../html-page.ts';
import { readVerifyPage } from '../verify-page.ts';
import { VERSION_MENU_JS } from './version-menu.ts';

interface WriteSiteOptions {
  /** Whether the folder lies next to those of other versions, below their list; pages get a menu of them. Default false. */
  readonly isOneOfVersions?: boolean;
  /** The OpenAPI document that the reference of the API is made of; null writes none. Default: that of the package. */
  readonly openApi?: string | null;
}

/** Its own name where it lies next to `verify.html`, the page about signatures. */
const VERIFICATION = 'verify-a-file.html';

/** Writes the documentation as files that any server of files can serve, below any address. How many there are. */
export async function writeSite(
  folder: string,
  version: string,
  { isOneOfVersions = false, openApi: given }: WriteSiteOptions = {},
): Promise<number> {
  const openApi = given === undefined ? await packagedOpenApi() : given;
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
    await write(`${name}.html`, html(path, addressesFrom(up, isOneOfVersions, openApi !== null), SITE_POLICY)!);
    await write(`${name}.md`, text);
  }
  for (const [name, load] of Object.entries(SITE_FILES)) await write(name, (await load(async () => site)).bytes);
  await write(VERIFICATION, await verificationPage());
  if (openApi !== null)
    for (const [name, content] of await referenceFiles(openApi)) await write(`api/${name}`, content);
  if (isOneOfVersions) await write('version-menu.js', VERSION_MENU_JS);
  await mkdir(join(folder, 'pictures'), { recursive: true });
  for (const name of await readdir(PICTURES_FOLDER)) {
    await copyFile(join(PICTURES_FOLDER, name), join(folder, 'pictures', name));
    written++;
  }
  await write('llms.txt', llmsText(site).replaceAll('(/docs/', '('));
  return written;
}

/** With its policy inside, as a server of files sends none; who may frame it cannot be said there. */
async function verificationPage(): Promise<string> {
  const { html, policy } = await readVerifyPage();
  const inside = policy.replace(/; frame-ancestors [^;]*/, '');
  return html.replace(
    '<head>',
    `<head>\n    <meta http-equiv="content-security-policy" content="${escapeHtml(inside)}" />`,
  );
}

function addressesFrom(up: string, isOneOfVersions: boolean, hasReference: boolean): SiteAddresses {
  return {
    page: (path, anchor) => `${up}${path === '' ? 'index' : path}.html${anchor === '' ? '' : `#${anchor}`}`,
    file: (name) => `${up}${name}`,
    verification: `${up}${VERIFICATION}`,
    reference: hasReference ? `${up}api/index.html` : null,
    versions: isOneOfVersions ? `${up}../` : null,
  };
}
