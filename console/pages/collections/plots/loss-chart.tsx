import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../../text/translate.ts';
import { formatQuantity } from '../format-quantity.ts';
import { hasData, lossBars, totalOf, yearsText, type LookedAt, type LossBars, type LossYear } from './loss-bars.ts';
import type { Period } from '../batch/period.ts';

type ByYear = Readonly<Record<string, number>> | null;

interface LossChartProps {
  /** Hectares by year; null: not known of any plot. */
  readonly all: ByYear;
  /** The part of them inside the forest of the cut-off date. */
  readonly inBaseline: ByYear;
  readonly period: Period;
  /** What was looked at: all other years are without data. */
  readonly lookedAt: LookedAt;
  /** Pixels; default 220. */
  readonly height?: number;
}

const LEFT = 52;
const BOTTOM = 24;
const TOP = 22;
/** Pixels of a label of a year. */
const LABEL = 34;
/** Pixels of a line of text. */
const LINE = 14;

/**
 * Hectares lost by year, inside the forest of the cut-off date and outside, with the cut-off as a line; and as a table. Years that
 * no dataset covers are hatched.
 */
export function LossChart({ all, inBaseline, period, lookedAt, height = 220 }: LossChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useLayoutEffect(() => {
    const watched = box.current;
    if (watched === null) return;
    const watch = new ResizeObserver(() => setWidth(Math.max(200, watched.clientWidth)));
    watch.observe(watched);
    return () => watch.disconnect();
  }, [all === null]);
  if (all === null) return <p class="notice">{t('chart.nothingKnown')}</p>;
  const chart = lossBars(all, inBaseline, period, lookedAt);
  const isAnyLost = chart.bars.some((bar) => totalOf(bar) > 0);
  const isAllKnown = chart.bars.every(hasData);
  return (
    <div ref={box} class="loss-chart">
      {!isAnyLost && <p>{t('chart.none')}</p>}
      {(isAnyLost || !isAllKnown) && (
        <>
          <Legend isKnown={inBaseline !== null} isAllKnown={isAllKnown} />
          <Drawing chart={chart} width={width} height={height} />
        </>
      )}
      <Notes bars={chart.bars} lookedAt={lookedAt} />
      <details>
        <summary>{t('chart.table')}</summary>
        <LossTable bars={chart.bars} plots={lookedAt.plots} />
      </details>
    </div>
  );
}

function Legend({ isKnown, isAllKnown }: { readonly isKnown: boolean; readonly isAllKnown: boolean }) {
  return (
    <ul class="chart-legend">
      {isKnown && (
        <li>
          <span class="swatch" data-part="inside" aria-hidden="true" />
          {t('chart.inside')}
        </li>
      )}
      <li>
        <span class="swatch" data-part="outside" aria-hidden="true" />
        {t(isKnown ? 'chart.outside' : 'chart.anywhere')}
      </li>
      {!isAllKnown && (
        <li>
          <span class="swatch" data-part="no-data" aria-hidden="true" />
          {t('chart.noData')}
        </li>
      )}
    </ul>
  );
}

/** Which years were not looked at, which not in all plots, and which lie in the period only in part. */
function Notes({ bars, lookedAt }: { readonly bars: readonly LossYear[]; readonly lookedAt: LookedAt }) {
  const missing = bars.filter((bar) => !hasData(bar)).map(({ year }) => year);
  const known = bars.filter(hasData);
  const some = known.flatMap(({ year, onlyPlots }) =>
    onlyPlots === null ? [] : [t('chart.onlyPlots', { year: String(year), some: onlyPlots, plots: lookedAt.plots })],
  );
  const parts = known.filter(({ isPart }) => isPart).map(({ year }) => year);
  const notes = [
    ...(missing.length === 0 ? [] : [t('chart.yearsWithoutData', { years: yearsText(missing) })]),
    ...(some.length === 0 ? [] : [some.join(' ')]),
    ...(parts.length === 0 ? [] : [t('chart.partOfYear', { years: yearsText(parts) })]),
  ];
  return notes.map((note) => (
    <p key={note} class="muted small">
      {note}
    </p>
  ));
}

interface DrawingProps {
  readonly chart: LossBars;
  readonly width: number;
  readonly height: number;
}

function Drawing({ chart: { bars, ticks, cutOffAfter }, width, height }: DrawingProps) {
  const titleId = useId();
  const hatchId = useId();
  const most = ticks.at(-1) ?? 1;
  const plotWidth = width - LEFT - 8;
  const plotHeight = height - TOP - BOTTOM;
  const slot = plotWidth / Math.max(1, bars.length);
  const every = Math.max(1, Math.ceil(LABEL / slot));
  const y = (value: number): number => TOP + plotHeight * (1 - value / most);
  const thick = Math.min(48, slot * 0.7);
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} role="img" aria-labelledby={titleId}>
      <title id={titleId}>{sentence(bars)}</title>
      <pattern id={hatchId} width={7} height={7} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <line class="chart-hatch" x1={0} x2={0} y1={0} y2={7} />
      </pattern>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="chart-grid" x1={LEFT} x2={width - 8} y1={y(tick)} y2={y(tick)} />
          <text class="chart-text" x={LEFT - 6} y={y(tick) + 4} text-anchor="end">
            {formatQuantity(tick)}
          </text>
        </g>
      ))}
      <text class="chart-text" x={LEFT - 6} y={12} text-anchor="end">
        ha
      </text>
      {bars.map((bar, i) => {
        const middle = LEFT + slot * (i + 0.5);
        const left = middle - thick / 2;
        const low = hasData(bar) ? (bar.inside ?? 0) : 0;
        const total = totalOf(bar);
        return (
          <g key={bar.year}>
            {hasData(bar) ? (
              <>
                <rect class="chart-bar" data-part="inside" x={left} y={y(low)} width={thick} height={y(0) - y(low)} />
                <rect
                  class="chart-bar"
                  data-part="outside"
                  x={left}
                  y={y(total)}
                  width={thick}
                  height={y(low) - y(total)}
                />
              </>
            ) : (
              <NoData x={middle} top={TOP} width={slot} height={plotHeight} hatch={hatchId} />
            )}
            {i % every === 0 && (
              <text class="chart-text" x={middle} y={height - 6} text-anchor="middle">
                {bar.year}
              </text>
            )}
            <rect class="chart-hover" x={LEFT + slot * i} y={TOP} width={slot} height={plotHeight}>
              <title>{barWords(bar)}</title>
            </rect>
          </g>
        );
      })}
      {cutOffAfter !== null && <CutOff x={LEFT + slot * cutOffAfter} width={width} bottom={y(0)} />}
    </svg>
  );
}

interface NoDataProps {
  /** Pixels: the middle of the year, and the room it has. */
  readonly x: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** Id of the pattern. */
  readonly hatch: string;
}

/** A year that no dataset covers, as high as the chart: it could be anything. */
function NoData({ x, top, width, height, hatch }: NoDataProps) {
  const middle = top + height / 2;
  return (
    <g class="chart-no-data">
      <rect x={x - width / 2} y={top} width={width} height={height} fill={`url(#${hatch})`} />
      {width >= LINE && (
        <text class="chart-text" x={x} y={middle} transform={`rotate(-90 ${x} ${middle})`} text-anchor="middle" dy="4">
          {t('chart.noData')}
        </text>
      )}
    </g>
  );
}

function CutOff({ x, width, bottom }: { readonly x: number; readonly width: number; readonly bottom: number }) {
  const isRight = x > width * 0.6;
  return (
    <g>
      <line class="chart-cut-off" x1={x} x2={x} y1={4} y2={bottom} />
      <text class="chart-text" x={isRight ? x - 5 : x + 5} y={13} text-anchor={isRight ? 'end' : 'start'}>
        {t('chart.cutOff')}
      </text>
    </g>
  );
}

function LossTable({ bars, plots }: { readonly bars: readonly LossYear[]; readonly plots: number }) {
  return (
    <table class="plain">
      <caption class="visually-hidden">{t('chart.title')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('chart.year')}</th>
          <th scope="col" class="number">
            {t('chart.inside')}
          </th>
          <th scope="col" class="number">
            {t('chart.outside')}
          </th>
          <th scope="col" class="number">
            {t('chart.all')}
          </th>
        </tr>
      </thead>
      <tbody>
        {bars.map((bar) => (
          <tr key={bar.year}>
            <th scope="row">
              <span class="nowrap">{bar.year}</span>
              {hasData(bar) && bar.onlyPlots !== null && (
                <span class="muted small"> {t('chart.plotsOf', { some: bar.onlyPlots, plots })}</span>
              )}
            </th>
            {hasData(bar) ? (
              <>
                <td class="number">{bar.inside === null ? t('unknown') : formatQuantity(bar.inside)}</td>
                <td class="number">{bar.inside === null ? t('unknown') : formatQuantity(bar.outside)}</td>
                <td class="number">{formatQuantity(totalOf(bar))}</td>
              </>
            ) : (
              <td class="number no-data" colSpan={3}>
                {t('chart.noData')}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function barWords(bar: LossYear): string {
  const year = String(bar.year);
  if (!hasData(bar)) return t('chart.barNoData', { year });
  const { inside, outside } = bar;
  return inside === null
    ? t('chart.barUnknown', { year, area: formatQuantity(outside) })
    : t('chart.bar', { year, inside: formatQuantity(inside), outside: formatQuantity(outside) });
}

/** The chart in words, for those who do not see it. */
function sentence(bars: readonly LossYear[]): string {
  const lost = bars.filter((bar) => totalOf(bar) > 0);
  const missing = bars.filter((bar) => !hasData(bar));
  const parts = [lost.length === 0 ? t('chart.none') : `${t('chart.title')}.`, ...[...lost, ...missing].map(barWords)];
  return parts.join(' ');
}
