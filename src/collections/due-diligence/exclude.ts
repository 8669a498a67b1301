import { EUDR_STATUSES, RISK_LEVELS } from '../fetch/eudr-verdict.ts';
import type { MonitoringPeriod } from '../statistics/monitoring-period.ts';
import type { FilingChoices } from './filing-choices.ts';

/** The words that leave plots out of an export: what the fetch endpoints say of them, and the verdict of all sources together. */
export const EXCLUDABLE: readonly string[] = [
  ...new Set<string>([...RISK_LEVELS, ...EUDR_STATUSES.filter((status) => status !== 'not_a_plot')]),
  'convergence_more_information_needed',
  'convergence_high',
];

/** A list of them with commas, each once, in any case. @throws RangeError that names the word nobody knows. */
export function parseExclude(text: string): readonly string[] {
  const words = new Set(text.split(',').map((word) => word.trim().toLowerCase()));
  words.delete('');
  for (const word of words)
    if (!EXCLUDABLE.includes(word))
      throw new RangeError(
        `exclude: wanted ${EXCLUDABLE.slice(0, -1).join(', ')} or ${EXCLUDABLE.at(-1)}, got ${JSON.stringify(word.slice(0, 40))}.`,
      );
  return [...words].toSorted();
}

/** The period of an export, whose plots it leaves out, by `risk_level`, `eudr_status` or `convergence_verdict`, and what is filed. */
export interface ExportScope extends MonitoringPeriod {
  readonly exclude?: readonly string[];
  /** Default: nothing is said of it, by the law of the day on which the export is made. */
  readonly filing?: FilingChoices;
}

/** The same with everything decided. */
export type FilingScope = ExportScope & { readonly filing: FilingChoices };
