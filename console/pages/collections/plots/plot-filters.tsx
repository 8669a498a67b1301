import { useMemo } from 'preact/hooks';
import { Chips, ClearFilters, countBy, SearchField } from '../../../parts/filter-bar.tsx';
import { t } from '../../../text/translate.ts';
import { ResultBadge } from './result-badge.tsx';
import type { PlotRow } from './plot-row.ts';
import { RESULT_LOOKS, RESULTS } from './result-status.ts';
import { NO_PLOT_FILTER, type PlotSelection } from './select-plots.ts';

interface PlotFiltersProps {
  readonly rows: readonly PlotRow[];
  readonly selection: PlotSelection;
  /** How many rows are left. */
  readonly shown: number;
}

/** Chooses locations by result and text; both stand in the address. */
export function PlotFilters({ rows, selection: { results }, shown }: PlotFiltersProps) {
  const counts = useMemo(() => countBy(rows, ({ result }) => result), [rows]);
  return (
    <div class="filters bare" role="search" aria-label={t('plots.filter')}>
      {counts.size > 0 && (
        <Chips
          label={t('plots.result')}
          names={RESULTS.filter((result) => counts.has(result) || results.includes(result))}
          chosen={results}
          param="res"
          counts={counts}
          look={(result) => RESULT_LOOKS[result]}
          badge={(result) => <ResultBadge result={result} />}
        />
      )}
      <SearchField label={t('filter.text')} />
      <ClearFilters filter={NO_PLOT_FILTER} />
      <span class="muted small" role="status">
        {shown === rows.length
          ? t('plots.all', { count: rows.length })
          : t('plots.some', { shown, count: rows.length })}
      </span>
    </div>
  );
}
