import { THRESHOLDS } from '../../../src/facilities/thresholds.ts';
import type { Indicator } from './result-row.ts';

/** Metres around a facility in which the commodity is looked for at most. */
const COMMODITY_M = 5_000;

/** Metres within which each indicator looks for something. */
const REACH_M = {
  building_presence: THRESHOLDS.buildingM,
  road_access: THRESHOLDS.roadM,
  poi_presence: THRESHOLDS.businessM,
  commodity_presence: COMMODITY_M,
  water_access: THRESHOLDS.waterM,
  port_proximity: THRESHOLDS.portM,
} as const satisfies Partial<Record<Indicator, number>>;

/** A circle around the chosen facility, and the indicators that look inside it. */
interface Circle {
  readonly radiusM: number;
  readonly indicators: readonly Indicator[];
}

/** One for each reach, the smallest first. */
export const CIRCLES: readonly Circle[] = [...new Set(Object.values(REACH_M))]
  .toSorted((a, b) => a - b)
  .map((radiusM) => ({
    radiusM,
    indicators: (Object.keys(REACH_M) as (keyof typeof REACH_M)[]).filter((name) => REACH_M[name] === radiusM),
  }));

/** Metres within which an indicator looks; null for one that looks nowhere around. */
export function reachOf(indicator: string): number | null {
  return (REACH_M as Readonly<Record<string, number>>)[indicator] ?? null;
}

const USUAL: readonly number[] = [THRESHOLDS.buildingM, THRESHOLDS.businessM, COMMODITY_M];

/** The circles that an address names as `circles`, radii in metres; the usual ones without. */
export function readCircles(text: string | null): readonly number[] {
  const wanted = text === null ? USUAL : text.split(',').map(Number);
  return CIRCLES.map(({ radiusM }) => radiusM).filter((radius) => wanted.includes(radius));
}

/** The circles as an address has them; null where they are the usual ones. */
export function writeCircles(radii: readonly number[]): string | null {
  const text = radii.toSorted((a, b) => a - b).join(',');
  return text === USUAL.join(',') ? null : text;
}
