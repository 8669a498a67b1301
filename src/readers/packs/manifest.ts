import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dataset } from '../catalogue/dataset.ts';
import type { Mapped } from '../themes/mapped-cells.ts';
import { type ThemeName, THEMES } from '../themes/themes.ts';
import { faultOf } from '../io/source-fault.ts';

/** What a pack says of itself, in its `pack.json`. */
export interface PackManifest {
  readonly format: 'firstmile-pack';
  readonly formatVersion: 1;
  /** Names the folder and begins the ids of its datasets. */
  readonly id: string;
  /** Identifies the data: the day of its last change and the beginning of a hash of the source. */
  readonly version: string;
  /** Day of the last change in the source. */
  readonly date: string;
  readonly licence: string;
  readonly attribution: string;
  readonly synthetic: boolean;
  readonly source: PackSource;
  /** The ground the pack knows, as a GeoJSON MultiPolygon. */
  readonly coverage: {
    readonly type: 'MultiPolygon';
    readonly coordinates: readonly (readonly (readonly (readonly number[])[])[])[];
  };
  readonly themes: readonly PackThemeEntry[];
  /** Settings of the reader of its datasets. */
  readonly options?: Readonly<Record<string, unknown>>;
}

interface PackSource {
  /** `osm`, `overture`, `parcels` or `sample`. */
  readonly kind: string;
  /** Name of the file or release. */
  readonly name: string;
  readonly bytes: number;
}

export interface PackThemeEntry {
  readonly theme: ThemeName;
  readonly file: string;
  readonly features: number;
  readonly bytes: number;
  /** SHA-256 of the file, in hex. */
  readonly sha256: string;
  /** Where the theme is mapped on the ground of the pack; absent in packs made before this was measured. */
  readonly mapped?: Mapped;
  /** Checksums of its blocks lie next to the file; packs of before have none. */
  readonly checksums?: 'crc32c';
}

export const MANIFEST_FILE = 'pack.json';
/** Folder of all packs inside the data folder. */
export const PACKS_FOLDER = 'regional-packs';

/** A pack on disk. */
export interface InstalledPack {
  readonly folder: string;
  readonly manifest: PackManifest;
}

/** A pack that cannot be used, and what can be done. */
export class PackError extends faultOf('PackError', 'import the pack again') {}

/** Reads the manifest of a pack; throws a `PackError` for one that is missing, damaged or of another layout. */
export async function readManifest(folder: string): Promise<PackManifest> {
  try {
    const manifest = JSON.parse(await readFile(join(folder, MANIFEST_FILE), 'utf8')) as PackManifest;
    if (manifest.format !== 'firstmile-pack' || manifest.formatVersion !== 1)
      throw new Error(
        `wanted layout 1 of a pack, got ${JSON.stringify(manifest.formatVersion ?? null)}; import it again`,
      );
    if (!Array.isArray(manifest.themes) || manifest.themes.some(({ theme }) => !(theme in THEMES)))
      throw new Error('wanted a list of known themes; import it again');
    return manifest;
  } catch (error) {
    throw new PackError(folder, `the manifest cannot be read (${(error as Error).message})`, { cause: error });
  }
}

/** The datasets of a pack as the catalogue lists them, one for each theme. */
export function packDatasets({ folder, manifest }: InstalledPack): readonly Dataset[] {
  const { id, version, date, licence, attribution, synthetic, coverage } = manifest;
  const polygons = coverage.coordinates.map((rings) => rings.map((ring) => Float64Array.from(ring.flat())));
  return manifest.themes.map(({ theme, file, features, mapped = null, checksums }) => ({
    id: `${id}-${theme}`,
    role: THEMES[theme].role,
    kind: 'flatgeobuf',
    path: join(folder, file),
    coverage: { polygons },
    version,
    date,
    licence,
    attribution,
    synthetic,
    options: { ...manifest.options, pack: id, features, mapped, ...(checksums === undefined ? {} : { checksums }) },
  }));
}

/** The packs in a folder, by id, and what is wrong with those that cannot be used. A folder that is not there holds none. */
export async function installedPacks(
  packsFolder: string,
): Promise<{ readonly packs: readonly InstalledPack[]; readonly faults: readonly PackError[] }> {
  const packs: InstalledPack[] = [];
  const faults: PackError[] = [];
  for (const name of await installedPackNames(packsFolder)) {
    const folder = join(packsFolder, name);
    try {
      const manifest = await readManifest(folder);
      if (manifest.id !== name) throw new PackError(folder, `wanted a pack named "${name}", got "${manifest.id}"`);
      packs.push({ folder, manifest });
    } catch (error) {
      if (!(error instanceof PackError)) throw error;
      faults.push(error);
    }
  }
  return { packs, faults };
}

/** Names of the packs in a folder, in order, those that cannot be used among them. */
export async function installedPackNames(packsFolder: string): Promise<readonly string[]> {
  const names = await readdir(packsFolder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter((name) => !name.startsWith('.')).sort();
}

/** Removes a pack; false when there is none of that name. */
export async function removePack(packsFolder: string, id: string): Promise<boolean> {
  const aside = join(packsFolder, `.making-${process.pid}-removed-${id}`);
  const found = await rename(join(packsFolder, id), aside).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
  if (found) await rm(aside, { recursive: true, force: true });
  return found;
}
