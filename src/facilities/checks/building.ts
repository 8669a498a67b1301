import type { CheckContext, QueryResult } from '../query.ts';
import type { Finding } from '../evidence/evidence.ts';
import type { BuildingsNearby } from '../sources.ts';
import { BUILDING_VALUES, THRESHOLDS, type BuildingClass } from '../thresholds.ts';
import { sentence } from '../evidence/sentences.ts';
import type { Said } from '../../messages/said.ts';
import { unknownFinding } from '../evidence/unknown.ts';
import { whenReady, type MaybePromise } from '../../maybe-promise.ts';

export interface BuildingFinding extends Finding {
  readonly buildingClass: BuildingClass;
}

/** Industrial or sizeable buildings around the facility, graduated by class. */
export function checkBuilding({ shape, sources, query }: CheckContext): MaybePromise<BuildingFinding> {
  return whenReady(
    query('building_presence', (signal) => sources.buildings(shape, THRESHOLDS.buildingM, signal)),
    evaluate,
  );
}

function evaluate(result: QueryResult<BuildingsNearby>): BuildingFinding {
  const indicator = 'building_presence';
  if (result.dataset === null) return { ...unknownFinding(indicator, result), buildingClass: 'none' };
  const { dataset, value } = result;
  const buildingClass = classOf(value);
  const status = buildingClass === 'none' ? 'absent' : 'present';
  return {
    indicator,
    status,
    value: BUILDING_VALUES[buildingClass],
    dataset,
    ...(value.nearestM === undefined ? {} : { distanceM: Math.round(value.nearestM) }),
    detail: describe(value, buildingClass),
    buildingClass,
  };
}

/** Large: industrial use or one big footprint. Medium: one sizeable footprint, or several that add up. */
export function classOf({ largestM2, togetherM2, industrial }: BuildingsNearby): BuildingClass {
  if (industrial || largestM2 >= THRESHOLDS.largeFootprintM2) return 'large';
  const isMedium = largestM2 >= THRESHOLDS.mediumFootprintM2 || togetherM2 >= THRESHOLDS.mediumTogetherM2;
  return isMedium ? 'medium' : 'none';
}

function describe(found: BuildingsNearby, buildingClass: BuildingClass): Said {
  const { count, largestM2, industrial, industrialSite } = found;
  if (count === 0 && !industrial) return NO_BUILDING;
  const use = { within_m: THRESHOLDS.buildingM, site: industrialSite ?? 'none', class: buildingClass };
  if (count === 0) return sentence('industrial_ground', use);
  const params = { ...use, count, largest_m2: Math.round(largestM2) };
  if (buildingClass === 'none') return sentence('small_buildings', params);
  return sentence(industrial ? 'industrial_buildings' : 'buildings', params);
}

const NO_BUILDING = sentence('no_building', { within_m: THRESHOLDS.buildingM });
