import './review-file.css';
import { countryName, formatNumber, t, tWord } from '../../text/translate.ts';
import type { Preview } from './reading.ts';

type Region = Preview['region'];
type Theme = Region['themes'][number];

interface RegionDataProps {
  readonly region: Region;
  /** What is counted where there is data; rows of a file without it. */
  readonly here?: string;
  readonly isBusy: boolean;
  /** The rows were checked already, and these themes were open then: what is fetched is for another check. */
  readonly open?: ReadonlySet<string>;
  readonly onFetch: () => void;
}

/** What is known of the ground of the rows, what can be fetched, and for how many rows there is nothing. */
export function RegionData({ region, here = t('intake.here'), isBusy, open, onFetch }: RegionDataProps) {
  const { countries } = region;
  const isKept = open !== undefined;
  const themes = isKept ? region.themes.filter(({ theme }) => open.has(theme)) : region.themes;
  if (themes.length === 0) return null;
  return (
    <section class="region-data" aria-label={t('intake.region')}>
      {!isKept && <h3>{t('intake.region')}</h3>}
      {!isKept && countries.length > 0 && (
        <p>{countries.map(({ country, rows }) => `${countryName('', country)} (${formatNumber(rows)})`).join(', ')}</p>
      )}
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">{t('intake.theme')}</th>
            <th scope="col" class="number">
              {here}
            </th>
            <th scope="col" class="number">
              {t('intake.toFetch')}
            </th>
            <th scope="col" class="number">
              {t('intake.missing')}
            </th>
            <th scope="col">{t('intake.datasets')}</th>
          </tr>
        </thead>
        <tbody>
          {themes.map((theme) => (
            <tr key={theme.theme}>
              <th scope="row">{tWord('ground', theme.theme)}</th>
              <td class="number" data-name={here}>
                {formatNumber(theme.covered + theme.fetched)} / {formatNumber(theme.rows)}
              </td>
              <td class="number" data-name={t('intake.toFetch')} data-empty={theme.to_fetch === 0}>
                {theme.to_fetch === 0 ? '–' : formatNumber(theme.to_fetch)}
              </td>
              <td
                class="number"
                data-name={t('intake.missing')}
                data-missing={theme.missing > 0}
                data-empty={theme.missing === 0}
              >
                {theme.missing === 0 ? '–' : formatNumber(theme.missing)}
              </td>
              <td class="muted" data-name={t('intake.datasets')} data-empty={theme.datasets.length === 0}>
                {theme.datasets.length === 0 ? '–' : theme.datasets.map(datasetText).join(', ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {themes.some(({ missing }) => missing > 0) && <p class="hint">{t('intake.missingMeans')}</p>}
      <FetchData region={region} isBusy={isBusy} isKept={isKept} onFetch={onFetch} />
    </section>
  );
}

interface FetchDataProps extends Pick<RegionDataProps, 'region' | 'isBusy' | 'onFetch'> {
  readonly isKept: boolean;
}

/** Fetches the map data that is missing around the rows, where some can be fetched. */
export function FetchData({ region: { to_fetch: fetch }, isBusy, isKept, onFetch }: FetchDataProps) {
  if (fetch === null) return null;
  return (
    <p class="fetch-data">
      <button type="button" class="button" disabled={isBusy} onClick={onFetch}>
        {fetchText(fetch)}
      </button>
      <span class="muted small">{t(isKept ? 'missing.hint' : 'intake.fetchHint')}</span>
    </p>
  );
}

/** What one request fetches, of all that is missing where that is more. */
function fetchText({ cells, at_once: most, megabytes }: NonNullable<Region['to_fetch']>): string {
  const count = Math.min(cells, most);
  const all = count < cells ? ` / ${formatNumber(cells)}` : '';
  if (megabytes === null) return t('intake.fetch', { count }) + all;
  return (
    t('intake.fetchSize', { count, size: formatNumber(Math.max(1, Math.round((megabytes * count) / cells))) }) + all
  );
}

function datasetText({ id, synthetic, remote }: Theme['datasets'][number]): string {
  const marks = [...(synthetic ? [t('synthetic')] : []), ...(remote ? [t('intake.remote')] : [])];
  return marks.length === 0 ? id : `${id} (${marks.join(', ')})`;
}
