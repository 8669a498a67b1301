import type { Crs } from '../geo/crs/find-crs.ts';
import { reprojectPolygon } from '../geo/crs/reproject-polygon.ts';
import { outlineSegment, type SegmentOutline } from '../geo/outline/outline.ts';
import { segmentId } from '../geo/outline/segment-id.ts';
import type { LonLat } from '../geo/shapes/shape.ts';
import { type FoundPatch, type LiveCut, rawOutline } from './answer.ts';
import { queryInTurn, type PendingLookup } from './query-in-turn.ts';
import { cutLive } from './cut-live.ts';
import { describeFailures, forestWarning, type ForestWarning } from './warnings.ts';
import { noPatch, type Patch } from './patch.ts';
import { readLabel } from './read-label.ts';
import type { SharedWork } from './shared-work.ts';
import type { PatchSources } from './sources.ts';
import { round } from '../geo/round.ts';

/** How `findPatch` looks. */
export interface FindPatchOptions {
  /** CRS of the returned polygon. */
  readonly crs: Crs;
  /** Milliseconds the whole lookup may take. A source that is not the last may use half of what is left. */
  readonly timeoutMs: number;
  /** Aborts the lookup; it then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Also gives the outline before smoothing, as `raw_outline`; default false. */
  readonly rawOutline?: boolean;
  /** What the points of one request share; default nothing. */
  readonly shared?: SharedWork;
  /** Shown what led to the answer, to be looked at. */
  readonly inspect?: (stages: PatchStages) => void;
}

/** What the steps of one lookup made. */
export interface PatchStages {
  /** What was cut live; null when the answer was read from labels, or there was nothing to cut. */
  readonly cut: LiveCut | null;
  /** The forest segment and its outline; null where there is no forest. */
  readonly segment: FoundPatch | null;
  readonly outline: SegmentOutline | null;
}

/**
 * The patch of forest that holds a place in degrees: the segment that a label store has for it, or else the one cut
 * live from embeddings, outlined, smoothed and taken to the output CRS. The first dataset that covers the place decides;
 * one that fails is passed over, and only where no later one answers the place is `source_unavailable`.
 *
 * Never rejects for a place or a source: what is wrong with them is reported by a null geometry and a warning.
 */
export async function findPatch(point: LonLat, sources: PatchSources, options: FindPatchOptions): Promise<Patch> {
  try {
    return await look(point, sources, options);
  } catch (error) {
    options.signal.throwIfAborted();
    sources.reportFailure?.('lookup', error);
    return noPatch(point, forestWarning('source_unavailable', { reason: 'the lookup itself failed' }));
  }
}

async function look(point: LonLat, sources: PatchSources, options: FindPatchOptions): Promise<Patch> {
  const lookup: PendingLookup = {
    signal: options.signal,
    until: performance.now() + options.timeoutMs,
    failures: [],
    reportFailure: sources.reportFailure ?? (() => {}),
  };
  let cut: LiveCut | null = null;
  const answer =
    (await queryInTurn(sources.labels, sources.embeddings.length, lookup, (source, signal) =>
      readLabel(source, point, signal),
    )) ??
    (await queryInTurn(sources.embeddings, 0, lookup, async (source, signal) => {
      const live = await cutLive(source, point, signal, options.shared, sources.cells);
      cut = live?.cut ?? null;
      return live?.answer ?? null;
    }));
  if (answer === null) return nothingFound(point, lookup);
  if ('warning' in answer) {
    options.inspect?.({ cut, segment: null, outline: null });
    return noPatch(point, answer.warning, answer.origin);
  }
  const { origin, corners, lattice, algorithm } = answer;
  const id = segmentId(corners, lattice, { year: origin.year, algorithm });
  const outline = options.shared?.outline(id, answer, point) ?? outlineSegment(corners, lattice, point);
  options.inspect?.({ cut, segment: answer, outline });
  return toPatch(point, answer, id, outline, options);
}

function nothingFound(point: LonLat, { failures }: PendingLookup): Patch {
  if (failures.length === 0) return noPatch(point, forestWarning('outside_coverage'));
  return noPatch(point, forestWarning('source_unavailable', { reason: describeFailures(failures) }));
}

function toPatch(
  point: LonLat,
  found: FoundPatch,
  id: string,
  outline: SegmentOutline,
  options: FindPatchOptions,
): Patch {
  const { crs } = options;
  const { origin } = found;
  const geometry = reprojectPolygon(outline.polygon, crs);
  if (geometry === null) return noPatch(point, forestWarning('outside_crs', { crs: crs.name }), origin);
  return {
    geometry,
    properties: {
      input_point: point,
      source: origin.source,
      source_year: origin.year,
      warnings: warningsOf(found, outline, id),
      area_ha: round(outline.area / 10_000, 4),
      perimeter_m: round(outline.perimeter, 1),
      segment_id: id,
      area_change_pct: round(outline.areaChangePct, 3),
      dataset: origin.dataset.id,
      dataset_version: origin.dataset.version,
      synthetic: origin.dataset.synthetic,
      ...(options.rawOutline === true ? { raw_outline: reprojectPolygon(rawOutline(found), crs) } : {}),
    },
  };
}

function warningsOf({ origin, truncatedAt }: FoundPatch, outline: SegmentOutline, id: string): ForestWarning[] {
  const warnings: ForestWarning[] = [];
  if (origin.dataset.synthetic) warnings.push(forestWarning('synthetic_data', { dataset: origin.dataset.id }));
  if (truncatedAt !== null) warnings.push(forestWarning('segment_truncated', { extent: truncatedAt }));
  if (outline.redrawnFor !== null)
    warnings.push(forestWarning('outline_redrawn', { metres: outline.redrawnFor.toFixed(1), segment: id }));
  if (outline.smoothingSkipped) warnings.push(forestWarning('smoothing_skipped'));
  return warnings;
}
