import type { PlotFeature } from '../../collections/plot-record.ts';
import { byGravity, locationWarning } from '../../locations/warnings.ts';
import type { Checkpoint, Checkpoints } from '../../jobs/checkpoints.ts';
import type { Caution, EvaluatedLocation } from '../collections/locations.ts';
import { makePart } from '../collections/parts.ts';
import type { OpenedLocations } from '../locations/locations.ts';

/** Crashes of the thread while it worked on one location alone, after which the location is set aside. */
export const CRASHES_OF_LOCATION = 2;
/**
 * Locations that are gone through one by one after a crash. Where the one that crashed the thread lies further on, the
 * next crash leads to it: what is kept meanwhile is not done again.
 */
const ONE_BY_ONE = 200;

/** How to go on from location `from`, after what earlier runs met. */
export function cautionFrom(from: number, crashes: number, kept: Checkpoints): Caution {
  const until = crashes === 0 ? 0 : from + ONE_BY_ONE;
  return { until, begin: async (number) => (number < until ? kept.begin(number) : undefined) };
}

/**
 * Keeps location `number` as a part of its own with nothing but what its row says. Its geometry, which is what a thread
 * crashes on as a rule, goes no further: the locations after it and the exports would meet it again.
 */
export async function setAside(
  { prepared }: OpenedLocations,
  kept: Checkpoints,
  { seq, number, crashes }: { readonly seq: number; readonly number: number; readonly crashes: number },
  signal: AbortSignal,
): Promise<Checkpoint> {
  for await (const { location } of prepared.rows(signal, number)) {
    const { properties } = location;
    const warning = locationWarning('set_aside', { row: properties.source_row }, { crashes });
    const feature = {
      ...location,
      geometry: null,
      properties: { ...properties, geometry_source: 'none', warnings: byGravity([warning, ...properties.warnings]) },
    };
    const evaluated: EvaluatedLocation = {
      record: {
        number,
        locationType: properties.location_type,
        feature: feature as unknown as PlotFeature,
        confidence: null,
        statistics: null,
        problem: `Set aside: this location ended its worker process ${crashes} times and was not processed.`,
      },
      reasons: ['locations were set aside, because their worker process ended while it worked on them'],
      measurable: false,
    };
    const { part, bytes } = await makePart(seq, [evaluated], []);
    await kept.keep(part, bytes);
    return part;
  }
  throw new Error(`the file has no location ${number} any more`);
}
