import { send, type Answer } from '../../../api/client.ts';
import { readLines } from '../../../../clients/typescript/read-lines.ts';
import { useLoad } from '../../../parts/use-load.ts';
import { WhenLoaded } from '../../../parts/when-loaded.tsx';
import { param, setParams } from '../../../state/address.ts';
import { formatDistance, formatNumber, t } from '../../../text/translate.ts';
import type { Collection } from '../collection.ts';
import { Confidence } from './confidence.tsx';
import { formatQuantity } from '../format-quantity.ts';
import { shownPeriod } from '../batch/shown-period.ts';
import { GroupSummary } from './result-counts.tsx';

type Shed = Answer<'fetchSupplyShed'>['features'][number];

const RADII_M = [2_000, 5_000, 10_000, 25_000, 50_000, 100_000, 200_000] as const;
const USUAL_M = 50_000;
const A_PAGE = 50;

/** What the supply shed of each facility holds. */
export function ShedsView({ collection }: { readonly collection: Collection }) {
  const { collection_id: id, counts } = collection;
  const period = shownPeriod(collection);
  const radius = RADII_M.find((metres) => metres === Number(param('r'))) ?? USUAL_M;
  const [loaded, reload] = useLoad(`${id} ${period.start} ${period.end} ${radius}`, (signal) =>
    fetchSheds({ filename: id, monitoring_start: period.start, monitoring_end: period.end, radius }, signal),
  );
  return (
    <div class="page">
      <div class="stack">
        <section class="card">
          <div class="row spread">
            <p class="lead">{t('sheds.lead')}</p>
            <label class="radius">
              {t('sheds.radius')}{' '}
              <select value={radius} onChange={(event) => setParams({ r: event.currentTarget.value })}>
                {RADII_M.map((metres) => (
                  <option key={metres} value={metres}>
                    {formatDistance(metres)}
                  </option>
                ))}
              </select>
            </label>
          </div>
        </section>
        <WhenLoaded loaded={loaded} onAgain={reload} waiting={t('collection.adding')}>
          {(sheds) => sheds.map((shed) => <ShedCard key={shed.properties.location_number} shed={shed} />)}
        </WhenLoaded>
        {(counts?.facilities ?? 0) > A_PAGE && (
          <p class="muted">{t('sheds.first', { shown: A_PAGE, count: counts?.facilities ?? 0 })}</p>
        )}
      </div>
    </div>
  );
}

interface ShedQuery {
  readonly filename: string;
  readonly monitoring_start: string;
  readonly monitoring_end: string;
  readonly radius: number;
}

async function fetchSheds(query: ShedQuery, signal: AbortSignal): Promise<readonly Shed[]> {
  const response = await send('fetchSupplyShed', {
    query: { ...query, limit: A_PAGE } as never,
    accept: 'application/x-ndjson',
    signal,
  });
  const sheds: Shed[] = [];
  for await (const line of readLines(response)) sheds.push(JSON.parse(new TextDecoder().decode(line)) as Shed);
  return sheds;
}

function ShedCard({ shed: { id, properties: p } }: { readonly shed: Shed }) {
  const name = (p as { readonly name?: unknown }).name;
  const figures = [
    [t('counts.plots'), p.plots, ''],
    [t('total.area'), p.area_ha, t('unit.ha')],
    [t('total.baseline'), p.baseline_forest_ha, t('unit.ha')],
    [t('total.noncompliance'), p.noncompliance_area_ha, t('unit.ha')],
    [t('total.emissions'), p.luc_tco2eyear, t('unit.emissions')],
    [t('total.diversity'), p.diversity_score, ''],
  ] as const;
  return (
    <section class="card">
      <h2>{typeof name === 'string' && name !== '' ? name : (id ?? t('facility.unnamed'))}</h2>
      <p class="muted">
        {t('collections.confidence')}: <Confidence value={p.location_confidence} />
        {p.nearest_plot_m !== null && p.farthest_plot_m !== null && (
          <>
            {' · '}
            {t('sheds.distances', {
              nearest: formatDistance(p.nearest_plot_m),
              farthest: formatDistance(p.farthest_plot_m),
            })}
          </>
        )}
      </p>
      {p.supply_shed_problem !== null ? (
        <p class="notice" data-kind="warn">
          {p.supply_shed_problem}
        </p>
      ) : (
        <>
          {p.plot_group_counts !== null && <GroupSummary counts={p.plot_group_counts} />}
          {(p.plot_group_counts?.['unknown'] ?? 0) > 0 && (
            <p class="muted small">{t('plotGroup.earlier', { count: p.plot_group_counts?.['unknown'] ?? 0 })}</p>
          )}
          <dl class="figures">
            {figures.map(([title, value, unit]) => (
              <div key={title} class="figure">
                <dt>{title}</dt>
                <dd>{value === null ? t('unknown') : `${formatQuantity(value)} ${unit}`}</dd>
              </div>
            ))}
          </dl>
          <p class="muted small">
            {t('sheds.looked', {
              count: formatNumber(p.plots_looked_at),
              collections: formatNumber(p.plot_collections.length),
            })}
          </p>
          {p.datasets.some(({ synthetic }) => synthetic) && (
            <p class="notice" data-kind="warn">
              {t('collection.synthetic')}
            </p>
          )}
        </>
      )}
    </section>
  );
}
