import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { FeatureCollection } from 'geojson';
import { send } from '../../../api/client.ts';
import { openLines } from '../../../api/open-lines.ts';
import { Reading } from '../../../parts/files/reading.tsx';
import { ReviewPart } from '../../../parts/reviews/review-part.tsx';
import { openReviews, type Reviews } from '../../../parts/reviews/reviews.ts';
import { inStates, readStates } from '../../../parts/reviews/reviews-of-rows.ts';
import { createMarks, markedOf } from '../../../parts/table/marks.ts';
import type { RowsQuestion } from '../../../parts/files/chosen-rows.ts';
import { ExportButtons } from '../../../parts/table/export-buttons.tsx';
import { MakeCollection, nameOfSelected, SendRows } from '../../../parts/table/send-rows.tsx';
import { fileStem } from '../save-answer.ts';
import { readGroup } from '../../../parts/table/group-rows.ts';
import { useRanked } from '../../../parts/table/use-ranks.ts';
import { MarksBar } from '../../../parts/table/marks-bar.tsx';
import { ResultsFrame } from '../../../parts/results-frame.tsx';
import { RowChoices } from '../../../parts/row-choices.tsx';
import { useChosen } from '../../../parts/use-chosen.ts';
import { useOpened } from '../../../parts/use-opened.ts';
import { address, setParams } from '../../../state/address.ts';
import { UnreadPart } from '../../../parts/unread/unread-part.tsx';
import { may } from '../../../state/session.ts';
import { language, t } from '../../../text/translate.ts';
import { checkAgain } from './check-again.ts';
import type { Collection } from '../collection.ts';
import type { Period } from '../batch/period.ts';
import { shownPeriod } from '../batch/shown-period.ts';
import { doubtText } from './doubt-text.ts';
import { doubtOf } from './doubts.ts';
import { PlotDetail } from './plot-detail.tsx';
import type { PlotFeature, PlotRow } from './plot-row.ts';
import { PlotsMap } from './plots-map.tsx';
import { PlotsTable } from './plots-table.tsx';
import type { Plots } from './plots-worker.ts';
import {
  filterPlots,
  readPlotSelection,
  NO_PLOT_FILTER,
  sortedText,
  sortPlots,
  type PlotSelection,
} from './select-plots.ts';
import { Chips, countBy } from '../../../parts/filter-bar.tsx';
import { GroupBadge } from './group-badge.tsx';
import { GROUP_LOOKS, GROUPS } from './groups.ts';

/** The locations of a collection in a table and on a map, with the detail of the one that is chosen. */
export function PlotsView({ collection }: { readonly collection: Collection }) {
  const period = shownPeriod(collection);
  const key = `${collection.collection_id} ${collection.completed_at} ${period.start} ${period.end}`;
  const [plots, again] = useOpened(key, () => openPlots(collection, period));
  const id = collection.collection_id;
  const [reviews] = useOpened(`${id} ${collection.completed_at}`, () => openReviews(id));
  return plots === null || reviews === null ? null : (
    <Shown plots={plots} reviews={reviews} collection={collection} period={period} onAgain={again} />
  );
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
  readonly reviews: Reviews;
  readonly collection: Collection;
  readonly period: Period;
  /** Reads all of it once more. */
  readonly onAgain: () => void;
}

function Shown({ plots, reviews, collection, period, onAgain }: ShownProps) {
  const rows = plots.rows.value;
  const { selection, states, found, shown, isSorting } = useShownPlots(rows, reviews);
  const marks = useMemo(createMarks, [plots]);
  useEffect(() => marks.show(shown), [marks, shown]);
  const marked = markedOf(shown, marks.marked.value);
  const read = useCallback((index: number) => plots.query({ type: 'detail', index }), [plots]);
  const { selected, feature, isPending, select, leave } = useChosen<PlotFeature>(plots, read);
  const file = (format: RowsQuestion['format'], chosen: readonly PlotRow[]): Promise<Blob> =>
    plots.query({
      type: 'export',
      format,
      indices: Uint32Array.from(chosen, ({ index }) => index),
      file: collection.file.name,
      reviews: reviews.byRow.peek(),
    }) as Promise<Blob>;
  const [parts, setParts] = useState<FeatureCollection | null>(null);
  return (
    <ResultsFrame
      class="results plots"
      onLeave={leave}
      table={
        <>
          <MarksBar marks={marks} rows={marked} reviews={reviews}>
            <ExportButtons
              count={marked.length}
              stem={`${fileStem(collection.collection_name)}-selected`}
              make={(format) => file(format, marked)}
            />
            {may('collections') && (
              <SendRows
                text={t('marks.again')}
                make={() => file('input', marked)}
                send={(rows) => checkAgain(collection, { file: rows, name: nameOfSelected(), mapping: {} })}
              />
            )}
            <MakeCollection make={() => file('input', marked)} />
          </MarksBar>
          <PlotsTable
            rows={shown}
            isSorting={isSorting}
            isMeasured={collection.stats === true}
            selection={selection}
            selected={selected}
            onSelect={select}
            marks={marks}
            reviews={reviews}
            group={readGroup(address.value.query)}
            own={plots.isComplete.value ? plots.query : null}
          />
          {plots.isComplete.value && <Unread rows={rows} collection={collection} read={read} onSelect={select} />}
        </>
      }
      map={
        <PlotsMap
          plots={plots}
          rows={found}
          measured={collection.stats === true ? collection.collection_id : null}
          selected={feature}
          parts={parts}
          isPending={isPending}
          onSelect={select}
        />
      }
      detail={
        feature === null ? null : (
          <PlotDetail
            key={feature.properties.location_number}
            feature={feature}
            collection={collection}
            period={period}
            review={<ReviewPart reviews={reviews} row={feature.properties.location_number} />}
            onParts={setParts}
            onClose={leave}
          />
        )
      }
    >
      <RowChoices
        label={t('plots.filter')}
        rows={rows}
        reviews={reviews}
        states={states}
        chips={<ResultChips rows={rows} selection={selection} />}
        filter={NO_PLOT_FILTER}
        exports={
          <ExportButtons
            count={shown.length}
            stem={fileStem(collection.collection_name)}
            make={(format) => file(format, shown)}
          />
        }
        count={
          <span class="muted small" role="status">
            {shown.length === rows.length
              ? t('plots.all', { count: rows.length })
              : t('plots.some', { shown: shown.length, count: rows.length })}
          </span>
        }
        reason={selection.why !== null && <WhyChip why={selection.why} rows={rows} />}
      />
      <Reading
        lines={plots}
        label={t('plots.reading')}
        total={collection.counts?.locations ?? null}
        onAgain={onAgain}
      />
    </ResultsFrame>
  );
}

/** The rows that the address names: found by its filters, shown in its order. */
function useShownPlots(rows: readonly PlotRow[], reviews: Reviews) {
  const { query } = address.value;
  const filterKey = ['res', 'why', 'q'].map((name) => query.get(name)).join('\n');
  const selection = useMemo(() => readPlotSelection(query), [filterKey, query.get('sort')]);
  // Apart, so that the map stays as it is when only the order changes.
  const states = useMemo(() => readStates(query), [query.get('rev')]);
  const decided = states.length === 0 ? null : reviews.byRow.value;
  const found = useMemo(
    () => inStates(filterPlots(rows, selection), states, decided ?? new Map()),
    [rows, filterKey, states, decided, language.value],
  );
  // Of all rows, so that a key of a filter needs none of its own.
  const { arranged: shown, isRanking: isSorting } = useRanked(
    { rows, textOf: sortedText(selection), first: found },
    (ranks) => sortPlots(found, selection, ranks),
    [found, selection],
  );
  return { selection, states, found, shown, isSorting };
}

interface UnreadProps {
  readonly rows: readonly PlotRow[];
  readonly collection: Collection;
  readonly read: (index: number) => Promise<unknown>;
  readonly onSelect: (index: number) => void;
}

/** The rows that could not be read; those that are corrected become a collection of their own. */
function Unread({ rows: all, collection, read, onSelect }: UnreadProps) {
  const rows = useMemo(() => all.filter(({ isUnread }) => isUnread), [all]);
  if (collection.mapping === null || !may('collections')) return null;
  return (
    <UnreadPart
      rows={rows}
      tables={collection.mapping}
      file={collection.file.name}
      hint={t('unread.asCollection')}
      detail={read}
      onSelect={onSelect}
      onCheck={(file, mapping) => checkAgain(collection, { file, name: file.name.replace(/\.[^.]*$/, ''), mapping })}
    />
  );
}

/** The reason that rows are chosen by, which takes itself away. */
function WhyChip({ why, rows }: { readonly why: string; readonly rows: readonly PlotRow[] }) {
  const count = useMemo(() => rows.filter(({ doubts }) => doubts.includes(why)).length, [rows, why]);
  const doubt = doubtOf(why, count);
  const text = doubt === null ? why : doubtText(doubt);
  return (
    <button
      type="button"
      class="chip reason"
      aria-label={t('filter.remove', { text })}
      onClick={() => setParams({ why: null })}
    >
      {text} <span aria-hidden="true">×</span>
    </button>
  );
}

interface ResultChipsProps {
  readonly rows: readonly PlotRow[];
  readonly selection: PlotSelection;
}

/** Chooses locations by result. */
function ResultChips({ rows, selection: { groups } }: ResultChipsProps) {
  const counts = useMemo(() => countBy(rows, ({ group }) => group), [rows]);
  if (counts.size === 0) return null;
  return (
    <Chips
      label={t('plots.result')}
      names={GROUPS.filter((group) => counts.has(group) || groups.includes(group))}
      chosen={groups}
      param="res"
      counts={counts}
      look={(group) => GROUP_LOOKS[group]}
      badge={(group) => <GroupBadge group={group} />}
    />
  );
}
