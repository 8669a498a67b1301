import type { FeatureCollection } from 'geojson';
import type { ComponentChildren } from 'preact';
import { Detail, DetailPart, PlotChecks, SourceValues, type PlotCheck } from '../../../parts/detail.tsx';
import { Reasons } from '../../../parts/unread/unread-part.tsx';
import { unreadReasons } from '../../../parts/unread/unread-rows.ts';
import type { Printing } from '../../../parts/print/print.tsx';
import { PlaceName } from '../../../parts/place-name.tsx';
import { useLoad } from '../../../parts/use-load.ts';
import { WhenLoaded } from '../../../parts/when-loaded.tsx';
import { hrefOf } from '../../../state/address.ts';
import { countryName, formatFixed, t, tWord } from '../../../text/translate.ts';
import type { Collection } from '../collection.ts';
import { Confidence } from './confidence.tsx';
import { Convergence } from './convergence.tsx';
import { formatQuantity } from '../format-quantity.ts';
import { lookedAtIn } from './loss-bars.ts';
import { LossChart } from './loss-chart.tsx';
import type { Period } from '../batch/period.ts';
import { plotRow, type PlotFeature } from './plot-row.ts';
import { hasOutline, PlotSplit } from './plot-split.tsx';
import { GroupBadge } from './group-badge.tsx';
import { send, type Answer } from '../../../api/client.ts';

interface PlotDetailProps {
  readonly feature: PlotFeature;
  readonly collection: Collection;
  readonly period: Period;
  /** What people decided of it: next to what was found, and apart from it. */
  readonly review: ComponentChildren;
  /** Has the parts of a proposed split drawn; null: none. */
  readonly onParts: (parts: FeatureCollection | null) => void;
  readonly onClose: () => void;
}

/** Everything that is known of one location: the result, losses by year, biomass, receipts, and what the file said. */
export function PlotDetail({ feature, collection, period, review, onParts, onClose }: PlotDetailProps) {
  const p = feature.properties;
  const row = plotRow(feature);
  // What follows from a place that cannot be read is less than why it cannot be.
  const unread = unreadReasons(p['warnings'] as never);
  const isChecked = row.type === 'plot' && row.result !== null && row.lon !== null;
  return (
    <Detail
      title={<PlaceName name={row.name} id={row.id} />}
      about={[
        row.id,
        countryName(row.countryCode, row.country),
        row.commodity === '' ? '' : tWord('commodity', row.commodity),
      ]}
      at={row.lon === null || row.lat === null ? null : [row.lon, row.lat]}
      onClose={onClose}
      printing={printingOf(collection, period)}
    >
      <p class="detail-line">
        <GroupBadge group={row.group} result={row.result} />
        {p.location_confidence !== null && (
          <span>
            {t('collections.confidence')}: <Confidence value={p.location_confidence} />
          </span>
        )}
      </p>
      {p.problem !== null && (
        <div class="notice" data-kind="warn">
          <strong>{t('plots.problem')}</strong>
          {unread.length > 0 ? <Reasons of={unread} row={row.row} /> : <p>{p.problem}</p>}
        </div>
      )}
      {hasMore(p.eudr_comment, p.problem) && <p class="notice">{p.eudr_comment}</p>}
      {review}
      {row.type === 'plot' && row.lon !== null && (
        <PlotChecks
          checks={(p['plot_checks'] ?? []) as readonly PlotCheck[]}
          areaHa={null}
          isSaid={({ check, detail }) => check === 'deforestation' && detail.startsWith(p.eudr_comment || ' ')}
        />
      )}
      {p.convergence && <Convergence convergence={p.convergence} />}
      {row.type === 'plot' && hasOutline(feature.geometry) && (
        <PlotSplit feature={feature} name={row.name || row.id} onParts={onParts} />
      )}
      {isChecked && <Forest feature={feature} period={period} />}
      {isChecked && <Measures feature={feature} collection={collection} period={period} />}
      {isChecked && <Receipt title={t('plots.receipt')} datasets={p.datasets ?? []} />}
      <SourceValues row={row.row} source={p['source']} />
    </Detail>
  );
}

/** Whether the sentence of the result says more than what went wrong. */
function hasMore(comment: string | undefined, problem: string | null): boolean {
  return comment !== undefined && comment !== '' && (problem === null || !comment.includes(problem));
}

/** What is signed is what the service says of every location of the collection in the period. */
function printingOf({ collection_id: id, stats }: Collection, { start, end }: Period): Printing {
  const query = { filename: id, monitoring_start: start, monitoring_end: end };
  const path = stats === true ? 'fetch_deforestation_check' : 'fetch_plots';
  return {
    results: `/${path}?${new URLSearchParams(query).toString()}`,
    sign: () =>
      send(stats === true ? 'fetchDeforestationCheck' : 'fetchPlots', {
        query: { ...query, signature: 'detached' } as never,
        accept: 'application/x-ndjson',
      }),
  };
}

function Figures({ figures }: { readonly figures: readonly (readonly [title: string, text: string])[] }) {
  return (
    <dl class="figures">
      {figures.map(([title, text]) => (
        <div key={title} class="figure">
          <dt>{title}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A number with its unit; what is not known is said so. */
function quantity(value: number | null | undefined, unit: string): string {
  return value === null || value === undefined ? t('unknown') : `${formatQuantity(value)} ${unit}`.trim();
}

function Forest({ feature: { properties: p }, period }: { readonly feature: PlotFeature; readonly period: Period }) {
  const ha = t('unit.ha');
  return (
    <DetailPart title={t('plots.forest')}>
      <Figures
        figures={[
          [t('total.area'), quantity(p.area_ha, ha)],
          [t('total.baseline'), quantity(p.baseline_forest_ha, ha)],
          [t('total.noncompliance'), quantity(p.noncompliance_area_ha, ha)],
        ]}
      />
      {p.measured_ground === 'circle' && <p class="muted small">{t('plots.circle')}</p>}
      <LossChart
        all={p.loss_ha_by_year ?? null}
        inBaseline={p.loss_in_baseline_ha_by_year ?? null}
        period={period}
        lookedAt={lookedAtIn(p.years_looked_at)}
        height={170}
      />
    </DetailPart>
  );
}

function Measures({ feature, collection, period }: Pick<PlotDetailProps, 'feature' | 'collection' | 'period'>) {
  const { location_number: number } = feature.properties;
  const id = collection.collection_id;
  const [loaded, reload] = useLoad(`${id} ${number} ${period.start} ${period.end}`, (signal) =>
    fetchMeasures(id, number, period, signal),
  );
  return (
    <WhenLoaded loaded={loaded} onAgain={reload}>
      {({ emissions, diversity }) => (
        <>
          <Biomass emissions={emissions} />
          <Variety diversity={diversity} />
        </>
      )}
    </WhenLoaded>
  );
}

function Biomass({ emissions: e }: { readonly emissions: Emissions }) {
  const years = Object.entries(e.agb_t_by_year ?? {});
  return (
    <DetailPart title={t('plots.biomass')}>
      <Figures
        figures={[
          [t('total.biomass'), quantity(e.agb_t, t('unit.tonnes'))],
          [t('total.emissions'), quantity(e.luc_tco2eyear, t('unit.emissions'))],
        ]}
      />
      {e.emissions_reason !== null && <p class="muted small">{e.emissions_reason}</p>}
      {years.length > 0 && (
        <table class="plain">
          <caption class="visually-hidden">{t('plots.biomass')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('chart.year')}</th>
              <th scope="col" class="number">
                {t('total.biomass')} ({t('unit.tonnes')})
              </th>
            </tr>
          </thead>
          <tbody>
            {years.map(([year, tonnes]) => (
              <tr key={year}>
                <th scope="row">{year}</th>
                <td class="number">{formatQuantity(tonnes)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Receipt datasets={e.datasets} />
    </DetailPart>
  );
}

function Variety({ diversity: d }: { readonly diversity: Diversity }) {
  return (
    <DetailPart title={t('total.diversity')}>
      <p>
        {quantity(d.diversity_score, '')}
        {d.diversity_basis !== null && (
          <span class="muted">
            {' '}
            {tWord('role', d.diversity_basis)} {d.diversity_year}
          </span>
        )}
      </p>
      {d.diversity_reason !== null && <p class="muted small">{d.diversity_reason}</p>}
      <Receipt datasets={d.datasets} />
    </DetailPart>
  );
}

interface ReceiptProps {
  readonly title?: string;
  readonly datasets: Emissions['datasets'];
}

/** The datasets that numbers come from, with versions and the share of the plot that each covers. */
function Receipt({ title, datasets }: ReceiptProps) {
  const list = (
    <ul class="evidence">
      {datasets.map((use) => {
        const share = (use as { readonly covered_share?: number }).covered_share;
        return (
          <li key={`${use.role} ${use.dataset}`}>
            <div class="evidence-head">
              <span class="evidence-name">{tWord('role', use.role)}</span>
              <a href={hrefOf('datasets', { id: use.dataset })}>{use.dataset}</a>
              <span class="muted">{use.version}</span>
              {use.synthetic && <span class="tag">{t('synthetic')}</span>}
            </div>
            {share !== undefined && (
              <p class="muted small">{t('plots.covered', { percent: formatFixed(share * 100, 1) })}</p>
            )}
          </li>
        );
      })}
    </ul>
  );
  if (title === undefined) return datasets.length === 0 ? null : list;
  return (
    <DetailPart title={title}>{datasets.length === 0 ? <p class="muted">{t('plots.noDataset')}</p> : list}</DetailPart>
  );
}

type Emissions = Answer<'fetchBiomassEmissions'>['features'][number]['properties'];
type Diversity = Answer<'fetchBiodiversity'>['features'][number]['properties'];

/** Biomass, emissions and diversity of one location. */
async function fetchMeasures(
  id: string,
  number: number,
  { start, end }: Period,
  signal: AbortSignal,
): Promise<{ readonly emissions: Emissions; readonly diversity: Diversity }> {
  // The page after the previous location: the service reads no other part of the collection for it.
  const query = {
    filename: id,
    monitoring_start: start,
    monitoring_end: end,
    limit: 1,
    ...(number === 0 ? {} : { after: `0.${number - 1}` }),
  };
  const one = async <T,>(operation: 'fetchBiomassEmissions' | 'fetchBiodiversity'): Promise<T> => {
    const response = await send(operation, { query, accept: 'application/x-ndjson', signal });
    return ((await response.json()) as { properties: T }).properties;
  };
  const [emissions, diversity] = await Promise.all([
    one<Emissions>('fetchBiomassEmissions'),
    one<Diversity>('fetchBiodiversity'),
  ]);
  return { emissions, diversity };
}
