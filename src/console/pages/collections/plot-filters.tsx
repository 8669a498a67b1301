import { useMemo } from 'preact/hooks';
import { setParams } from '../../state/address.ts';
import { formatNumber, t } from '../../text/translate.ts';
import { ResultBadge } from './result-badge.tsx';
import type { PlotRow } from './plot-row.ts';
import { RESULT_LOOKS, RESULTS, type Result } from './result-status.ts';
import type { PlotSelection } from './select-plots.ts';

export interface PlotFiltersProps {
  readonly rows: readonly PlotRow[];
  readonly selection: PlotSelection;
  /** How many rows are left. */
  readonly shown: number;
}

/** Chooses locations by result and text; both stand in the address. */
export function PlotFilters({ rows, selection: { results, text }, shown }: PlotFiltersProps) {
  const counts = useMemo(() => countsOf(rows), [rows]);
  const toggle = (result: Result): void => {
    const next = results.includes(result) ? results.filter((other) => other !== result) : [...results, result];
    setParams({ res: next.join(',') });
  };
  return (
    <div class="filters bare" role="search" aria-label={t('plots.filter')}>
      {counts.size > 0 && (
        <div class="chips" role="group" aria-label={t('plots.result')}>
          {RESULTS.filter((result) => counts.has(result) || results.includes(result)).map((result) => (
            <button
              key={result}
              type="button"
              class="chip level"
              data-level={RESULT_LOOKS[result]}
              aria-pressed={results.includes(result)}
              onClick={() => toggle(result)}
            >
              <ResultBadge result={result} /> <span class="count">{formatNumber(counts.get(result) ?? 0)}</span>
            </button>
          ))}
        </div>
      )}
      <input
        type="search"
        aria-label={t('filter.text')}
        placeholder={t('filter.text')}
        value={text}
        onInput={(event) => setParams({ q: event.currentTarget.value })}
      />
      {(results.length > 0 || text !== '') && (
        <button type="button" class="button small" onClick={() => setParams({ res: null, q: null })}>
          {t('filter.clear')}
        </button>
      )}
      <span class="muted small" role="status">
        {shown === rows.length
          ? t('plots.all', { count: rows.length })
          : t('plots.some', { shown, count: rows.length })}
      </span>
    </div>
  );
}

function countsOf(rows: readonly PlotRow[]): ReadonlyMap<Result, number> {
  const counts = new Map<Result, number>();
  for (const { result } of rows) if (result !== null) counts.set(result, (counts.get(result) ?? 0) + 1);
  return counts;
}
