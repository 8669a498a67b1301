import type { Commodity } from './commodity/commodities.ts';

/** What the caller requested. Values are already checked. */
export interface FacilityOptions {
  /** One of the seven, or null for the generic plantation mask. */
  readonly commodity: Commodity | null;
  /** The commodity as the caller wrote it, null when absent; named in messages when it is none of the seven. */
  readonly commodityText: string | null;
  /** Metres around the facility in which the commodity is looked for. */
  readonly commodityRadiusM: number;
  readonly checkWater: boolean;
  readonly checkPort: boolean;
  readonly checkRoad: boolean;
  /** Milliseconds each check has; one that misses them is unknown. */
  readonly checkTimeoutMs: number;
}
