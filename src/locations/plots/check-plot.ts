import type { Geometry } from '../../geo/geometry.ts';
import type { StagedLocation } from '../locate-row.ts';
import { type Measured, measureGeometry } from '../measure-geometry.ts';
import type { LocationProperties } from '../normalized.ts';
import { codesOf } from '../../messages/recognised/codes-of.ts';
import { byGravity, locationWarning, type LocationWarning, type LocationWarningCode } from '../warnings.ts';
import type { BatchIndex } from './batch-index.ts';
import {
  countryCheck,
  positionCheck,
  zoneCheck,
  type CheckOutcome,
  type PlotPosition,
  type Warn,
} from './check-position.ts';
import { PLOT_RULES } from './plot-options.ts';
import { round } from '../../geo/round.ts';
import { METRES_PER_DEGREE } from '../../geo/ellipsoid.ts';

export type CheckStatus = CheckOutcome['status'];

export const PLOT_CHECKS = [
  'geometry',
  'area',
  'position',
  'country',
  'commodity_zone',
  'precision',
  'duplicates',
  'overlaps',
  'facility_distance',
  'commodity',
  'deforestation',
] as const;

export interface PlotCheck extends CheckOutcome {
  readonly check: (typeof PLOT_CHECKS)[number];
  /** What `detail` says, as codes with parameters. Absent in checks of earlier versions. */
  readonly messages?: ReturnType<typeof codesOf>['messages'];
  /** What the check of deforestation rests on, where something was measured. */
  readonly receipt?: DeforestationReceipt;
}

/** Forest of 2020-12-31 on a plot and what was lost of it since. Hectares with 4 decimals, null where unknown. */
interface DeforestationReceipt {
  readonly noncompliance_area_ha: number | null;
  readonly baseline_forest_ha: number | null;
  /** First day of the first year and last day of the last year with such a loss. */
  readonly deforestation_start: string | null;
  readonly deforestation_end: string | null;
  /** Last day that losses are known of. */
  readonly monitored_until: string | null;
  /** What each dataset said, the one that gave the numbers first in its role. */
  readonly datasets: readonly {
    readonly role: 'forest-mask' | 'loss-year';
    readonly dataset: string;
    readonly version: string;
    readonly synthetic: boolean;
    /** Part of the plot that the dataset has data on. */
    readonly covered_share: number;
    readonly noncompliance_area_ha?: number | null;
  }[];
}

/** What was found of the forest of a plot. */
export type DeforestationFinding = Pick<PlotCheck, 'status' | 'detail' | 'receipt'>;

/** What other parts of the service know of a plot; null where no dataset covers it. */
export interface PlotFindings {
  /** Null: the plot has no usable geometry. */
  readonly position: PlotPosition | null;
  readonly commodity: CheckOutcome | null;
  readonly deforestation: DeforestationFinding | null;
}

interface CheckedPlot {
  /** The location's own properties with the plot's warnings among them. */
  readonly properties: LocationProperties;
  readonly checks: readonly PlotCheck[];
  /** No check failed. */
  readonly valid: boolean;
}

/** Checks a plot by the rules of the EU information system and by the rest of its batch. */
export function checkPlot(
  { location, statedCountry, foundCountry }: StagedLocation,
  geometry: unknown,
  index: number,
  batch: BatchIndex,
  findings: PlotFindings,
): CheckedPlot {
  const { properties } = location;
  const measured = geometry === null ? null : measureGeometry(geometry);
  const warnings: LocationWarning[] = [];
  const warn = (code: LocationWarningCode, blanks: Readonly<Record<string, string | number>>): void => {
    warnings.push(locationWarning(code, { row: properties.source_row }, blanks));
  };
  const checks = withCodes([
    { check: 'geometry', ...geometryCheck(measured, warn) },
    { check: 'area', ...areaCheck(properties, measured, warn) },
    { check: 'position', ...positionCheck(findings.position, properties, warn) },
    { check: 'country', ...countryCheck(properties, statedCountry, foundCountry, findings.position, warn) },
    { check: 'commodity_zone', ...zoneCheck(findings.position, warn) },
    { check: 'precision', ...precisionCheck(geometry, properties, warn) },
    { check: 'duplicates', ...duplicateCheck(index, batch, warn) },
    { check: 'overlaps', ...overlapCheck(index, batch, warn) },
    { check: 'facility_distance', ...distanceCheck(measured, batch, warn) },
    { check: 'commodity', ...(findings.commodity ?? NOT_COVERED) },
    deforestationCheck(findings.deforestation, warn),
  ]);
  return {
    properties: {
      ...properties,
      area_ha: areaOf(properties, measured),
      warnings: byGravity([...properties.warnings, ...warnings]),
    },
    checks,
    valid: isValid(checks),
  };
}

function withCodes(checks: readonly PlotCheck[]): readonly PlotCheck[] {
  return checks.map(({ check, status, detail, ...rest }) => ({
    check,
    status,
    detail,
    ...codesOf({ detail }),
    ...rest,
  }));
}

function isValid(checks: readonly PlotCheck[]): boolean {
  return checks.every(({ status }) => status !== 'fail');
}

/** Nothing was found, and not all was compared: what was left out may be the same, or lie there, for the plots before it as well. */
const NOT_COMPARED: CheckOutcome = {
  status: 'unknown',
  detail: 'The batch is too large to compare all of its plots.',
};
const NOT_COVERED: CheckOutcome = { status: 'unknown', detail: 'No dataset covers the plot.' };

function geometryCheck(measured: Measured | null, warn: Warn): CheckOutcome {
  if (measured === null) return { status: 'fail', detail: 'The plot has no geometry.' };
  if (measured.shape === null) return { status: 'fail', detail: measured.fault.message };
  if (measured.kind === 'line')
    return { status: 'fail', detail: 'A line has no area; the regulation takes points and polygons.' };
  if (measured.ignored.length > 0 || measured.apart > 0)
    return { status: 'warn', detail: 'Parts of the geometry were left out and not looked at.' };
  const holes = measured.shape.polygons.reduce((sum, rings) => sum + rings.length - 1, 0);
  if (holes === 0) return { status: 'pass', detail: 'The geometry is valid.' };
  warn('holes_unsupported', { holes });
  return {
    status: 'warn',
    detail: `The geometry is valid; its holes (${holes}) are not read by the information system.`,
  };
}

function areaOf({ area_ha: stated }: LocationProperties, measured: Measured | null): number | null {
  const own = measured?.shape == null ? null : measured.areaHa;
  return own === null ? stated : round(own, 4);
}

function areaCheck(properties: LocationProperties, measured: Measured | null, warn: Warn): CheckOutcome {
  const area = areaOf(properties, measured);
  const isPoint = measured?.shape != null && measured.kind === 'point';
  if (area === null) {
    if (isPoint) warn('area_missing', {});
    return { status: isPoint ? 'warn' : 'unknown', detail: 'No area is known.' };
  }
  if (area < PLOT_RULES.leastHa) {
    warn('no_ground', { area });
    return { status: 'fail', detail: `${area} ha is too small to grow anything on.` };
  }
  if (isPoint && area > PLOT_RULES.polygonAboveHa && !/^cattle$/i.test(properties.commodity_type ?? '')) {
    warn('polygon_needed', { area });
    return {
      status: 'fail',
      detail: `${area} ha as a point; over ${PLOT_RULES.polygonAboveHa} ha a polygon is needed.`,
    };
  }
  return { status: 'pass', detail: `${area} ha.` };
}

function precisionCheck(geometry: unknown, { geometry_source: source }: LocationProperties, warn: Warn): CheckOutcome {
  if (source !== 'input') return { status: 'unknown', detail: 'The coordinates are not those of the input.' };
  const decimals = decimalsOf(geometry as Geometry | null);
  if (decimals >= PLOT_RULES.leastDecimals)
    return { status: 'pass', detail: `The coordinates have up to ${decimals} decimals.` };
  warn('coordinate_precision', { decimals, metres: Math.round(METRES_PER_DEGREE / 10 ** decimals) });
  return { status: 'warn', detail: `Decimals of the coordinates: ${decimals}; the regulation requires 6.` };
}

function decimalsOf(geometry: Geometry | null): number {
  if (geometry?.type === 'GeometryCollection') return Math.max(0, ...geometry.geometries.map(decimalsOf));
  return mostDecimals(geometry?.coordinates, 0);
}

/** Decimals of the most exact coordinate; the search ends at six. */
function mostDecimals(value: unknown, most: number): number {
  if (most >= 6) return most;
  if (typeof value === 'number') return Math.max(most, Math.min(6, /\.(\d+)/.exec(String(value))?.[1].length ?? 0));
  if (!Array.isArray(value)) return most;
  // A height is no matter of precision.
  const parts = typeof value[0] === 'number' ? value.slice(0, 2) : value;
  return parts.reduce((found: number, part: unknown) => mostDecimals(part, found), most);
}

function duplicateCheck(index: number, batch: BatchIndex, warn: Warn): CheckOutcome {
  const [sameId, other] = [batch.sameId(index), batch.duplicateOf(index)];
  if (sameId !== null) warn('duplicate_id', { other: sameId });
  if (other !== null) warn('duplicate_geometry', { other });
  if (other !== null) return { status: 'warn', detail: `The geometry is that of row ${other} too.` };
  if (sameId !== null) return { status: 'warn', detail: `The id is that of row ${sameId} too.` };
  return batch.end === null
    ? { status: 'pass', detail: 'No other location of the batch has this id or geometry.' }
    : NOT_COMPARED;
}

function overlapCheck(index: number, batch: BatchIndex, warn: Warn): CheckOutcome {
  if (index === batch.end?.from) warn('overlaps_not_checked', { plots: batch.end.plots });
  const overlaps = batch.overlapsOf(index);
  for (const { row, hectares, percent } of overlaps)
    warn('overlap', { other: row, area: Number(hectares.toFixed(4)), share: Number(percent.toFixed(1)) });
  if (overlaps.length === 0)
    return batch.end === null ? { status: 'pass', detail: 'No other plot of the batch overlaps it.' } : NOT_COMPARED;
  return { status: 'warn', detail: `It overlaps the plots of rows ${overlaps.map(({ row }) => row).join(', ')}.` };
}

function distanceCheck(measured: Measured | null, batch: BatchIndex, warn: Warn): CheckOutcome {
  if (!batch.hasAllFacilities)
    return { status: 'unknown', detail: 'The batch has too many facilities to compare the plot with all of them.' };
  const nearest = measured?.shape == null ? null : batch.nearestFacility(measured.shape.inside);
  if (nearest === null) return { status: 'unknown', detail: 'The batch has no facility to compare with.' };
  const distance = Number((nearest.metres / 1000).toFixed(1));
  const detail = `The nearest facility of the batch, in row ${nearest.row}, is ${distance} km away.`;
  if (distance <= PLOT_RULES.facilityWithinKm) return { status: 'pass', detail };
  warn('far_from_facility', { other: nearest.row, distance });
  return { status: 'warn', detail };
}

function deforestationCheck(finding: DeforestationFinding | null, warn: Warn): PlotCheck {
  if (finding === null) return { check: 'deforestation', ...NOT_COVERED };
  if (finding.status === 'fail') warn('deforestation', { finding: finding.detail });
  if (finding.status === 'warn') warn('deforestation_unclear', { finding: finding.detail });
  return { check: 'deforestation', ...finding };
}
