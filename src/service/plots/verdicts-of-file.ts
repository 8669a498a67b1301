import { deforestationView } from '../../collections/fetch/deforestation-view.ts';
import { featureOf, type FetchedFeature } from '../../collections/fetch/view.ts';
import type { Collection } from '../../collections/collection.ts';
import type { PlotRecord } from '../../collections/plot-record.ts';
import { parseCommodity } from '../../facilities/commodity/commodity-names.ts';
import type { NormalizedLocation } from '../../locations/normalized.ts';
import { CUT_OFF } from '../../monitoring-days.ts';
import type { PlotMeasurer } from './statistics.ts';

/** Plots that are measured together. */
const AT_ONCE = 500;

/** A file that is no collection of anybody. */
const NO_COLLECTION: Collection = {
  id: 'file',
  userId: '',
  name: '',
  description: '',
  status: 'completed',
  file: { name: '', size: 0, sha256: '' },
  mapping: null,
  options: null,
  counts: null,
  locationsConfidence: null,
  confidenceCounts: null,
  confidenceReasons: null,
  error: null,
  taskId: null,
  reviews: 0,
  runs: [],
  createdAt: new Date(0),
  completedAt: null,
};

/** The plots of a file as `/fetch_deforestation_check` would give them, from the cut-off to `until`; facilities are passed over. */
export async function* verdictsOfFile(
  locations: AsyncIterable<NormalizedLocation>,
  measurer: Pick<PlotMeasurer, 'measure'>,
  until: string,
  signal: AbortSignal,
): AsyncGenerator<FetchedFeature, void> {
  let number = 0;
  let group: { readonly location: NormalizedLocation; readonly number: number }[] = [];
  async function* flush(): AsyncGenerator<FetchedFeature, void> {
    const plots = group.map(({ location: { geometry, properties } }) => ({ geometry, statedHa: properties.area_ha }));
    const statistics = await measurer.measure(plots, signal);
    for (const [i, { location, number: at }] of group.entries()) {
      const { commodity_type: name } = location.properties;
      const record: PlotRecord = {
        number: at,
        locationType: 'plot',
        feature: location,
        confidence: null,
        statistics: statistics[i],
        problem: null,
        commodity: name === null ? null : parseCommodity(name),
      };
      yield featureOf(record, NO_COLLECTION, deforestationView, { start: CUT_OFF, end: until });
    }
    group = [];
  }
  for await (const location of locations) {
    if (location.properties.location_type === 'plot') group.push({ location, number });
    number++;
    if (group.length === AT_ONCE) yield* flush();
  }
  if (group.length > 0) yield* flush();
}
