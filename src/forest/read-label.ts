import { ALGORITHM } from '../geo/segmentation/find-segment.ts';
import type { LonLat } from '../geo/shapes/shape.ts';
import type { Answer } from './answer.ts';
import type { PatchOrigin } from './patch.ts';
import type { PatchLabels } from './sources.ts';
import { forestWarning } from './warnings.ts';

/**
 * What a label store says of a place (Tier 1). Null where it says nothing: outside of what was built, at a segment that
 * was too large to be proven, and where another algorithm found no forest.
 */
export async function readLabel(source: PatchLabels, point: LonLat, signal: AbortSignal): Promise<Answer | null> {
  const place = await source.at(point[0], point[1], signal);
  if (place === null) return null;
  const { status, year, algorithm, lattice } = place;
  const origin: PatchOrigin = { source: 'plotids-store', year, dataset: source.dataset };
  if (status === 'forest') {
    const { corners } = await place.segment(signal);
    return { origin, corners, lattice, algorithm, truncatedAt: null };
  }
  if (status === 'outside' || status === 'unresolved' || algorithm !== ALGORITHM) return null;
  const detail = ' by the labels that are stored, which keep no probabilities';
  return { origin, warning: forestWarning(status, { dataset: source.dataset.id, detail }) };
}
