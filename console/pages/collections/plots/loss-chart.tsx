import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { t } from '../../../text/translate.ts';
import { formatQuantity } from '../format-quantity.ts';
import { lossBars, type LossBar, type LossBars } from './loss-bars.ts';
import type { Period } from '../batch/period.ts';

type ByYear = Readonly<Record<string, number>> | null;

interface LossChartProps {
  /** Hectares by year; null: not known of any plot. */
  readonly all: ByYear;
  /** The part of them inside the forest of the cut-off date. */
  readonly inBaseline: ByYear;
  readonly period: Period;
  /** Pixels; default 220. */
  readonly height?: number;
}

const LEFT = 52;
const BOTTOM = 24;
const TOP = 22;
/** Pixels of a label of a year. */
const LABEL = 34;

/** Hectares lost by year, inside the forest of the cut-off date and outside, with the cut-off as a line; and as a table. */
export function LossChart({ all, inBaseline, period, height = 220 }: LossChartProps) {
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
  const chart = lossBars(all, inBaseline, period);
  const lost = chart.bars.filter(({ inside, outside }) => (inside ?? 0) + outside > 0);
  return (
    <div ref={box} class="loss-chart">
      {lost.length === 0 ? (
        <p>{t('chart.none')}</p>
      ) : (
        <>
          <Legend isKnown={inBaseline !== null} />
          <Drawing chart={chart} width={width} height={height} />
        </>
      )}
      <details>
        <summary>{t('chart.table')}</summary>
        <LossTable bars={chart.bars} />
      </details>
    </div>
  );
}

function Legend({ isKnown }: { readonly isKnown: boolean }) {
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
    </ul>
  );
}

interface DrawingProps {
  readonly chart: LossBars;
  readonly width: number;
  readonly height: number;
}

function Drawing({ chart: { bars, ticks, cutOffAfter }, width, height }: DrawingProps) {
  const titleId = useId();
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
      {bars.map(({ year, inside, outside }, i) => {
        const left = LEFT + slot * i + (slot - thick) / 2;
        const low = inside ?? 0;
        return (
          <g key={year}>
            <rect class="chart-bar" data-part="inside" x={left} y={y(low)} width={thick} height={y(0) - y(low)} />
            <rect
              class="chart-bar"
              data-part="outside"
              x={left}
              y={y(low + outside)}
              width={thick}
              height={y(low) - y(low + outside)}
            />
            {i % every === 0 && (
              <text class="chart-text" x={LEFT + slot * (i + 0.5)} y={height - 6} text-anchor="middle">
                {year}
              </text>
            )}
            <rect class="chart-hover" x={LEFT + slot * i} y={TOP} width={slot} height={plotHeight}>
              <title>{barWords({ year, inside, outside })}</title>
            </rect>
          </g>
        );
      })}
      {cutOffAfter !== null && <CutOff x={LEFT + slot * cutOffAfter} width={width} bottom={y(0)} />}
    </svg>
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

function LossTable({ bars }: { readonly bars: readonly LossBar[] }) {
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
        {bars.map(({ year, inside, outside }) => (
          <tr key={year}>
            <th scope="row">{year}</th>
            <td class="number">{inside === null ? t('unknown') : formatQuantity(inside)}</td>
            <td class="number">{inside === null ? t('unknown') : formatQuantity(outside)}</td>
            <td class="number">{formatQuantity((inside ?? 0) + outside)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function barWords({ year, inside, outside }: LossBar): string {
  return inside === null
    ? t('chart.barUnknown', { year: String(year), area: formatQuantity(outside) })
    : t('chart.bar', { year: String(year), inside: formatQuantity(inside), outside: formatQuantity(outside) });
}

/** The chart in words, for those who do not see it. */
function sentence(bars: readonly LossBar[]): string {
  const known = bars.filter(({ inside, outside }) => (inside ?? 0) + outside > 0).map(barWords);
  return known.length === 0 ? t('chart.none') : `${t('chart.title')}. ${known.join(' ')}`;
}
