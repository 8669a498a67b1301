import { isRecord } from '../../is-record.ts';

/** What became of the locations of a task, counted: for lists of tasks. A location is in one group. */
interface TaskOutcome {
  /** By level; `unverified`: so little was assessed that the level says what is not known. */
  readonly facilities: Readonly<Record<(typeof FACILITY_GROUPS)[number], number>>;
  /** By confidence in the location. */
  readonly plots: Readonly<Record<(typeof PLOT_GROUPS)[number], number>>;
  /** Rows that nothing was found out about: without a place, or set aside. */
  readonly not_processed: number;
}

const FACILITY_GROUPS = ['high', 'medium', 'low', 'unverified', 'invalid'] as const;
const PLOT_GROUPS = ['high', 'medium', 'low', 'invalid'] as const;

/** Counts features as they are written. */
export function countOutcome() {
  const facilities = Object.fromEntries(FACILITY_GROUPS.map((name) => [name, 0])) as Record<string, number>;
  const plots = Object.fromEntries(PLOT_GROUPS.map((name) => [name, 0])) as Record<string, number>;
  let notProcessed = 0;
  return {
    add(feature: unknown): void {
      const properties = isRecord(feature) && isRecord(feature['properties']) ? feature['properties'] : {};
      const isPlot = properties['location_type'] === 'plot';
      const level = isPlot ? properties['location_confidence'] : levelOf(properties);
      const groups = isPlot ? plots : facilities;
      if (typeof level === 'string' && groups[level] !== undefined) groups[level]++;
      else notProcessed++;
    },
    result: () => ({ facilities, plots, not_processed: notProcessed }) as unknown as TaskOutcome,
  };
}

function levelOf(properties: Readonly<Record<string, unknown>>): unknown {
  const level = properties['confidence_level'];
  return properties['confidence_basis'] === 'unverified' && level !== 'invalid' ? 'unverified' : level;
}
