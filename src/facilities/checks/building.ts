import type { CheckContext, QueryResult } from '../query.ts';
import type { Finding } from '../evidence/evidence.ts';
import { metres } from '../evidence/in-words.ts';
import type { BuildingsNearby } from '../sources.ts';
import { BUILDING_VALUES, THRESHOLDS, type BuildingClass } from '../thresholds.ts';
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

function describe(found: BuildingsNearby, buildingClass: BuildingClass): string {
  const { count, largestM2, industrial, industrialSite } = found;
  const within = metres(THRESHOLDS.buildingM);
  if (count === 0 && !industrial) return `No building within ${within}.`;
  const site = industrialSite === undefined ? 'industrial use' : `industrial use (${industrialSite})`;
  if (count === 0) return `Ground in ${site} within ${within}: class ${buildingClass}.`;
  const buildings = `${count} ${count === 1 ? 'building' : 'buildings'} within ${within}, the largest ${Math.round(largestM2)} m2`;
  const use = industrial ? `, in ${site}` : '';
  return buildingClass === 'none'
    ? `Only small buildings: ${buildings}.`
    : `${buildings}${use}: class ${buildingClass}.`;
}
