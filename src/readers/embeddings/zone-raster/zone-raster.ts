import type { BlockPhase } from '../../../geo/segmentation/detect-block-phase.ts';
import { createShared } from '../../io/share.ts';
import { AefIndexError } from '../index/pack.ts';
import { blockWindow } from '../blocks/block-window.ts';
import type { CodeBlocks } from '../cog/code-blocks.ts';
import { type EmbeddingRaster, withinDeadline } from '../embedding-source.ts';
import type { OpenFiles } from './files.ts';
import { holdsPixel, intersection, placeOn, type PixelRect, type RasterLattice } from './lattice.ts';
import { NO_PHASE, phaseInMiddle, type PhaseStore } from './phase.ts';
import type { CodeWindow } from '../../../geo/segmentation/code-window.ts';
import { BANDS, NODATA } from '../../../geo/segmentation/grid.ts';

/** A file of a raster that has not been opened yet. */
export interface RasterFile {
  readonly path: string;
  /** The pixels it answers for. */
  readonly rect: PixelRect;
}

/** An open file. */
export interface RasterBlocks {
  /** Its pixels, north-up, on a lattice of their own. */
  readonly lattice: RasterLattice;
  readonly blocks: CodeBlocks;
}

export interface ZoneRasterOptions {
  readonly id: string;
  readonly year: number;
  readonly lattice: RasterLattice;
  /** In order of their paths. */
  readonly files: readonly RasterFile[];
  /** Opens files by their paths. */
  readonly open: OpenFiles<RasterBlocks>;
  /** Time for one call, in milliseconds. */
  readonly deadlineMs: number;
  /** Null: the phase is looked up once a process. */
  readonly phases: PhaseStore | null;
}

/** Files whose middle is looked at for the phase before the raster counts as one without blocks. */
const PHASE_FILES = 16;
/** Pixels by which an index may promise more than a file has. */
const SLACK = 1;

/**
 * Many files on one lattice as one raster. What the files answer for is known before any of them is opened; where two
 * of them overlap the first by path counts. A file that is not there, or does not hold what it answers for, fails the
 * read. The phase is taken from the middle of the first file, by path, where it is clear.
 */
export function createZoneRaster(options: ZoneRasterOptions): EmbeddingRaster {
  const { id, year, lattice, files, deadlineMs } = options;
  const sharePhase = createShared<BlockPhase>();
  let phase: BlockPhase | null = null;
  let lastHit: PixelRect | undefined;

  return {
    id,
    year,
    ...lattice,
    covers(x, y) {
      // Neighbours are requested one after another.
      if (lastHit === undefined || !holdsPixel(lastHit, x, y))
        lastHit = files.find(({ rect }) => holdsPixel(rect, x, y))?.rect;
      return lastHit !== undefined;
    },
    phase: (signal) =>
      withinDeadline(deadlineMs, id, signal, async (inner) => {
        phase ??= await sharePhase('phase', inner, (shared) => findPhase(options, shared));
        return phase;
      }),
    async version(x0, y0, width, height, signal) {
      const parts = partsOf(files, { left: x0, top: y0, right: x0 + width, bottom: y0 + height });
      const known = parts.map(({ file }) => options.open.peek(file.path)?.blocks.id);
      if (!known.includes(undefined)) return known.join(' ');
      return withinDeadline(deadlineMs, id, signal, async (inner) => {
        const ids = await Promise.allSettled(
          parts.map(({ file }) => options.open.use(file.path, inner, async ({ blocks }) => blocks.id)),
        );
        return ids
          .map((one) => {
            if (one.status === 'rejected') throw one.reason;
            return one.value;
          })
          .join(' ');
      });
    },
    window: (x0, y0, width, height, signal) =>
      withinDeadline(deadlineMs, id, signal, async (inner) => {
        const wanted = { left: x0, top: y0, right: x0 + width, bottom: y0 + height };
        const reads = await Promise.allSettled(
          partsOf(files, wanted).map(({ file, rect }) => readPart(options, file, rect, wanted, inner)),
        );
        const parts = reads.map((read) => {
          if (read.status === 'rejected') throw read.reason;
          return read.value;
        });
        return joinWindows(
          width,
          height,
          parts.filter((part) => part !== null),
        );
      }),
  };
}

/** What each file has to give to a window, files without a pixel of their own left out. */
function partsOf(files: readonly RasterFile[], wanted: PixelRect): { file: RasterFile; rect: PixelRect }[] {
  const parts: { file: RasterFile; rect: PixelRect }[] = [];
  for (const file of files) {
    const rect = intersection(file.rect, wanted);
    const isHidden = rect === null || parts.some((before) => contains(before.rect, rect));
    if (!isHidden) parts.push({ file, rect });
  }
  return parts;
}

async function readPart(
  { open, lattice }: ZoneRasterOptions,
  file: RasterFile,
  rect: PixelRect,
  wanted: PixelRect,
  signal: AbortSignal,
): Promise<WindowPart | null> {
  return open.use(file.path, signal, async ({ blocks, lattice: fileLattice }) => {
    const own = placeOn(lattice, fileLattice, blocks.id);
    if (!contains(grown(own), file.rect))
      throw new AefIndexError(
        file.path,
        `wanted a file that holds the pixels ${textOf(file.rect)} of its zone, got one of ${textOf(own)}`,
      );
    const held = intersection(rect, own);
    if (held === null) return null;
    const { left, top, right, bottom } = held;
    const window = await blockWindow(blocks, left - own.left, top - own.top, right - left, bottom - top, signal);
    const inWindow = {
      left: left - wanted.left,
      top: top - wanted.top,
      right: right - wanted.left,
      bottom: bottom - wanted.top,
    };
    return { rect: inWindow, window };
  });
}

async function findPhase(
  { files, open, lattice, phases }: ZoneRasterOptions,
  signal: AbortSignal,
): Promise<BlockPhase> {
  const known = (await phases?.read()) ?? null;
  if (known !== null) return known;
  for (const { path } of files.slice(0, PHASE_FILES)) {
    const found = await open.use(path, signal, async ({ blocks, lattice: fileLattice }) => {
      const { left, top } = placeOn(lattice, fileLattice, blocks.id);
      return phaseInMiddle(blocks, left, top, signal);
    });
    if (found === null) continue;
    await phases?.write(found);
    return found;
  }
  await phases?.write(NO_PHASE);
  return NO_PHASE;
}

function contains(outer: PixelRect, inner: PixelRect): boolean {
  return (
    outer.left <= inner.left && outer.top <= inner.top && outer.right >= inner.right && outer.bottom >= inner.bottom
  );
}

function grown({ left, top, right, bottom }: PixelRect): PixelRect {
  return { left: left - SLACK, top: top - SLACK, right: right + SLACK, bottom: bottom + SLACK };
}

function textOf({ left, top, right, bottom }: PixelRect): string {
  return `${left}, ${top} to ${right}, ${bottom}`;
}

/** What one file gives to a window. */
interface WindowPart {
  /** Its pixels, counted from the window's upper left corner. */
  readonly rect: PixelRect;
  readonly window: CodeWindow;
}

/** The parts of several files as one window. Where parts overlap the first counts; -128 where there is none. */
function joinWindows(width: number, height: number, parts: readonly WindowPart[]): CodeWindow {
  const [first] = parts;
  if (parts.length === 1 && first.window.width === width && first.window.height === height) return first.window;
  const backToFront = parts.toReversed();
  // A part writes its row from the start of what it is given.
  const row = new Int8Array(Math.max(0, ...parts.map(({ window }) => window.width)) * BANDS);
  return {
    width,
    height,
    copyRow(y, out) {
      out.fill(NODATA, 0, width * BANDS);
      for (const { rect, window } of backToFront) {
        if (y < rect.top || y >= rect.bottom) continue;
        window.copyRow(y - rect.top, row);
        out.set(row.subarray(0, window.width * BANDS), rect.left * BANDS);
      }
    },
    release() {
      for (const { window } of parts) window.release?.();
    },
  };
}
