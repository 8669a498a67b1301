import type { Feature } from '../../geo/geometry.ts';
import { LOSS_YEARS } from '../../readers/sample-district/district.ts';
import { samplePlots } from '../../readers/sample-district/sample-plots.ts';

/** What `firstmile demo` sends: made up, and marked so in every name. */
interface DemoCollection {
  readonly features: readonly Feature[];
  readonly plots: number;
  readonly facilities: number;
  /** Last day the made-up datasets cover. */
  readonly monitoringEnd: string;
}

/** A collection of the sample district with everything in it that real files have. */
export function demoCollection(): DemoCollection {
  const features = samplePlots();
  const facilities = features.filter(({ properties }) => properties['location_type'] === 'facility').length;
  return { features, facilities, plots: features.length - facilities, monitoringEnd: `${LOSS_YEARS[1]}-12-31` };
}
