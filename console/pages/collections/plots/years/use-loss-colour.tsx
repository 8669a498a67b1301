import { useCallback, useMemo } from 'preact/hooks';
import type { ComponentChildren } from 'preact';
import type { LegendPart } from '../../../../map/legend-entry.ts';
import { LAST_BEFORE_CUT_OFF, yearLook } from '../../../../map/year-colours.ts';
import { param, setParams } from '../../../../state/address.ts';
import { t } from '../../../../text/translate.ts';
import type { PlotRow } from '../plot-row.ts';
import { lookOf } from '../groups.ts';
import { lookUntil, yearsOfBar, type LossYears } from './loss-years.ts';
import { TimeBar } from './time-bar.tsx';
import { FIRST_YEAR, useLossYears } from './use-loss-years.ts';

interface LossColour {
  /** The look of the mark of a row. */
  readonly lookOf: (row: PlotRow) => string;
  /** What the marks mean, where they are those of years. */
  readonly legend: LegendPart | null;
  /** Chooses what is coloured, and the year; nothing where no losses were measured. */
  readonly bar: ComponentChildren;
}

const NO_YEARS: readonly LossYears[] = [];

/** What plots are coloured by: their result, or the year of most loss up to one that is chosen. Both stand in the address. */
export function useLossColour(measured: string | null, rows: readonly PlotRow[]): LossColour {
  const isLoss = measured !== null && param('colour') === 'loss';
  const today = new Date().toISOString().slice(0, 10);
  const last = Number(today.slice(0, 4));
  const year = chosenYear(param('year'), last);
  const lines = useLossYears(isLoss ? measured : null, today);
  const all = lines?.rows.value ?? NO_YEARS;
  const byRow = useMemo(() => new Map(all.map((years) => [years.index, years])), [all]);
  const bars = useMemo(
    () =>
      yearsOfBar(
        rows.flatMap(({ index }) => byRow.get(index) ?? []),
        FIRST_YEAR,
        last,
      ),
    [rows, byRow, last],
  );
  const look = useCallback(
    (row: PlotRow): string => (isLoss ? lookOfYear(row, byRow, year) : lookOf(row.group, row.result)),
    [isLoss, byRow, year],
  );
  return {
    lookOf: look,
    legend: isLoss ? legendOf(year) : null,
    bar: measured !== null && (
      <TimeBar
        colour={isLoss ? 'loss' : 'result'}
        onColour={(colour) => setParams({ colour: colour === 'loss' ? 'loss' : null, year: null })}
        years={bars}
        year={year}
        onYear={(to) => setParams({ year: to === last ? null : to })}
        error={lines?.error.value ?? null}
      />
    ),
  };
}

function chosenYear(text: string | null, last: number): number {
  const year = Number(text);
  return text !== null && Number.isInteger(year) && year >= FIRST_YEAR && year <= last ? year : last;
}

function lookOfYear({ type, index }: PlotRow, byRow: ReadonlyMap<number, LossYears>, until: number): string {
  if (type === 'facility') return 'none';
  const look = lookUntil(byRow.get(index), until);
  return look === 'none' ? 'high' : look === 'unknown' ? 'unverified' : yearLook(look);
}

/** Some years of both ramps, up to the chosen one. */
function legendOf(until: number): LegendPart {
  const before = [FIRST_YEAR, 2008, 2014, LAST_BEFORE_CUT_OFF];
  const since = Array.from({ length: Math.max(0, until - LAST_BEFORE_CUT_OFF) }, (_, i) => LAST_BEFORE_CUT_OFF + 1 + i);
  return {
    key: 'years',
    title: t('years.most'),
    entries: [
      ...[...before, ...since]
        .filter((year) => year <= until)
        .map((year) => ({ key: String(year), text: String(year), mark: { kind: 'year', year } }) as const),
      { key: 'none', text: t('years.none', { year: String(until) }), mark: { kind: 'level', look: 'high' } },
      { key: 'unknown', text: t('chart.noData'), mark: { kind: 'level', look: 'unverified' } },
      { key: 'facility', text: t('plotGroup.facility'), mark: { kind: 'level', look: 'none' } },
    ],
  };
}
