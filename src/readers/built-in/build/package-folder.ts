import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface InstalledPackage {
  readonly folder: string;
  readonly version: string;
}

/** Where an npm package is installed, and which version. Throws a sentence when it is not. */
export function installedPackage(name: string): InstalledPackage {
  for (let folder = dirname(fileURLToPath(import.meta.resolve(name))); ; folder = dirname(folder)) {
    const manifest = readManifest(join(folder, 'package.json'));
    if (manifest?.name === name) return { folder, version: String(manifest.version) };
    if (dirname(folder) === folder) throw new Error(`The package ${name} is not installed; run npm ci`);
  }
}

function readManifest(path: string): { name?: unknown; version?: unknown } | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as { name?: unknown; version?: unknown };
  } catch {
    return null;
  }
}
