import { useEffect, useMemo, useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { openLines, type Lines } from '../../api/open-lines.ts';
import { focusTable, isLeaving } from '../../parts/focus.ts';
import { ErrorNotice } from '../../parts/notice.tsx';
import { Progress } from '../../parts/progress.tsx';
import { address, param, setParams } from '../../state/address.ts';
import { t } from '../../text/translate.ts';
import type { Collection } from './collection-view.tsx';
import type { Period } from './period.ts';
import { shownPeriod } from './shown-period.ts';
import { PlotDetail } from './plot-detail.tsx';
import { PlotFilters } from './plot-filters.tsx';
import type { PlotFeature, PlotRow } from './plot-row.ts';
import { PlotsMap } from './plots-map.tsx';
import { PlotsTable } from './plots-table.tsx';
import type { PlotQuestion } from './plots-worker.ts';
import { readPlotSelection, selectPlots } from './select-plots.ts';

export type Plots = Lines<PlotRow, PlotQuestion>;

/** The locations of a collection in a table and on a map, with the detail of the one that is chosen. */
export function PlotsView({ collection }: { readonly collection: Collection }) {
  const period = shownPeriod(collection);
  const [plots, setPlots] = useState<Plots | null>(null);
  const key = `${collection.collection_id} ${collection.completed_at} ${period.start} ${period.end}`;
  useEffect(() => {
    const opened = openPlots(collection, period);
    setPlots(opened);
    return () => opened.close();
  }, [key]);
  return plots === null ? null : <Shown plots={plots} collection={collection} period={period} />;
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
}

function Shown({ plots, collection, period }: ShownProps) {
  const rows = plots.rows.value;
  const { query } = address.value;
  const key = ['res', 'q', 'sort'].map((name) => query.get(name)).join('\n');
  const selection = useMemo(() => readPlotSelection(query), [key]);
  const shown = useMemo(() => selectPlots(rows, selection), [rows, selection]);
  const selected = query.get('sel') === null ? null : Number(query.get('sel'));
  const feature = useSelected(plots, selected, rows.length);
  const side = param('show') === 'map' ? 'map' : 'table';
  const select = (index: number): void => setParams({ sel: index });
  const leave = (): void => {
    setParams({ sel: null });
    focusTable();
  };
  return (
    <div
      class="results plots"
      data-side={side}
      data-detail={feature !== null}
      onKeyDown={(event) => feature !== null && isLeaving(event) && leave()}
    >
      <div class="filters-line">
        <PlotFilters rows={rows} selection={selection} shown={shown.length} />
        <div class="segmented narrow-only" role="group" aria-label={t('facilities.view')}>
          {(['table', 'map'] as const).map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={side === name}
              onClick={() => setParams({ show: name === 'map' ? name : null })}
            >
              {t(`facilities.${name}`)}
            </button>
          ))}
        </div>
      </div>
      {plots.error.value !== null && <ErrorNotice error={plots.error.value} />}
      {!plots.isComplete.value && plots.error.value === null && (
        <Progress label={t('plots.reading')} done={rows.length} total={collection.counts?.locations ?? null} />
      )}
      <div class="results-body">
        <div class="results-table">
          <PlotsTable
            rows={shown}
            isMeasured={collection.stats === true}
            selection={selection}
            selected={selected}
            onSelect={select}
          />
        </div>
        <div class="results-map">
          <PlotsMap plots={plots} rows={shown} selected={feature} onSelect={select} />
        </div>
        {feature !== null && (
          <aside class="results-detail">
            <PlotDetail
              key={feature.properties.location_number}
              feature={feature}
              collection={collection}
              period={period}
              onClose={leave}
            />
          </aside>
        )}
      </div>
    </div>
  );
}

/** The whole feature of the chosen row, once it has been read. */
function useSelected(plots: Plots, selected: number | null, rowCount: number): PlotFeature | null {
  const [feature, setFeature] = useState<PlotFeature | null>(null);
  const isThere = selected !== null && selected < rowCount;
  useEffect(() => {
    if (!isThere) return setFeature(null);
    let isCurrent = true;
    void plots
      .ask({ type: 'detail', index: selected })
      .then((found) => isCurrent && setFeature(found as PlotFeature | null));
    return () => {
      isCurrent = false;
    };
  }, [plots, selected, isThere]);
  return feature;
}
