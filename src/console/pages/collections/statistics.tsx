import { useMemo } from 'preact/hooks';
import { ErrorNotice, Loading } from '../../parts/notice.tsx';
import { useLoad } from '../../parts/use-load.ts';
import { YearChart } from '../../parts/year-chart.tsx';
import { hrefOf } from '../../state/address.ts';
import { formatNumber, t, tWord } from '../../text/translate.ts';
import { statisticsOf, type Totals } from './collection.ts';
import { PlotsMap } from './plots-map.tsx';
import { PlotsTable } from './plots-table.tsx';

/** What was measured of a collection: sums, losses by year, and plot by plot in a table and on a map. */
export function Statistics({ id }: { readonly id: string }) {
  const [loaded] = useLoad(`statistics ${id}`, (signal) => statisticsOf(id, signal));
  const plots = useMemo(() => (loaded.state === 'ready' ? loaded.value.plots : []), [loaded]);
  if (loaded.state === 'loading') return <Loading />;
  if (loaded.state === 'failed') return <ErrorNotice error={loaded.error} />;
  const { totals, biomass } = loaded.value;
  return (
    <>
      <section class="card">
        <h2>{t('statistics.title')}</h2>
        <dl class="figures">
          <Figure name={t('statistics.area')} value={totals.area_ha} unit="ha" />
          <Figure name={t('statistics.baseline')} value={totals.baseline_forest_ha} unit="ha" />
          <Figure name={t('statistics.after')} value={totals.noncompliance_area_ha} unit="ha" />
          <Figure name={t('statistics.biomass')} value={biomass.agb_t} unit="t" />
          <Figure name={t('statistics.emissions')} value={biomass.luc_tco2eyear} unit="t CO₂e/a" />
        </dl>
        <ul class="statuses" aria-label={t('statistics.findings')}>
          {Object.entries(totals.eudr_status_counts).map(([status, count]) => (
            <li key={status} data-eudr={status}>
              <span class="eudr-dot" aria-hidden="true" /> {tWord('eudr', status)}{' '}
              <strong>{formatNumber(count)}</strong>
            </li>
          ))}
        </ul>
        <Datasets totals={totals} />
      </section>
      <div class="grid-2">
        <section class="card">
          <YearChart
            caption={t('statistics.loss')}
            yearTitle={t('forest.year')}
            valueTitle={t('statistics.loss')}
            values={totals.loss_ha_by_year ?? {}}
            part={{ title: t('statistics.lossInside'), values: totals.loss_in_baseline_ha_by_year ?? {} }}
            from={2017}
            to={new Date().getFullYear() - 1}
          />
        </section>
        <section class="card">
          <YearChart
            caption={t('statistics.biomassByYear')}
            yearTitle={t('forest.year')}
            valueTitle={t('statistics.biomass')}
            values={biomass.agb_t_by_year ?? {}}
            decimals={0}
          />
        </section>
      </div>
      <section class="card plots">
        <h2>{t('statistics.plots', { count: plots.length })}</h2>
        <div class="plots-body">
          <PlotsTable plots={plots} />
          <PlotsMap plots={plots} />
        </div>
      </section>
    </>
  );
}

function Figure({
  name,
  value,
  unit,
}: {
  readonly name: string;
  readonly value: number | null;
  readonly unit: string;
}) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>{value === null ? t('status.unknown') : `${formatNumber(value)} ${unit}`}</dd>
    </div>
  );
}

function Datasets({ totals }: { readonly totals: Totals }) {
  return (
    <p class="small muted">
      {t('forest.dataset')}:{' '}
      {totals.datasets.map(({ dataset, version, synthetic }, i) => (
        <span key={dataset}>
          {i > 0 && ', '}
          <a href={hrefOf('datasets', { id: dataset })}>{dataset}</a> {version}
          {synthetic && <span class="tag">{t('synthetic')}</span>}
        </span>
      ))}
    </p>
  );
}
