import { countPlots, noteOverlaps } from '../counted-ground.ts';
import { RULES, type Finding } from './finding.ts';
import { isExported, type FittedPlot } from './fit-plot.ts';
import { noGroups, type GroupCounts } from '../plot-group.ts';
import { groupOf } from './group-of.ts';
import { OFFICIAL_ERRORS, type OfficialError } from './official-errors.ts';
import { round } from '../../geo/round.ts';

/** How many of what the export holds and leaves out; locations = exported + left out + facilities. */
export interface ExportCounts {
  locations: number;
  facilities: number;
  /** Plots in a statement or declaration. */
  exported: number;
  /** Those of them that are declared by an address or identifier and are in no GeoJSON. */
  withoutGeometry: number;
  /** Plots that are not fit to be submitted. */
  leftOut: number;
  /** Those of them that are fit, and were left out because the caller chose so. */
  excluded: number;
  /** GeoJSON Features of the exported plots. */
  features: number;
  /** Plots that were changed to be fit, in addition to the rounding to 6 decimals. */
  changed: number;
  /** Hectares of the exported plots, as the fetch endpoints give them; ground of several of them counts once. */
  areaHa: number;
  /** Hectares of exported plots that lie on earlier ones of them, and are not in `areaHa` again. */
  overlapHa: number;
  /** Whether no ground is in `areaHa` and `lossHa` twice; why it may be, as a sentence or two, else null. */
  overlapsCountedOnce: boolean;
  overlapsReason: string | null;
  /** Hectares of the GeoJSON Features, each in full. */
  exportedHa: number;
  /** Plots of which it is known what they lost in the baseline forest, all or a part of it. */
  lossKnown: number;
  /** Plots with loss in the baseline forest, and the hectares of it, null where no plot's is known; ground of several plots counts once. */
  withLoss: number;
  lossHa: number | null;
  /** Plots without a known loss that the fetch endpoints do not clear: unknown, partly covered, or datasets disagree. */
  unknownLoss: number;
}

/** What one official error met: plots that were put right, and plots that were left out or are to be looked at. */
export interface ErrorCount {
  readonly number: OfficialError;
  readonly title: string;
  fixed: number;
  open: number;
}

/** Numbers of a plot whose ground is counted once. */
const AREA = 1 << 0;
const LOSS = 1 << 1;

interface CountResult {
  readonly counts: ExportCounts;
  readonly errors: readonly ErrorCount[];
  readonly verdicts: Readonly<Record<string, number>>;
  readonly convergences: Readonly<Record<string, number>>;
  readonly doubts: PlotDoubts;
  readonly groups: GroupCounts;
  readonly open: Readonly<Record<string, number>>;
}

/** Counts plots as they pass, collection by collection, each in the order of its file. */
export function createCounts() {
  const counts = noCounts();
  const errors = new Map(
    Object.entries(OFFICIAL_ERRORS).map(([number, title]): [number, ErrorCount] => [
      Number(number),
      { number: Number(number) as OfficialError, title, fixed: 0, open: 0 },
    ]),
  );
  const verdicts: Record<string, number> = {};
  const convergences: Record<string, number> = {};
  const groups = noGroups();
  const open: Record<string, number> = {};
  const sums = { areaHa: 0, overlapHa: 0, exportedHa: 0, lossHa: 0 };
  const counted = countPlots();
  const overlaps = noteOverlaps();
  return {
    add(plot: FittedPlot, collectionId: string): void {
      const { record, members, areaHa, exportedHa, findings, deforestation, verdict, convergence } = plot;
      counts.locations++;
      groups[groupOf(plot)]++;
      if (record.locationType === 'plot') {
        const status = verdict?.eudr_status ?? 'unknown';
        verdicts[status] = (verdicts[status] ?? 0) + 1;
        const together = convergence?.verdict ?? 'unknown';
        convergences[together] = (convergences[together] ?? 0) + 1;
      }
      for (const rule of new Set(findings.filter(isOpen).map((finding) => finding.rule)))
        open[rule] = (open[rule] ?? 0) + 1;
      const knownLoss = deforestation?.noncompliance_area_ha ?? null;
      const hasGround = members.length > 0 && areaHa !== null;
      const known = (hasGround ? AREA : 0) | (knownLoss === null ? 0 : LOSS);
      const ground = known === 0 ? null : counted.add(collectionId, record, known);
      if (ground !== null) overlaps.add(ground);
      const [areaBefore, lossBefore] = [ground?.before?.[0] ?? 0, ground?.before?.[1] ?? 0];
      if (record.locationType === 'facility') counts.facilities++;
      else if (!isExported(plot)) counts.leftOut++;
      else {
        counts.exported++;
        if (members.length === 0) counts.withoutGeometry++;
        counts.features += members.length;
        if (findings.some(({ rule, fixed }) => fixed && rule !== 'snapped')) counts.changed++;
        const ownHa = hasGround ? hectares(areaHa) : 0;
        sums.areaHa += ownHa * (1 - areaBefore);
        sums.overlapHa += ownHa * areaBefore;
        sums.exportedHa += exportedHa ?? 0;
      }
      const loss = knownLoss ?? 0;
      if (record.locationType === 'plot' && knownLoss !== null) counts.lossKnown++;
      if (record.locationType === 'plot' && loss > 0) counts.withLoss++;
      if (record.locationType === 'plot' && loss === 0 && verdict?.eudr_status !== 'no_deforestation_found')
        counts.unknownLoss++;
      sums.lossHa += loss * (1 - lossBefore);
      for (const { number, fixed } of officialOf(findings)) errors.get(number)![fixed ? 'fixed' : 'open']++;
    },
    result(): CountResult {
      const { isCountedOnce, reason } = overlaps.result();
      return {
        counts: {
          ...counts,
          excluded: groups.excluded,
          areaHa: hectares(sums.areaHa),
          overlapHa: hectares(sums.overlapHa),
          overlapsCountedOnce: isCountedOnce,
          overlapsReason: reason,
          exportedHa: hectares(sums.exportedHa),
          lossHa: counts.lossKnown === 0 ? null : hectares(sums.lossHa),
        },
        errors: [...errors.values()],
        verdicts: { ...verdicts },
        convergences: { ...convergences },
        doubts: { deforested: groups.deforested, open: groups.open },
        groups: { ...groups },
        open: { ...open },
      };
    },
  };
}

function noCounts(): ExportCounts {
  return {
    locations: 0,
    facilities: 0,
    exported: 0,
    withoutGeometry: 0,
    leftOut: 0,
    excluded: 0,
    features: 0,
    changed: 0,
    areaHa: 0,
    overlapHa: 0,
    overlapsCountedOnce: true,
    overlapsReason: null,
    exportedHa: 0,
    lossKnown: 0,
    withLoss: 0,
    lossHa: null,
    unknownLoss: 0,
  };
}

/** Of the exported plots, those that nobody has cleared: each in one group at most. */
export interface PlotDoubts {
  /** By all sources together, or by the one map. */
  readonly deforested: number;
  /** By all sources together; by the one map where they were not gathered. */
  readonly open: number;
}

function isOpen({ rule, fixed }: Finding): boolean {
  return !fixed && RULES[rule].severity !== 'info';
}

/** Each official error once a plot; it counts as fixed when every finding with it is. */
function officialOf(findings: readonly Finding[]): { readonly number: OfficialError; readonly fixed: boolean }[] {
  const found = new Map<OfficialError, boolean>();
  for (const { rule, fixed } of findings) {
    const { official } = RULES[rule];
    if (official !== null) found.set(official, (found.get(official) ?? true) && fixed);
  }
  return [...found].map(([number, fixed]) => ({ number, fixed }));
}

function hectares(value: number): number {
  return round(value, 4);
}
