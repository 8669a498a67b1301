import type { PatchStages } from '../../forest/find-patch.ts';
import type { PatchEmbeddings, PatchRaster, PatchSources } from '../../forest/sources.ts';
import type { BlockPhase } from '../../geo/segmentation/detect-block-phase.ts';

/** A rectangle of pixels that a lookup read. */
interface RecordedRead {
  readonly x0: number;
  readonly y0: number;
  readonly width: number;
  readonly height: number;
  readonly ms: number;
}

/** What one live lookup did, step by step. Times are in milliseconds. */
export interface ForestRecord {
  /** The sources to look in: no labels, so that something is cut. */
  readonly sources: PatchSources;
  readonly inspect: (stages: PatchStages) => void;
  readonly reads: readonly RecordedRead[];
  stages(): PatchStages | null;
  phase(): BlockPhase | null;
  times(): { readonly findRaster: number; readonly findPhase: number };
}

/** Wraps sources so that what the next lookup reads of them is known afterwards. */
export function recordLookup({ embeddings, reportFailure }: PatchSources): ForestRecord {
  const reads: RecordedRead[] = [];
  const times = { findRaster: 0, findPhase: 0 };
  let stages: PatchStages | null = null;
  let phase: BlockPhase | null = null;

  const recordedRaster = (raster: PatchRaster): PatchRaster => ({
    id: raster.id,
    year: raster.year,
    transform: raster.transform,
    crs: raster.crs,
    covers: (x, y) => raster.covers(x, y),
    async phase(signal) {
      const begun = performance.now();
      phase = await raster.phase(signal);
      times.findPhase = performance.now() - begun;
      return phase;
    },
    async window(x0, y0, width, height, signal) {
      const begun = performance.now();
      const window = await raster.window(x0, y0, width, height, signal);
      reads.push({ x0, y0, width, height, ms: performance.now() - begun });
      return window;
    },
  });
  const recorded = (source: PatchEmbeddings): PatchEmbeddings => ({
    dataset: source.dataset,
    async at(lon, lat, signal) {
      const begun = performance.now();
      const place = await source.at(lon, lat, signal);
      times.findRaster += performance.now() - begun;
      return place === null ? null : { ...place, raster: recordedRaster(place.raster) };
    },
  });
  return {
    sources: { labels: [], embeddings: embeddings.map(recorded), ...(reportFailure ? { reportFailure } : {}) },
    inspect: (made) => (stages = made),
    reads,
    stages: () => stages,
    phase: () => phase,
    times: () => times,
  };
}
