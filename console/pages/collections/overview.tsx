import { useLoad } from '../../parts/use-load.ts';
import { WhenLoaded } from '../../parts/when-loaded.tsx';
import { hrefOf } from '../../state/address.ts';
import { t, tWord } from '../../text/translate.ts';
import type { Collection } from './collection.ts';
import { DdsExport } from './dds-export.tsx';
import { Downloads } from './downloads.tsx';
import { LossChart } from './plots/loss-chart.tsx';
import type { Period } from './batch/period.ts';
import { shownPeriod } from './batch/shown-period.ts';
import { ProcessForm } from './batch/process-form.tsx';
import { ReportEmail } from './batch/report-email.tsx';
import { ResultCounts } from './plots/result-counts.tsx';
import { Summary } from './summary.tsx';
import { fetchTotals, type Totals } from './totals.ts';
import { TotalFigures } from './total-figures.tsx';

/** What is known of a processed collection as a whole, and what can be taken along. */
export function Overview({ collection, onChange }: { readonly collection: Collection; readonly onChange: () => void }) {
  const period = shownPeriod(collection);
  return (
    <div class="page">
      <div class="stack">
        <Summary collection={collection} />
        {collection.stats === true ? (
          <Measured collection={collection} period={period} />
        ) : (
          <p class="notice">{t('collection.notMeasured')}</p>
        )}
        <div class="grid-2">
          <div class="stack">
            <DdsExport collection={collection} period={period} />
            {collection.report_email !== null && <ReportEmail email={collection.report_email} />}
          </div>
          <Downloads collection={collection} period={period} />
        </div>
        <details class="card">
          <summary>{t('batch.again')}</summary>
          <ProcessForm collection={collection} onStart={onChange} />
        </details>
      </div>
    </div>
  );
}

function Measured({ collection, period }: { readonly collection: Collection; readonly period: Period }) {
  const { collection_id: id, completed_at: at } = collection;
  const [loaded, reload] = useLoad(`${id} ${at} ${period.start} ${period.end}`, (signal) =>
    fetchTotals(id, period, signal),
  );
  return (
    <WhenLoaded loaded={loaded} onAgain={reload} waiting={t('collection.adding')}>
      {(totals) => <Measures totals={totals} period={period} />}
    </WhenLoaded>
  );
}

function Measures({ totals, period }: { readonly totals: Totals; readonly period: Period }) {
  const { deforestation } = totals;
  const datasets = datasetsOf(totals);
  return (
    <>
      {datasets.some(({ synthetic }) => synthetic) && (
        <p class="notice" data-kind="warn">
          {t('collection.synthetic')}
        </p>
      )}
      <section class="card" aria-labelledby="results-title">
        <h2 id="results-title">{t('collection.results')}</h2>
        <ResultCounts counts={deforestation.eudr_status_counts} />
        <TotalFigures totals={totals} />
      </section>
      <section class="card" aria-labelledby="loss-title">
        <h2 id="loss-title">{t('chart.title')}</h2>
        <LossChart
          all={deforestation.loss_ha_by_year}
          inBaseline={deforestation.loss_in_baseline_ha_by_year}
          period={period}
        />
        {(deforestation.unknown['loss_ha_by_year'] ?? 0) > 0 && (
          <p class="muted small">{t('chart.unknown', { count: deforestation.unknown['loss_ha_by_year'] ?? 0 })}</p>
        )}
      </section>
      <section class="card" aria-labelledby="datasets-title">
        <h2 id="datasets-title">{t('collection.datasets')}</h2>
        <ul class="list">
          {datasets.map(({ role, dataset, version, synthetic }) => (
            <li key={`${role} ${dataset}`}>
              <span class="muted">{tWord('role', role)}</span>
              <a href={hrefOf('datasets', { id: dataset })}>{dataset}</a>
              <span class="muted">{version}</span>
              {synthetic && <span class="tag">{t('synthetic')}</span>}
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

/** Each dataset once. */
function datasetsOf({ deforestation, emissions, diversity }: Totals) {
  const all = [...deforestation.datasets, ...emissions.datasets, ...diversity.datasets];
  return [...new Map(all.map((use) => [`${use.role} ${use.dataset} ${use.version}`, use])).values()];
}
