import type { Config } from '../../config/settings.ts';
import type { FacilityOptions } from '../../facilities/options.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import type { CrashWatch } from '../../locations/crash-watch.ts';
import type { StagedRow } from '../../locations/normalize-file.ts';
import type { BatchIndex } from '../../locations/plots/batch-index.ts';
import { openOverlay } from '../../locations/plots/geos.ts';
import { inOrder } from '../world/in-order.ts';
import type { World } from '../world/world.ts';
import {
  evaluateLocation,
  lookUpLocation,
  processingOf,
  type EvaluatedRow,
  type FoundLocation,
} from './evaluate-location.ts';
import { gatherPlots } from './gather-plots.ts';
import { repairRow, type RepairedRow, type RepairMode } from './repair-row.ts';
import type { MeasurablePlot } from './statistics.ts';

export interface ValidateLocationsOptions {
  readonly facility: FacilityOptions;
  /** Repair geometries that cannot be used, with a log of the changes. */
  readonly repair: RepairMode;
}

/** Without `forest` nothing is looked for on plots, and the check of deforestation is unknown: a batch measures them later. */
export type EvaluationData = Pick<World, 'sources' | 'citation'> &
  Partial<Pick<World, 'refresh' | 'forest' | 'fetchAhead'>>;

interface EvaluateRowsOptions {
  readonly data: EvaluationData;
  readonly checks: ValidateLocationsOptions;
  readonly config: Pick<Config, 'facilitiesInFlight'>;
  readonly watch: Pick<CrashWatch, 'isOneByOne' | 'process'>;
  readonly signal: AbortSignal;
}

/** What the checks of each row find, in order; `first` is the number of the first row, and `batch` what it is compared by. */
export async function* evaluateRows<R extends StagedRow>(
  rows: AsyncIterable<R>,
  first: number,
  batch: BatchIndex,
  options: EvaluateRowsOptions,
): AsyncGenerator<{ readonly row: R; readonly done: EvaluatedRow }, void> {
  let index = first;
  for await (const { row, repaired, found } of lookUpRows(rows, first, options))
    yield { row, done: evaluateLocation(repaired, index++, batch, found) };
}

interface FoundRow<R extends StagedRow> {
  readonly row: R;
  readonly repaired: RepairedRow<R>;
  readonly found: FoundLocation;
}

/** What the data says of each row, in order. */
export async function* lookUpRows<R extends StagedRow>(
  rows: AsyncIterable<R>,
  first: number,
  { data, checks: { facility, repair }, config, watch, signal }: EvaluateRowsOptions,
): AsyncGenerator<FoundRow<R>, void> {
  const { forest } = data;
  const deforestation = gatherPlots((plots: readonly MeasurablePlot[]) =>
    forest === undefined ? Promise.resolve(plots.map(() => null)) : forest.check(plots, signal),
  );
  const overlay = await openOverlay();
  const inFlight = watch.isOneByOne ? 1 : config.facilitiesInFlight;
  // One by one nothing is read ahead, so that it is known at which location a thread ends.
  const ready = watch.isOneByOne ? rows : (data.fetchAhead?.(rows, facilityShape, { signal }) ?? rows);
  let index = first;
  yield* inOrder(ready, inFlight, async (row) => {
    const at = index++;
    if (row.aside === null) watch.process(at);
    const evaluation = { data, facility, deforestation, signal };
    const repaired = repairRow(row, repair, overlay);
    return { row, repaired, found: await lookUpLocation(repaired, evaluation) };
  });
}

/** What a row has to have map data fetched for. */
function facilityShape({ location }: StagedRow): Shape | null {
  const isRated = location.properties.location_type === 'facility' && processingOf(location) === 'processed';
  return isRated ? toShape(location.geometry).shape : null;
}
