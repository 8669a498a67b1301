import { useLoad } from '../../parts/use-load.ts';
import { PageLink } from '../../parts/page-link.tsx';
import { WhenLoaded } from '../../parts/when-loaded.tsx';
import { hrefOf } from '../../state/address.ts';
import { t, tWord, formatNumber } from '../../text/translate.ts';
import { ChangesCard } from './changes-card.tsx';
import { isUnmeasured, type Collection } from './collection.ts';
import { DdsExport } from './dds-export.tsx';
import { Downloads } from './downloads.tsx';
import { LossChart } from './plots/loss-chart.tsx';
import { TracesCard } from './traces/traces-card.tsx';
import type { Period } from './batch/period.ts';
import { shownPeriod } from './batch/shown-period.ts';
import { ProcessForm } from './batch/process-form.tsx';
import { ReportEmail } from './batch/report-email.tsx';
import { doubtText } from './plots/doubt-text.ts';
import { readDoubt, type Doubt } from './plots/doubts.ts';
import { GroupCounts } from './plots/result-counts.tsx';
import { fetchTotals, type Totals } from './totals.ts';
import { Confidence, LEVELS } from './plots/confidence.tsx';
import { WatchCard } from './watch-card.tsx';
import { formatQuantity } from './format-quantity.ts';

/** What is known of a processed collection as a whole, and what can be taken along. */
export function Overview({ collection, onChange }: { readonly collection: Collection; readonly onChange: () => void }) {
  const period = shownPeriod(collection);
  return (
    <div class="page">
      <div class="stack">
        <Summary collection={collection} />
        {isUnmeasured(collection) && (
          <p class="notice" data-kind="warn">
            {t('collection.unmeasured')}
          </p>
        )}
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
        <ChangesCard collection={collection} />
        <TracesCard collectionId={collection.collection_id} />
        {collection.stats === true && <WatchCard collectionId={collection.collection_id} />}
        <details class="card no-print">
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
        <p class="muted small">{t('plotGroup.lead')}</p>
        <GroupCounts counts={deforestation.plot_group_counts} />
        {(deforestation.plot_group_counts['unknown'] ?? 0) > 0 && (
          <p class="notice">{t('plotGroup.earlier', { count: deforestation.plot_group_counts['unknown'] ?? 0 })}</p>
        )}
        <TotalFigures totals={totals} />
      </section>
      <section class="card" aria-labelledby="loss-title">
        <h2 id="loss-title">{t('chart.title')}</h2>
        <LossChart
          all={deforestation.loss_ha_by_year}
          inBaseline={deforestation.loss_in_baseline_ha_by_year}
          period={period}
          lookedAt={{
            byYear: deforestation.years_looked_at_counts,
            plots: deforestation.known['loss_ha_by_year'] ?? 0,
          }}
        />
        {deforestation.loss_ha_by_year !== null && (deforestation.unknown['loss_ha_by_year'] ?? 0) > 0 && (
          <p class="muted small">{t('chart.unknown', { count: deforestation.unknown['loss_ha_by_year'] ?? 0 })}</p>
        )}
      </section>
      {datasets.length > 0 && (
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
      )}
    </>
  );
}

/** Each dataset once. */
function datasetsOf({ deforestation, emissions, diversity }: Totals) {
  const all = [...deforestation.datasets, ...emissions.datasets, ...diversity.datasets];
  return [...new Map(all.map((use) => [`${use.role} ${use.dataset} ${use.version}`, use])).values()];
}

/** How many locations there are, and how far they can be relied on. */
function Summary({ collection }: { readonly collection: Collection }) {
  const {
    counts,
    locations_confidence: confidence,
    confidence_counts: levels,
    confidence_reasons: reasons,
  } = collection;
  if (counts === null) return null;
  const { locations, plots, facilities, measured, problems } = counts;
  const codes = (collection.messages?.['confidence_reasons'] ?? []) as readonly Parameters<typeof readDoubt>[0][];
  // Each location is a plot or a facility, and each plot is measured or not.
  const figures = [
    ['locations', locations],
    ['plots', plots],
    ['facilities', facilities],
    ['measured', measured],
    ['not_measured', plots - measured],
    ['problems', problems],
  ] as const;
  return (
    <section class="card" aria-labelledby="summary-title">
      <h2 id="summary-title">{t('collection.summary')}</h2>
      <dl class="figures">
        {figures.map(([name, count]) => (
          <div key={name} class="figure">
            <dt>{t(`counts.${name}`)}</dt>
            <dd>{formatNumber(count)}</dd>
          </div>
        ))}
        <div class="figure">
          <dt>{t('collections.confidence')}</dt>
          <dd>{confidence === null ? t('confidence.notRequested') : <Confidence value={confidence} />}</dd>
        </div>
      </dl>
      {levels !== null && (
        <p class="confidence-counts">
          {levelsInOrder(levels).map(([level, count]) => (
            <span key={level}>
              <Confidence value={level as Collection['locations_confidence']} /> {formatNumber(count)}
            </span>
          ))}
        </p>
      )}
      {reasons !== null && reasons.length > 0 && (
        <details>
          <summary>{t('confidence.reasons')}</summary>
          <ul class="reasons">
            {reasons.map((reason, i) => (
              <li key={reason}>
                <Reason id={collection.collection_id} reason={reason} doubt={readDoubt(codes[i])} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

/** Levels from the highest on, then why others have none. */
function levelsInOrder(counts: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  const all = Object.entries(counts);
  const known = LEVELS.flatMap((level) => all.filter(([name]) => name === level));
  return [...known, ...all.filter((one) => !known.includes(one))];
}

/** A reason, as a link to the locations that it counts. */
function Reason({ id, reason, doubt }: { readonly id: string; readonly reason: string; readonly doubt: Doubt | null }) {
  if (doubt === null) return <>{reason}</>;
  const { why } = doubt;
  return (
    <PageLink to="collections" values={{ id, tab: 'plots', why }}>
      {doubtText(doubt)}
    </PageLink>
  );
}

/**
 * The totals as numbers, each with how many plots it leaves out; what nobody knows is said to be unknown. The area says what
 * overlapping plots share, and when they were not compared.
 */
function TotalFigures({ totals }: { readonly totals: Totals }) {
  const { deforestation: d, emissions: e, diversity: b } = totals;
  const overlap = d.overlap_area_ha ?? 0;
  const figures = [
    ['area', d.area_ha, 'unit.ha', d.unknown['area_ha']],
    ['baseline', d.baseline_forest_ha, 'unit.ha', d.unknown['baseline_forest_ha']],
    ['noncompliance', d.noncompliance_area_ha, 'unit.ha', d.unknown['noncompliance_area_ha']],
    ['emissions', e.luc_tco2eyear, 'unit.emissions', e.unknown['luc_tco2eyear']],
    ['biomass', e.agb_t, 'unit.tonnes', e.unknown['agb_t']],
    ['diversity', b.diversity_score, null, b.unknown['diversity_score']],
  ] as const;
  return (
    <dl class="figures">
      {figures.map(([name, value, unit, unknown = 0]) => (
        <div key={name} class="figure">
          <dt>{t(`total.${name}`)}</dt>
          <dd>
            {value === null ? (
              t('unknown')
            ) : (
              <>
                {formatQuantity(value)} {unit === null ? '' : t(unit)}
              </>
            )}
          </dd>
          {name === 'area' && overlap > 0 && (
            <dd class="muted small">{t('total.overlap', { area: formatQuantity(overlap) })}</dd>
          )}
          {name === 'area' && !d.overlaps_counted_once && <dd class="muted small">{t('total.notCompared')}</dd>}
          {unknown > 0 && <dd class="muted small">{t('total.without', { unknown, plots: d.plots })}</dd>}
        </div>
      ))}
    </dl>
  );
}
