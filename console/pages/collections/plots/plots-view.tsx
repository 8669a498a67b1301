import { useCallback, useMemo, useState } from 'preact/hooks';
import type { FeatureCollection } from 'geojson';
import { send } from '../../../api/client.ts';
import { openLines } from '../../../api/open-lines.ts';
import { Reading } from '../../../parts/files/reading.tsx';
import { ResultsFrame, SideSwitch } from '../../../parts/results-frame.tsx';
import { useChosen } from '../../../parts/use-chosen.ts';
import { useOpened } from '../../../parts/use-opened.ts';
import { address } from '../../../state/address.ts';
import { t } from '../../../text/translate.ts';
import type { Collection } from '../collection.ts';
import type { Period } from '../batch/period.ts';
import { shownPeriod } from '../batch/shown-period.ts';
import { PlotDetail } from './plot-detail.tsx';
import type { PlotFeature, PlotRow } from './plot-row.ts';
import { PlotsMap } from './plots-map.tsx';
import { PlotsTable } from './plots-table.tsx';
import type { Plots } from './plots-worker.ts';
import { readPlotSelection, selectPlots, NO_PLOT_FILTER, type PlotSelection } from './select-plots.ts';
import { Chips, ClearFilters, countBy, SearchField } from '../../../parts/filter-bar.tsx';
import { ResultBadge } from './result-badge.tsx';
import { RESULT_LOOKS, RESULTS } from './result-status.ts';

/** The locations of a collection in a table and on a map, with the detail of the one that is chosen. */
export function PlotsView({ collection }: { readonly collection: Collection }) {
  const period = shownPeriod(collection);
  const key = `${collection.collection_id} ${collection.completed_at} ${period.start} ${period.end}`;
  const [plots, again] = useOpened(key, () => openPlots(collection, period));
  return plots === null ? null : <Shown plots={plots} collection={collection} period={period} onAgain={again} />;
}

function openPlots({ collection_id: id, stats }: Collection, { start, end }: Period): Plots {
  const worker = new Worker(new URL('./plots-worker.ts', import.meta.url), { type: 'module' });
  const query = { filename: id, monitoring_start: start, monitoring_end: end };
  return openLines(worker, (signal) =>
    send(stats === true ? 'fetchDeforestationCheck' : 'fetchPlots', {
      query,
      accept: 'application/x-ndjson',
      signal,
    }),
  );
}

interface ShownProps {
  readonly plots: Plots;
  readonly collection: Collection;
  readonly period: Period;
  /** Reads all of it once more. */
  readonly onAgain: () => void;
}

function Shown({ plots, collection, period, onAgain }: ShownProps) {
  const rows = plots.rows.value;
  const { query } = address.value;
  const key = ['res', 'q', 'sort'].map((name) => query.get(name)).join('\n');
  const selection = useMemo(() => readPlotSelection(query), [key]);
  const shown = useMemo(() => selectPlots(rows, selection), [rows, selection]);
  const read = useCallback((index: number) => plots.query({ type: 'detail', index }), [plots]);
  const { selected, feature, isPending, select, leave } = useChosen<PlotFeature>(plots, read);
  const [parts, setParts] = useState<FeatureCollection | null>(null);
  return (
    <ResultsFrame
      class="results plots"
      onLeave={leave}
      table={
        <PlotsTable
          rows={shown}
          isMeasured={collection.stats === true}
          selection={selection}
          selected={selected}
          onSelect={select}
        />
      }
      map={
        <PlotsMap plots={plots} rows={shown} selected={feature} parts={parts} isPending={isPending} onSelect={select} />
      }
      detail={
        feature === null ? null : (
          <PlotDetail
            key={feature.properties.location_number}
            feature={feature}
            collection={collection}
            period={period}
            onParts={setParts}
            onClose={leave}
          />
        )
      }
    >
      <div class="filters-line">
        <PlotFilters rows={rows} selection={selection} shown={shown.length} />
        <SideSwitch />
      </div>
      <Reading
        lines={plots}
        label={t('plots.reading')}
        total={collection.counts?.locations ?? null}
        onAgain={onAgain}
      />
    </ResultsFrame>
  );
}

interface PlotFiltersProps {
  readonly rows: readonly PlotRow[];
  readonly selection: PlotSelection;
  /** How many rows are left. */
  readonly shown: number;
}

/** Chooses locations by result and text; both stand in the address. */
function PlotFilters({ rows, selection: { results }, shown }: PlotFiltersProps) {
  const counts = useMemo(() => countBy(rows, ({ result }) => result), [rows]);
  return (
    <div class="filters bare" role="search" aria-label={t('plots.filter')}>
      {counts.size > 0 && (
        <Chips
          label={t('plots.result')}
          names={RESULTS.filter((result) => counts.has(result) || results.includes(result))}
          chosen={results}
          param="res"
          counts={counts}
          look={(result) => RESULT_LOOKS[result]}
          badge={(result) => <ResultBadge result={result} />}
        />
      )}
      <SearchField label={t('filter.text')} />
      <ClearFilters filter={NO_PLOT_FILTER} />
      <span class="muted small" role="status">
        {shown === rows.length
          ? t('plots.all', { count: rows.length })
          : t('plots.some', { shown, count: rows.length })}
      </span>
    </div>
  );
}
