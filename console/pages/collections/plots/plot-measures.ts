import { send, type Answer } from '../../../api/client.ts';
import type { Period } from '../batch/period.ts';

export type Emissions = Answer<'fetchBiomassEmissions'>['features'][number]['properties'];
export type Diversity = Answer<'fetchBiodiversity'>['features'][number]['properties'];

/** Biomass, emissions and diversity of one location. */
export async function fetchMeasures(
  id: string,
  number: number,
  { start, end }: Period,
  signal: AbortSignal,
): Promise<{ readonly emissions: Emissions; readonly diversity: Diversity }> {
  // The page after the previous location: the service reads no other part of the collection for it.
  const query = {
    filename: id,
    monitoring_start: start,
    monitoring_end: end,
    limit: 1,
    ...(number === 0 ? {} : { after: `0.${number - 1}` }),
  };
  const one = async <T>(operation: 'fetchBiomassEmissions' | 'fetchBiodiversity'): Promise<T> => {
    const response = await send(operation, { query, accept: 'application/x-ndjson', signal });
    return ((await response.json()) as { properties: T }).properties;
  };
  const [emissions, diversity] = await Promise.all([
    one<Emissions>('fetchBiomassEmissions'),
    one<Diversity>('fetchBiodiversity'),
  ]);
  return { emissions, diversity };
}
