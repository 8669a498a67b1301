import type { Box } from '../../map/box-polygon.ts';
import { setParams } from '../../state/address.ts';
import { t, tWord } from '../../text/translate.ts';
import { gravestOf, healthOf, isWorld, mostOf, shareOf } from './dataset.ts';
import { HealthMark } from './health-mark.tsx';
import type { Dataset } from './listed-dataset.ts';

interface ThemeListProps {
  readonly datasets: readonly Dataset[];
  readonly chosen: string;
  readonly view: Box | null;
}

/** What the datasets are about, and how much each theme is known in view; one is chosen to be seen on the map. */
export function ThemeList({ datasets, chosen, view }: ThemeListProps) {
  const themes = [...Map.groupBy(datasets, ({ role }) => role)].toSorted(([a], [b]) =>
    tWord('role', a).localeCompare(tWord('role', b)),
  );
  return (
    <table class="themes">
      <caption>{t('datasets.themes')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('intake.theme')}</th>
          <th scope="col">{t('datasets.inView')}</th>
          <th scope="col">{t('datasets.newest')}</th>
          <th scope="col">{t('datasets.contract')}</th>
        </tr>
      </thead>
      <tbody>
        {themes.map(([role, some]) => {
          const share = view === null ? null : mostOf(some.map((dataset) => shareOf(dataset, view)));
          return (
            <tr key={role} data-chosen={role === chosen}>
              <th scope="row">
                <button
                  type="button"
                  class="theme"
                  aria-pressed={role === chosen}
                  onClick={() => setParams({ role: role === chosen ? null : role, id: null })}
                >
                  {tWord('role', role)}
                </button>{' '}
                <span class="muted small">{reachText(some)}</span>
              </th>
              <td>{share !== null && <span data-share={share}>{t(`datasets.share.${share}`)}</span>}</td>
              <td>{newestOf(some)}</td>
              <td>
                <HealthMark state={gravestOf(some.map(healthOf))} />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

function reachText(datasets: readonly Dataset[]): string {
  return datasets.some(isWorld) ? t('datasets.world') : t('datasets.count', { count: datasets.length });
}

/** The newest day, or year, that one of them names. */
function newestOf(datasets: readonly Dataset[]): string {
  return (
    datasets
      .flatMap(({ date }) => date ?? [])
      .toSorted()
      .at(-1) ?? '–'
  );
}
