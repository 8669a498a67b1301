import { useMemo } from 'preact/hooks';
import { Chips, countBy } from '../../parts/filter-bar.tsx';
import { LevelBadge } from '../../parts/level-badge.tsx';
import { setParams } from '../../state/address.ts';
import { formatNumber, t, tWord } from '../../text/translate.ts';
import { groupOf, INDICATORS, LEVELS, ROW_GROUPS, STATUSES, type ResultRow } from './result-row.ts';
import type { Selection } from './select-rows.ts';

interface ChoiceProps {
  readonly rows: readonly ResultRow[];
  readonly selection: Selection;
}

/** Chooses results by level. */
export function LevelChips({ rows, selection: { levels } }: ChoiceProps) {
  const counts = useMemo(() => countBy(rows, groupOf), [rows]);
  return (
    <Chips
      label={t('column.level')}
      names={ROW_GROUPS.filter((group) => LEVELS.some((level) => level === group) || counts.has(group))}
      chosen={levels}
      param="level"
      counts={counts}
      look={(group) => (group === 'plot' || group === 'unprocessed' ? 'none' : group)}
      badge={(group) =>
        group === 'plot' || group === 'unprocessed' ? t(`rowGroup.${group}`) : <LevelBadge level={group} />
      }
    />
  );
}

/** Chooses results by what is known of an indicator. */
export function IndicatorChoice({ selection: { indicator, status } }: Pick<ChoiceProps, 'selection'>) {
  return (
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
  );
}

/** Chooses results by a warning that they have. */
export function WarningChoice({ rows, selection: { warning } }: ChoiceProps) {
  const warnings = useMemo(() => {
    const counts = new Map<string, number>();
    for (const { warnings: codes } of rows) for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
    return [...counts].sort((a, b) => b[1] - a[1]);
  }, [rows]);
  return (
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
  );
}
