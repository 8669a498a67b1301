import { useId } from 'preact/hooks';
import { ErrorNotice } from '../../../../parts/notice.tsx';
import { t } from '../../../../text/translate.ts';
import type { YearOfBar } from './loss-years.ts';

interface TimeBarProps {
  readonly colour: 'result' | 'loss';
  readonly onColour: (colour: 'result' | 'loss') => void;
  readonly years: readonly YearOfBar[];
  /** The chosen year. */
  readonly year: number;
  readonly onYear: (year: number) => void;
  /** Why losses could not be read. */
  readonly error: unknown;
}

/** What the map is coloured by; by year of loss with the years to choose from, those that no dataset covers hatched. */
export function TimeBar({ colour, onColour, years, year, onYear, error }: TimeBarProps) {
  const id = useId();
  return (
    <div class="time-bar" role="group" aria-label={t('years.label')}>
      <label class="time-bar-colour">
        {t('years.colour')}{' '}
        <select value={colour} onChange={(event) => onColour(event.currentTarget.value === 'loss' ? 'loss' : 'result')}>
          <option value="result">{t('plots.result')}</option>
          <option value="loss">{t('years.loss')}</option>
        </select>
      </label>
      {colour === 'loss' && (
        <>
          {error !== null && <ErrorNotice error={error} />}
          <label class="time-bar-until" for={id}>
            {t('years.until', { year: String(year) })}
          </label>
          <Years years={years} year={year} />
          <input
            id={id}
            type="range"
            min={years[0]?.year ?? year}
            max={years.at(-1)?.year ?? year}
            value={year}
            aria-valuetext={words(years.find((each) => each.year === year))}
            // The thumb stands in the middle of its year.
            style={{ '--years': years.length }}
            onInput={(event) => onYear(Number(event.currentTarget.value))}
          />
          <p class="small muted time-bar-note" role="status">
            {words(years.find((each) => each.year === year))}
          </p>
        </>
      )}
    </div>
  );
}

function words(of: YearOfBar | undefined): string {
  if (of === undefined) return '';
  const { year, plots, isCovered } = of;
  return isCovered ? t('years.plots', { year: String(year), plots }) : t('chart.barNoData', { year: String(year) });
}

/** A column for each year, as high as many plots lost something in it. */
function Years({ years, year }: Pick<TimeBarProps, 'years' | 'year'>) {
  const most = Math.max(1, ...years.map(({ plots }) => plots));
  return (
    <div class="time-bar-years" aria-hidden="true" style={{ gridTemplateColumns: `repeat(${years.length}, 1fr)` }}>
      {years.map((each) => (
        <span
          key={each.year}
          class="time-bar-year"
          data-covered={each.isCovered}
          data-later={each.year > year}
          title={words(each)}
        >
          {each.plots > 0 && <span style={{ height: `${Math.max(12, (100 * each.plots) / most)}%` }} />}
        </span>
      ))}
    </div>
  );
}
