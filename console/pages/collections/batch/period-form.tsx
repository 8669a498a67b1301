import { setParams } from '../../../state/address.ts';
import { useState } from 'preact/hooks';
import { t } from '../../../text/translate.ts';
import type { Work } from './batch-order.ts';
import { shownPeriod } from './shown-period.ts';
import { CUT_OFF } from '../../../../src/monitoring-days.ts';

/** The period that is looked at: that of the batch, since the cut-off date, or any other. */
export function PeriodForm({ collection }: { readonly collection: Work }) {
  const { start, end } = shownPeriod(collection);
  const isBatch = start === collection.monitoring_start && end === collection.monitoring_end;
  const isSince = start === CUT_OFF && end === collection.monitoring_end;
  const [isOpen, setOpen] = useState(false);
  return (
    <div class="period" data-open={isOpen} role="group" aria-label={t('period.title')}>
      <button type="button" class="button small narrow-only" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {`${start} – ${end}`}
      </button>
      <label>
        <span>{t('period.from')}</span>
        <input
          type="date"
          value={start}
          max={end}
          onChange={(event) => setParams({ from: event.currentTarget.value })}
        />
      </label>
      <label>
        <span>{t('period.to')}</span>
        <input type="date" value={end} min={start} onChange={(event) => setParams({ to: event.currentTarget.value })} />
      </label>
      <div class="segmented">
        <button type="button" aria-pressed={isBatch} onClick={() => setParams({ from: null, to: null })}>
          {t('period.batch')}
        </button>
        <button type="button" aria-pressed={isSince} onClick={() => setParams({ from: CUT_OFF, to: null })}>
          {t('period.sinceCutOff')}
        </button>
      </div>
    </div>
  );
}
