import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** The pages as they are written, in the repository and in the package. */
export const DOCS_FOLDER = resolve(import.meta.dirname, '../../../docs');

/** Names of the pages of `docs/`, in order. */
export async function docNames(): Promise<readonly string[]> {
  const files = await readdir(DOCS_FOLDER);
  return files
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.slice(0, -'.md'.length))
    .toSorted();
}

/** A page as it is written; null when there is none of that name. */
export async function readDoc(name: string): Promise<string | null> {
  if (!(await docNames()).includes(name)) return null;
  return await readFile(join(DOCS_FOLDER, `${name}.md`), 'utf8');
}
