import type { FacilityOptions } from '../../facilities/options.ts';
import { didYouMean, parseCommodity } from '../../facilities/commodity/commodity-names.ts';
import { describeFailure } from '../../forest/warnings.ts';
import type { Geometry } from '../../geo/geometry.ts';
import type { Shape } from '../../geo/shapes/shape.ts';
import { toShape } from '../../geo/shapes/to-shape.ts';
import type { NormalizedLocation } from '../../locations/normalized.ts';
import type { DeforestationFinding, PlotFindings } from '../../locations/plots/check-plot.ts';
import type { World } from '../world/world.ts';
import { plotPosition } from './position.ts';
import type { MeasurablePlot } from './statistics.ts';
import { DEFAULT_POINT_HA } from '../../geo/zonal/plot-ground.ts';

/** What locations are evaluated with. */
export interface EvaluationContext {
  readonly data: Pick<World, 'sources'>;
  readonly facility: FacilityOptions;
  readonly deforestation: (plot: MeasurablePlot) => Promise<DeforestationFinding | null>;
  readonly signal: AbortSignal;
}

/** Share of a plot under its commodity from which it counts as present. */
const PRESENT_SHARE = 0.05;

const NO_GROUND = { status: 'unknown', detail: 'The plot has no usable geometry.' } as const;

/** What the data says of a plot: where it lies, its commodity and its deforestation, queried at once. */
export async function plotFindings(
  { geometry, properties }: NormalizedLocation,
  statedCountry: string | null,
  context: EvaluationContext,
): Promise<PlotFindings> {
  const { shape } = toShape(geometry as Geometry | null);
  if (shape === null) return { position: null, commodity: NO_GROUND, deforestation: NO_GROUND };
  const { area_ha: area } = properties;
  const statedHa = area !== null && area > 0 ? area : null;
  const { data, facility, signal } = context;
  const queried = [
    plotPosition(shape, properties.commodity_type, statedCountry, data.sources, facility, signal),
    commodityOf(shape, properties, context),
    context.deforestation({ geometry, statedHa }),
  ] as const;
  // Nothing goes on unnoticed by the caller when one rejects.
  await Promise.allSettled(queried);
  const [position, commodity, deforestation] = await Promise.all(queried);
  return { position, commodity, deforestation };
}

/** Metres around a point that its area stands for; 0 for an outline. */
function radiusOf({ polygons }: Shape, { area_ha: area }: NormalizedLocation['properties']): number {
  if (polygons.length > 0) return 0;
  return Math.sqrt(((area !== null && area > 0 ? area : DEFAULT_POINT_HA) * 10_000) / Math.PI);
}

async function commodityOf(
  shape: Shape,
  properties: NormalizedLocation['properties'],
  { data, facility, signal }: EvaluationContext,
): Promise<PlotFindings['commodity']> {
  const commodity = properties.commodity_type === null ? facility.commodity : parseCommodity(properties.commodity_type);
  if (commodity === null) {
    const text = properties.commodity_type ?? facility.commodityText;
    const hint = text === null ? '' : ` ("${text}"${didYouMean(text)})`;
    return { status: 'unknown', detail: `No commodity that has a detector was named${hint}.` };
  }
  try {
    const answer = await data.sources.commodityShare(commodity, shape, radiusOf(shape, properties), signal);
    if (answer === null) return null;
    const { share, detail } = answer.value;
    return {
      status: share >= PRESENT_SHARE ? 'pass' : 'warn',
      detail: `${(share * 100).toFixed(1)} % of the plot is ${commodity}. ${detail}`,
    };
  } catch (error) {
    if (signal.aborted) throw error;
    // Its own words may hold paths and addresses: they are for the log.
    data.sources.reportFailure?.('commodity', error);
    return { status: 'unknown', detail: `The commodity could not be looked up: ${describeFailure(error)}.` };
  }
}
