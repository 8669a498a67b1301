import { whenAsked, type Asked, type MaybePromise } from '../ask.ts';
import type { Finding } from '../evidence.ts';
import { metres } from '../metres.ts';
import type { BuildingsNearby } from '../sources.ts';
import { BUILDING_VALUES, THRESHOLDS, type BuildingClass } from '../thresholds.ts';
import { unknownFinding } from '../unknown.ts';
import type { CheckContext } from './check-context.ts';

export interface BuildingFinding extends Finding {
  readonly buildingClass: BuildingClass;
}

/** Industrial or sizeable buildings around the facility, graduated by class. */
export function checkBuilding({ shape, sources, ask }: CheckContext): MaybePromise<BuildingFinding> {
  return whenAsked(
    ask('building_presence', (signal) => sources.buildings(shape, THRESHOLDS.buildingM, signal)),
    judge,
  );
}

function judge(asked: Asked<BuildingsNearby>): BuildingFinding {
  const indicator = 'building_presence';
  if (asked.dataset === null) return { ...unknownFinding(indicator, asked), buildingClass: 'none' };
  const { dataset, value } = asked;
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
export function classOf({ footprintsM2, industrial }: BuildingsNearby): BuildingClass {
  const largest = footprintsM2.reduce((a, b) => Math.max(a, b), 0);
  if (industrial || largest >= THRESHOLDS.largeFootprintM2) return 'large';
  const together = footprintsM2.reduce((a, b) => a + b, 0);
  return largest >= THRESHOLDS.mediumFootprintM2 || together >= THRESHOLDS.mediumTogetherM2 ? 'medium' : 'none';
}

function describe(found: BuildingsNearby, buildingClass: BuildingClass): string {
  const { footprintsM2, industrial, industrialSite } = found;
  const within = metres(THRESHOLDS.buildingM);
  if (footprintsM2.length === 0 && !industrial) return `No building within ${within}.`;
  const site = industrialSite === undefined ? 'industrial use' : `industrial use (${industrialSite})`;
  if (footprintsM2.length === 0) return `Ground in ${site} within ${within}: class ${buildingClass}.`;
  const largest = Math.round(footprintsM2.reduce((a, b) => Math.max(a, b), 0));
  const count = `${footprintsM2.length} ${footprintsM2.length === 1 ? 'building' : 'buildings'} within ${within}, the largest ${largest} m2`;
  const use = industrial ? `, in ${site}` : '';
  return buildingClass === 'none' ? `Only small buildings: ${count}.` : `${count}${use}: class ${buildingClass}.`;
}
