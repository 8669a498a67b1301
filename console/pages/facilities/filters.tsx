import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { Chips, ClearFilters, countBy, SearchField } from '../../parts/filter-bar.tsx';
import { LevelBadge } from '../../parts/level-badge.tsx';
import { setParams } from '../../state/address.ts';
import { formatNumber, t, tWord } from '../../text/translate.ts';
import { groupOf, INDICATORS, LEVELS, ROW_GROUPS, STATUSES, type ResultRow } from './result-row.ts';
import { NO_FILTER, type Selection } from './select-rows.ts';

/** Chooses results by level, indicator, warning and text; all of it stands in the address. */
export function Filters({
  rows,
  selection,
  children,
}: {
  readonly rows: readonly ResultRow[];
  readonly selection: Selection;
  /** Other filters. */
  readonly children?: ComponentChildren;
}) {
  const levelCounts = useMemo(() => countBy(rows, groupOf), [rows]);
  const warnings = useMemo(() => {
    const counts = countBy(
      rows.flatMap(({ warnings: codes }) => codes),
      (code) => code,
    );
    return [...counts].sort((a, b) => b[1] - a[1]);
  }, [rows]);
  const { levels, indicator, status, warning } = selection;
  return (
    <div class="filters" role="search" aria-label={t('filter.label')}>
      <Chips
        label={t('column.level')}
        names={ROW_GROUPS.filter((group) => LEVELS.some((level) => level === group) || levelCounts.has(group))}
        chosen={levels}
        param="level"
        counts={levelCounts}
        look={(group) => (group === 'plot' || group === 'unprocessed' ? 'none' : group)}
        badge={(group) =>
          group === 'plot' || group === 'unprocessed' ? t(`rowGroup.${group}`) : <LevelBadge level={group} />
        }
      />
      {children}
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
        {warnings.map(([code, count]) => (
          <option key={code} value={code}>
            {`${tWord('warning', code)} (${formatNumber(count)})`}
          </option>
        ))}
      </select>
      <SearchField label={t('filter.text')} />
      <ClearFilters filter={NO_FILTER} />
    </div>
  );
}
