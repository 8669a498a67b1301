import { useEffect, useRef } from 'preact/hooks';
import { attributionText } from '../../map/attribution-text.ts';
import { setParams } from '../../state/address.ts';
import { formatMoment, formatNumber, t, tWord } from '../../text/translate.ts';
import { boxOf, healthOf, isWorld } from './dataset.ts';
import { HealthMark } from './health-mark.tsx';
import type { Dataset } from './listed-dataset.ts';

/** A dataset for people: what it is about, whose it is, of when, where, and whether it answers. Technical names come second. */
export function DatasetCard({ dataset, isChosen }: { readonly dataset: Dataset; readonly isChosen: boolean }) {
  const { id, role, kind, version, date, licence, attribution, synthetic, mapped, contract } = dataset;
  const card = useRef<HTMLLIElement>(null);
  // Whoever comes by a link has not seen it yet.
  useEffect(() => {
    if (isChosen) card.current?.scrollIntoView({ block: 'nearest' });
  }, [isChosen]);
  return (
    <li class="dataset" data-chosen={isChosen} ref={card}>
      <button
        type="button"
        class="dataset-head"
        aria-pressed={isChosen}
        onClick={() => setParams({ id: isChosen ? null : id, map: null })}
      >
        <span class="dataset-title">{tWord('role', role)}</span>
        {synthetic && <span class="tag">{t('synthetic')}</span>}
        <HealthMark state={healthOf(dataset)} />
        <span class="dataset-id">{id}</span>
      </button>
      <dl class="pairs">
        <Pair name={t('datasets.attribution')} value={attributionText(attribution)} />
        <Pair name={t('datasets.licence')} value={licence} />
        <Pair name={t('datasets.date')} value={date ?? '–'} />
        <Pair name={t('datasets.coverage')} value={coverageText(dataset)} />
        {mapped !== null && <Pair name={t('datasets.mapped')} value={mappedText(mapped)} />}
      </dl>
      {isChosen && mapped !== null && <p class="muted">{t('datasets.mappedMeans')}</p>}
      <details class="small" open={isChosen}>
        <summary>{t('error.details')}</summary>
        <dl class="pairs">
          <Pair name={t('datasets.version')} value={version} />
          <Pair name={t('datasets.kind')} value={kind} />
          {contract !== null && <Pair name={t('datasets.contract')} value={contractText(contract)} />}
          {contract?.newer != null && <Pair name={t('datasets.newer')} value={contract.newer} />}
        </dl>
      </details>
    </li>
  );
}

function Pair({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

function coverageText(dataset: Dataset): string {
  if (isWorld(dataset)) return t('datasets.world');
  const [west, south, east, north] = boxOf(dataset).map((edge) => edge.toFixed(2));
  return t('datasets.box', { west: west ?? '', south: south ?? '', east: east ?? '', north: north ?? '' });
}

/** On how much of its ground a theme is mapped; never all of it where some is missing. */
function mappedText({
  measured,
  cells,
  mapped_cells: mapped,
  cell_degrees: cell,
}: NonNullable<Dataset['mapped']>): string {
  if (!measured || cell === null) return t('datasets.notMeasured');
  if (mapped === 0) return t('datasets.mappedNowhere');
  const share = mapped === cells ? 1 : Math.min(0.99, Math.max(0.01, mapped / cells));
  return t('datasets.mappedOn', {
    percent: `${formatNumber(Math.round(share * 100))} %`,
    km: formatNumber(Math.round(cell * 111)),
  });
}

/** Whether a dataset at an address is what it should be: when it last was, since when it is not, and who answered. */
function contractText({
  state,
  held_at: heldAt,
  failing_since: since,
  mirror,
}: NonNullable<Dataset['contract']>): string {
  const day = (iso: string | null): string => (iso === null ? t('datasets.never') : formatMoment(iso));
  if (state === 'held') return t('datasets.held', { time: day(heldAt), mirror: mirror ?? '' });
  if (state === 'broken') return t('datasets.broken', { time: day(since), held: day(heldAt) });
  if (state === 'unreachable') return t('datasets.unreachable', { time: day(since), held: day(heldAt) });
  return t(state === 'unstated' ? 'datasets.unstated' : 'datasets.unchecked');
}
