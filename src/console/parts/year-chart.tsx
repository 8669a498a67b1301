import { formatFixed } from '../text/translate.ts';

export interface YearChartProps {
  readonly caption: string;
  readonly yearTitle: string;
  readonly valueTitle: string;
  /** Values by year. */
  readonly values: Readonly<Record<string, number>>;
  /** A part of each value that is drawn apart, with what it is. */
  readonly part?: { readonly title: string; readonly values: Readonly<Record<string, number>> };
  readonly decimals?: number;
  /** Years without a value that are shown all the same: the first and the last of the period. */
  readonly from?: number;
  readonly to?: number;
}

/** Values by year as bars in a table: the same for eyes and for screen readers. */
export function YearChart(props: YearChartProps) {
  const { caption, yearTitle, valueTitle, values, part, decimals = 2 } = props;
  const years = Object.keys(values).map(Number);
  const first = Math.min(props.from ?? Infinity, ...years);
  const last = Math.max(props.to ?? -Infinity, ...years);
  const most = Math.max(...Object.values(values), 0);
  if (!Number.isFinite(first) || !Number.isFinite(last)) return null;
  const width = (value: number): string => `${most === 0 ? 0 : (100 * value) / most}%`;
  return (
    <table class="year-chart">
      <caption>
        {caption}
        {part !== undefined && (
          <span class="year-legend">
            <span class="year-key" data-part="true" aria-hidden="true" /> {part.title}
          </span>
        )}
      </caption>
      <thead class="visually-hidden">
        <tr>
          <th scope="col">{yearTitle}</th>
          <th scope="col">{valueTitle}</th>
          {part !== undefined && <th scope="col">{part.title}</th>}
        </tr>
      </thead>
      <tbody>
        {Array.from({ length: last - first + 1 }, (_, i) => first + i).map((year) => {
          const value = values[year] ?? 0;
          const inside = part?.values[year] ?? 0;
          return (
            <tr key={year}>
              <th scope="row">{year}</th>
              <td>
                <span class="year-bar" aria-hidden="true">
                  <span class="year-fill" style={{ width: width(value) }} />
                  {part !== undefined && <span class="year-fill" data-part="true" style={{ width: width(inside) }} />}
                </span>
                <span class="year-value">{value === 0 ? '–' : formatFixed(value, decimals)}</span>
              </td>
              {part !== undefined && <td class="visually-hidden">{formatFixed(inside, decimals)}</td>}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
