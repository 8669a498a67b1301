import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Polygons } from '../formats/osm/assemble-rings.ts';
import { placeOf } from '../formats/flatgeobuf/encode-feature.ts';
import { FlatGeobufWriter } from '../formats/flatgeobuf/write-flatgeobuf.ts';
import { writeBlockChecksums } from './block-checksums.ts';
import { DataOutline } from './answers/data-outline.ts';
import { type InstalledPack, MANIFEST_FILE, PackError, type PackManifest } from './manifest.ts';
import type { Mapped } from '../themes/mapped-cells.ts';
import type { ThemeMeasure } from '../themes/measure-themes.ts';
import { type FeatureSink, THEME_NAMES, type ThemeName, THEMES } from '../themes/themes.ts';

/** Bytes of features that each theme sorts in memory, the longest included: a parcel may be a whole coast. */
const MEMORY_BYTES = { each: 16_777_216, parcels: 67_108_864 } as const;
const DRAFT = /^\.making-(\d+)-/;

/** A pack being written in a folder of its own; nothing is seen of it before `publish`. */
export interface PackDraft {
  /** For files of the import that are gone afterwards. */
  readonly scratch: string;
  readonly sink: FeatureSink;
  readonly outline: DataOutline;
  /** Finishes the files, then puts the pack in its place, over an older one of the same name. */
  publish(
    about: Omit<PackManifest, 'format' | 'formatVersion' | 'themes' | 'coverage'> & {
      readonly coverage: Polygons;
      /** Where each theme is mapped; `whole` for data that is complete by the way it was made. */
      readonly mapped: 'whole' | ((theme: ThemeName) => Mapped);
    },
  ): Promise<InstalledPack>;
  /** Removes everything that was not published. */
  close(): Promise<void>;
}

/**
 * Begins a pack in the folder of packs. `themes` are those to be written; one without features gets an empty file. A `measure` counts
 * everything that is written.
 */
export async function draftPack(
  packsFolder: string,
  themes: readonly ThemeName[] = THEME_NAMES,
  measure: ThemeMeasure | null = null,
): Promise<PackDraft> {
  await mkdir(packsFolder, { recursive: true });
  await removeAbandoned(packsFolder);
  const folder = draftFolder(packsFolder);
  const scratch = join(folder, 'scratch');
  await mkdir(scratch, { recursive: true });
  const outline = new DataOutline();
  const writers = new Map(themes.map((theme) => [theme, writerOf(folder, theme)] as const));
  return {
    scratch,
    outline,
    sink(feature) {
      const { theme, geometry, values } = feature;
      measure?.add(feature);
      const [lon, lat] = placeOf(geometry);
      outline.add(lon, lat);
      return writers.get(theme)?.add(geometry, values);
    },
    async publish({ coverage, mapped, ...about }) {
      const entries = [];
      for (const [theme, writer] of writers) {
        await writer.finish();
        const file = fileOf(theme);
        const { size } = await stat(join(folder, file));
        const sha256 = await hashFile(join(folder, file));
        await writeBlockChecksums(join(folder, file));
        entries.push({
          theme,
          file,
          features: writer.count,
          bytes: size,
          sha256,
          checksums: 'crc32c' as const,
          mapped: mapped === 'whole' ? mapped : mapped(theme),
        });
      }
      await rm(scratch, { recursive: true, force: true });
      const manifest: PackManifest = {
        format: 'firstmile-pack',
        formatVersion: 1,
        ...about,
        coverage: { type: 'MultiPolygon', coordinates: coverage.map((rings) => rings.map(positions)) },
        themes: entries,
      };
      await writeFile(join(folder, MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true });
      const place = join(packsFolder, about.id);
      await putInPlace(folder, place);
      return { folder: place, manifest };
    },
    async close() {
      await Promise.allSettled([...writers.values()].map((writer) => writer.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A folder for a pack that is not whole yet; one that a process left is removed by the next draft. */
export function draftFolder(packsFolder: string): string {
  return join(packsFolder, `.making-${process.pid}-${randomUUID()}`);
}

function writerOf(folder: string, theme: ThemeName): FlatGeobufWriter {
  const { geometryType, columns } = THEMES[theme];
  return new FlatGeobufWriter(join(folder, fileOf(theme)), {
    name: theme,
    geometryType,
    columns,
    memoryBytes: theme === 'parcels' ? MEMORY_BYTES.parcels : MEMORY_BYTES.each,
  });
}

function fileOf(theme: ThemeName): string {
  return `${theme}.fgb`;
}

function positions(ring: Float64Array): number[][] {
  return Array.from({ length: ring.length / 2 }, (_, i) => [ring[2 * i], ring[2 * i + 1]]);
}

/** Moves a finished folder to its place; an older one there is moved aside first and removed afterwards. */
export async function putInPlace(folder: string, place: string): Promise<void> {
  const aside = `${folder}-old`;
  const hadOne = await rename(place, aside).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw new PackError(place, `the older pack cannot be moved (${error.message})`, { cause: error });
    },
  );
  try {
    await rename(folder, place);
  } catch (error) {
    if (hadOne) await rename(aside, place);
    throw error;
  }
  const parent = await open(join(place, '..'), 'r');
  await parent.sync().catch(() => undefined);
  await parent.close();
  if (hadOne) await rm(aside, { recursive: true, force: true });
}

/** Removes drafts of processes that are gone. */
async function removeAbandoned(packsFolder: string): Promise<void> {
  for (const name of await readdir(packsFolder)) {
    const pid = Number(DRAFT.exec(name)?.[1]);
    if (pid > 0 && pid !== process.pid && !isAlive(pid))
      await rm(join(packsFolder, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** SHA-256 of a file, in hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Uint8Array);
  return hash.digest('hex');
}
