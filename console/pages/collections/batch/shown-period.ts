import { param } from '../../../state/address.ts';
import type { Work } from './batch-order.ts';
import type { Period } from './period.ts';
import { DEFAULT_MONITORING_START } from '../../../../src/monitoring-days.ts';

/** The period of the address, else that of the batch. */
export function shownPeriod(collection: Pick<Work, 'monitoring_start' | 'monitoring_end'>): Period {
  return {
    start: dayOr(param('from'), collection.monitoring_start ?? DEFAULT_MONITORING_START),
    end: dayOr(param('to'), collection.monitoring_end ?? new Date().toISOString().slice(0, 10)),
  };
}

function dayOr(text: string | null, other: string): string {
  return text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : other;
}
