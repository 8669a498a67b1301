import type { Shape } from '../../geo/shapes/shape.ts';
import type { Query } from '../query.ts';
import type { FacilityOptions } from '../options.ts';
import type { FacilitySources } from '../sources.ts';

/** What every check of one facility is given. */
export interface CheckContext {
  readonly shape: Shape;
  readonly options: FacilityOptions;
  readonly sources: FacilitySources;
  readonly query: Query;
}
