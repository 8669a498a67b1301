import { useMemo } from 'preact/hooks';
import { setParams } from '../../state/address.ts';
import { formatNumber, t, tWord } from '../../text/translate.ts';
import { INDICATORS, LEVELS, STATUSES, type Level, type ResultRow } from './result-row.ts';
import type { Selection } from './select-rows.ts';

/** Chooses results by level, indicator, warning and text; all of it stands in the address. */
export function Filters({ rows, selection }: { readonly rows: readonly ResultRow[]; readonly selection: Selection }) {
  const counts = useMemo(() => countsOf(rows), [rows]);
  const { levels, indicator, status, warning, text } = selection;
  const toggle = (level: Level): void => {
    const next = levels.includes(level) ? levels.filter((other) => other !== level) : [...levels, level];
    setParams({ level: next.join(',') });
  };
  const isFiltered = levels.length > 0 || indicator !== null || warning !== null || text !== '';
  return (
    <div class="filters" role="search" aria-label={t('filter.label')}>
      <div class="chips" role="group" aria-label={t('column.level')}>
        {LEVELS.map((level) => (
          <button
            key={level}
            type="button"
            class="chip level"
            data-level={level}
            aria-pressed={levels.includes(level)}
            onClick={() => toggle(level)}
          >
            <span class="level-dot" aria-hidden="true" />
            {t(`level.${level}`)} <span class="count">{formatNumber(counts.levels.get(level) ?? 0)}</span>
          </button>
        ))}
      </div>
      <select
        aria-label={t('filter.indicator')}
        value={indicator === null ? '' : `${indicator}:${status ?? 'present'}`}
        onChange={(event) => setParams({ ind: event.currentTarget.value })}
      >
        <option value="">{t('filter.anyIndicator')}</option>
        {INDICATORS.map((name) => (
          <optgroup key={name} label={tWord('indicator', name)}>
            {STATUSES.map((each) => (
              <option key={each} value={`${name}:${each}`}>
                {`${tWord('indicator', name)}: ${t(`status.${each}`)}`}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <select
        aria-label={t('filter.warning')}
        value={warning ?? ''}
        onChange={(event) => setParams({ warn: event.currentTarget.value })}
      >
        <option value="">{t('filter.anyWarning')}</option>
        {counts.warnings.map(([code, count]) => (
          <option key={code} value={code}>
            {`${tWord('warning', code)} (${formatNumber(count)})`}
          </option>
        ))}
      </select>
      <input
        type="search"
        aria-label={t('filter.text')}
        placeholder={t('filter.text')}
        value={text}
        onInput={(event) => setParams({ q: event.currentTarget.value })}
      />
      {isFiltered && (
        <button
          type="button"
          class="button small"
          onClick={() => setParams({ level: null, ind: null, warn: null, q: null })}
        >
          {t('filter.clear')}
        </button>
      )}
    </div>
  );
}

function countsOf(rows: readonly ResultRow[]) {
  const levels = new Map<Level, number>();
  const warnings = new Map<string, number>();
  for (const row of rows) {
    if (row.level !== null) levels.set(row.level, (levels.get(row.level) ?? 0) + 1);
    for (const code of row.warnings) warnings.set(code, (warnings.get(code) ?? 0) + 1);
  }
  return { levels, warnings: [...warnings].sort((a, b) => b[1] - a[1]) };
}
