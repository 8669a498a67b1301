import type { PackSources } from '../../readers/packs/pack-sources.ts';
import { openPackData, type PackConfig, type PackData } from '../world/packs-data.ts';
import { installedPackNames } from '../../readers/packs/manifest.ts';
import { autoDatasets, autoFolder, packOfCell, touchAutoPack, type AutoPack } from './auto-packs.ts';
import { blockOf, type Cell } from './cells.ts';

/** A fetched pack that is open for questions. */
export interface OpenedPack {
  readonly pack: AutoPack;
  readonly sources: PackSources;
}

/** The fetched packs of a folder, opened as they are needed; other processes add and remove some meanwhile. */
export interface OpenCells {
  /** The pack that holds a cell; null where none does. */
  find(cell: Cell): Promise<OpenedPack | null>;
  /** Whether nothing was found for a cell within the last second. */
  isMissing(cell: Cell): boolean;
  /** Looks again at the next question. */
  forget(cell: Cell): void;
  close(): Promise<void>;
}

/** Layers that are not loaded into memory have nothing to say. */
const SILENT = { info: () => {}, warn: () => {} };

interface Held extends OpenedPack {
  readonly data: PackData;
  touchedAt: number;
}

/** Packs that are open at the same time, six files each. */
const MOST_OPEN = 40;
/** How long what was found for a cell is believed. */
const BELIEVED_MS = 1_000;
/** How long a pack stays open for the questions it was given to. */
const GRACE_MS = 30_000;
/** How often the use of a pack is written down. */
const TOUCH_MS = 600_000;
const MOST_REMEMBERED = 20_000;

export function openCells(config: PackConfig, now: () => number): OpenCells {
  const held = new Map<string, Held>();
  const found = new Map<string, { readonly at: number; readonly held: Promise<Held | null>; missing: boolean }>();
  const closing = new Map<NodeJS.Timeout, PackData>();
  let listing: { readonly at: number; readonly names: Promise<ReadonlySet<string>> } | null = null;

  /** Whether there may be a pack of a cell: one look at the folder decides for all cells of a batch. */
  async function isListed(cell: Cell): Promise<boolean> {
    if (listing === null || performance.now() - listing.at >= BELIEVED_MS) {
      const names = installedPackNames(autoFolder(config)).then((all) => new Set(all));
      listing = { at: performance.now(), names };
    }
    const names = await listing.names;
    return names.has(cell.name) || names.has(blockOf(cell));
  }

  async function open(cell: Cell): Promise<Held | null> {
    const pack = (await isListed(cell)) ? await packOfCell(config, cell) : null;
    if (pack === null) return null;
    const key = `${pack.manifest.id} ${pack.manifest.version} ${pack.manifest.themes.map(({ sha256 }) => sha256).join(' ')}`;
    let one = held.get(key);
    if (one === undefined) {
      const data = openPackData(autoDatasets(pack), { ...config, packMemoryMb: 0 }, SILENT);
      one = { pack, data, sources: data.sources, touchedAt: pack.usedAt };
    }
    held.delete(key);
    held.set(key, one);
    if (now() - one.touchedAt > TOUCH_MS) {
      one.touchedAt = now();
      await touchAutoPack(pack);
    }
    for (const [oldest, { data }] of held) {
      if (held.size <= MOST_OPEN) break;
      held.delete(oldest);
      closeLater(data);
    }
    return one;
  }

  function closeLater(data: PackData): void {
    const timer = setTimeout(() => {
      closing.delete(timer);
      void data.close();
    }, GRACE_MS);
    timer.unref();
    closing.set(timer, data);
  }

  return {
    find(cell) {
      const known = found.get(cell.name);
      if (known !== undefined && performance.now() - known.at < BELIEVED_MS) return known.held;
      if (found.size >= MOST_REMEMBERED) found.clear();
      const look = { at: performance.now(), held: open(cell), missing: false };
      found.set(cell.name, look);
      look.held.then(
        (one) => (look.missing = one === null),
        () => found.delete(cell.name),
      );
      return look.held;
    },
    isMissing(cell) {
      const known = found.get(cell.name);
      return known?.missing === true && performance.now() - known.at < BELIEVED_MS;
    },
    forget(cell) {
      found.delete(cell.name);
      listing = null;
    },
    async close() {
      for (const timer of closing.keys()) clearTimeout(timer);
      const all = [...closing.values(), ...[...held.values()].map(({ data }) => data)];
      await Promise.all(all.map((data) => data.close()));
    },
  };
}
