import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Feature, Geometry, Position } from 'geojson';
import type { Task } from '../../../clients/typescript/follow-task.ts';
import type { RowsQuestion } from '../../parts/files/chosen-rows.ts';
import { Reading } from '../../parts/files/reading.tsx';
import type { Printing } from '../../parts/print/print.tsx';
import { ReviewPart } from '../../parts/reviews/review-part.tsx';
import { openReviews, type Reviews } from '../../parts/reviews/reviews.ts';
import { inStates, readStates } from '../../parts/reviews/reviews-of-rows.ts';
import { createMarks, markedOf } from '../../parts/table/marks.ts';
import { useRanked } from '../../parts/table/use-ranks.ts';
import { ExportButtons } from '../../parts/table/export-buttons.tsx';
import { MakeCollection, SendRows } from '../../parts/table/send-rows.tsx';
import { readGroup } from '../../parts/table/group-rows.ts';
import { MarksBar } from '../../parts/table/marks-bar.tsx';
import { ResultsFrame } from '../../parts/results-frame.tsx';
import { RowChoices } from '../../parts/row-choices.tsx';
import { useChosen } from '../../parts/use-chosen.ts';
import { useOpened } from '../../parts/use-opened.ts';
import { useSettled } from '../../parts/use-settled.ts';
import { may } from '../../state/session.ts';
import { openResults, type Results } from './open-results.ts';
import { submit, type Order } from './submit.ts';
import { address, setParams } from '../../state/address.ts';
import { formatFixed, formatMoment, language, t } from '../../text/translate.ts';
import { isOpen, type ResultFeature } from './evidence.ts';
import { FacilityDetail } from './facility-detail.tsx';
import { countedGround } from './counted-ground.ts';
import { FacilityMap } from './facility-map.tsx';
import { FacilityTable } from './facility-table.tsx';
import { FileReport } from './file-report.tsx';
import { IndicatorChoice, LevelChips, WarningChoice } from './filters.tsx';
import { MissingData } from './missing-data.tsx';
import { UnreadPart } from '../../parts/unread/unread-part.tsx';
import { UnverifiedPart } from './unverified-part.tsx';
import { isUnread, type ReadTable } from '../../parts/unread/unread-rows.ts';
import { meanOf } from './mean-of.ts';
import type { ResultRow } from './result-row.ts';
import { filterRows, NO_FILTER, NO_RESULTS, readSelection, sortedText, sortRows } from './select-rows.ts';
import { call, send } from '../../api/client.ts';
import { middleOf } from '../../map/middle-of.ts';

/** The table follows every key of a filter; drawing all points again takes longer and waits for the last one. */
const SETTLED_MS = 150;
const MOST_UNSETTLED_MS = 1_000;

/** The results of a task: filters, table, map and the detail of the one that is chosen. */
export function ResultsView({ taskId, task }: { readonly taskId: string; readonly task: Task }) {
  const [results, again] = useOpened(taskId, () => openResults(task));
  const [reviews] = useOpened(taskId, () => openReviews(taskId));
  return results === null || reviews === null ? null : (
    <Shown results={results} reviews={reviews} task={task} onAgain={again} />
  );
}

interface ShownProps {
  readonly results: Results;
  readonly reviews: Reviews;
  readonly task: Task;
  /** Reads all of them once more. */
  readonly onAgain: () => void;
}

function Shown({ results, reviews, task, onAgain }: ShownProps) {
  const rows = results.rows.value;
  const { selection, states, found, shown, isSorting } = useShownRows(rows, reviews);
  const marks = useMemo(createMarks, [results]);
  useEffect(() => marks.show(shown), [marks, shown]);
  const marked = markedOf(shown, marks.marked.value);
  const onMap = useSettled(found, SETTLED_MS, MOST_UNSETTLED_MS);
  const { selected, feature, isPending, select, leave } = useChosen<ResultFeature>(results, results.detail);
  const counted = useSurroundings(feature);
  const chosen = selected === null ? [] : rows.slice(selected, selected + 1);

  return (
    <ResultsFrame
      class="results"
      onLeave={leave}
      table={
        <>
          <MarkedRows marks={marks} rows={marked} results={results} reviews={reviews} />
          <UnverifiedPart
            rows={found}
            make={(of) => inputOf(results, of)}
            order={results.order}
            onCheck={(of) => checkRows(results, of)}
          />
          <FacilityTable
            rows={shown}
            isSorting={isSorting}
            selection={selection}
            selected={selected}
            onSelect={select}
            marks={marks}
            reviews={reviews}
            group={readGroup(address.value.query)}
            own={results.isComplete.value ? results.own : null}
          />
          <Unread results={results} onSelect={select} />
          <FileReport summary={results.summary.value} />
        </>
      }
      map={
        <FacilityMap
          rows={onMap}
          extent={results.isComplete.value && !isPending ? found : null}
          selected={feature}
          counted={counted}
          onSelect={select}
        />
      }
      detail={
        feature === null ? null : (
          <FacilityDetail
            feature={feature}
            counted={counted}
            missing={may('validate') && <Missing key={selected} feature={feature} of={chosen} results={results} />}
            onClose={leave}
            printing={printingOf(reviews.id)}
          >
            <ReviewPart reviews={reviews} row={selected ?? 0} />
          </FacilityDetail>
        )
      }
    >
      <h1 class="visually-hidden">{t('facilities.results')}</h1>
      <ResultsBar results={results} reviews={reviews} task={task} shown={shown} />
      <Reading lines={results} label={t('facilities.reading')} total={task.progress.total} onAgain={onAgain} />
      <RowChoices
        label={t('filter.label')}
        rows={rows}
        reviews={reviews}
        states={states}
        chips={<LevelChips rows={rows} selection={selection} />}
        filter={NO_FILTER}
      >
        <IndicatorChoice selection={selection} />
        <WarningChoice rows={rows} selection={selection} />
      </RowChoices>
    </ResultsFrame>
  );
}

/** The rows that the address names: found by its filters, shown in its order. */
function useShownRows(rows: readonly ResultRow[], reviews: Reviews) {
  const { query } = address.value;
  const valuesOf = (names: readonly string[]): string => names.map((name) => query.get(name)).join('\n');
  const filterKey = valuesOf(['level', 'ind', 'warn', 'q']);
  const selection = useMemo(() => readSelection(query), [filterKey, query.get('sort')]);
  // Apart, so that the map stays as it is when only the order changes.
  const states = useMemo(() => readStates(query), [query.get('rev')]);
  const decided = states.length === 0 ? null : reviews.byRow.value;
  const found = useMemo(
    () => inStates(filterRows(rows, selection), states, decided ?? new Map()),
    [rows, filterKey, states, decided, language.value],
  );
  // Of all rows, so that a key of a filter needs none of its own.
  const { arranged: shown, isRanking: isSorting } = useRanked(
    { rows, textOf: sortedText(selection), first: found },
    (ranks) => sortRows(found, selection, ranks),
    [found, selection],
  );
  return { selection, states, found, shown, isSorting };
}

interface MarkedRowsProps {
  readonly marks: ReturnType<typeof createMarks>;
  readonly rows: readonly ResultRow[];
  readonly results: Results;
  readonly reviews: Reviews;
}

/** What can be done with the rows that are marked. */
function MarkedRows({ marks, rows, results, reviews }: MarkedRowsProps) {
  const file = (format: RowsQuestion['format']): Promise<Blob> => results.export(format, rows, reviews.byRow.peek());
  return (
    <MarksBar marks={marks} rows={rows} reviews={reviews}>
      <ExportButtons count={rows.length} stem="facilities-selected" make={file} />
      {may('validate') && (
        <SendRows
          text={t('marks.again')}
          make={() => file('input')}
          send={(sent) => checkAgain(sent, { ...results.order, mapping: {}, sheet: null })}
        />
      )}
      <MakeCollection make={() => file('input')} />
    </MarksBar>
  );
}

interface MissingProps {
  readonly feature: ResultFeature;
  /** Its row. */
  readonly of: readonly ResultRow[];
  readonly results: Results;
}

/** What is not known of one facility, and how to have it. */
function Missing({ feature, of, results }: MissingProps) {
  return (
    <MissingData
      make={() => inputOf(results, of)}
      order={results.order}
      open={openIndicators(feature)}
      unread={unreadIndicators(feature)}
      isOne
      onCheck={() => checkRows(results, of)}
    />
  );
}

interface ResultsBarProps extends TotalsProps {
  readonly reviews: Reviews;
}

function ResultsBar({ results, reviews, task, shown }: ResultsBarProps) {
  return (
    <div class="results-bar">
      <Totals results={results} task={task} shown={shown} />
      <div class="results-actions">
        <ExportButtons
          count={shown.length}
          stem="facilities"
          make={(format) => results.export(format, shown, reviews.byRow.peek())}
        />
        <button type="button" class="button" onClick={() => setParams(NO_RESULTS, 'push')}>
          {t('facilities.another')}
        </button>
      </div>
    </div>
  );
}

/** The results of the task are what is signed. */
function printingOf(taskId: string): Printing {
  return {
    results: `/tasks/${taskId}/results`,
    sign: () =>
      send('getTaskResults', { path: { task_id: taskId }, query: { signature: 'detached' } as never, accept: '*/*' }),
  };
}

/** The rows that could not be read, once all results are there. */
function Unread({ results, onSelect }: { readonly results: Results; readonly onSelect: (index: number) => void }) {
  const tables = (results.summary.value?.['tables'] ?? null) as readonly ReadTable[] | null;
  const all = results.rows.value;
  const rows = useMemo(() => all.filter(isUnread), [all]);
  if (tables === null || !may('validate')) return null;
  return (
    <UnreadPart
      rows={rows}
      tables={tables}
      file={results.file}
      detail={results.detail}
      onSelect={onSelect}
      onCheck={(file, mapping) => checkAgain(file, { ...results.order, mapping, sheet: null })}
    />
  );
}

/** Rows as they were sent. */
function inputOf(results: Results, rows: readonly ResultRow[]): Promise<Blob> {
  return results.export('input', rows, new Map());
}

async function checkRows(results: Results, rows: readonly ResultRow[]): Promise<void> {
  const file = new File([await inputOf(results, rows)], 'selected-rows.geojson', { type: 'application/geo+json' });
  await checkAgain(file, { ...results.order, mapping: {}, sheet: null });
}

async function checkAgain(file: File, order: Order): Promise<void> {
  const task = await submit(file, order, new AbortController().signal, () => {});
  setParams({ ...NO_RESULTS, task }, 'push');
}

function useSurroundings(feature: ResultFeature | null): readonly Feature[] {
  const [counted, setCounted] = useState<readonly Feature[]>([]);
  useEffect(() => {
    setCounted([]);
    if (feature === null) return;
    const abort = new AbortController();
    // Without them the circles are still drawn, and the evidence says what was found.
    surroundingsOf(feature, abort.signal).then(
      (found) => setCounted(countedGround(found, feature)),
      () => {},
    );
    return () => abort.abort(new Error('another facility is shown'));
  }, [feature]);
  return counted;
}

interface TotalsProps {
  readonly results: Results;
  readonly task: Task;
  /** The rows that fit the filters: how many they are and their mean are theirs, not those of all. */
  readonly shown: readonly ResultRow[];
}

function Totals({ results, task, shown }: TotalsProps) {
  const total = results.rows.value.length;
  const mean = useMemo(() => meanOf(shown), [shown]);
  return (
    <p class="totals" role="status">
      <strong>
        {shown.length === total
          ? t('totals.all', { count: total })
          : t('totals.some', { shown: shown.length, count: total })}
      </strong>
      {mean !== null && (
        <span>
          {t('totals.mean', { score: formatFixed(mean.score, 2) })}
          {mean.range !== null &&
            ` (${t('totals.range', { lowest: formatFixed(mean.range[0], 2), highest: formatFixed(mean.range[1], 2) })})`}
        </span>
      )}
      <span class="muted">{t('totals.until', { moment: formatMoment(task.expires_at) })}</span>
    </p>
  );
}

/** Longest geometry that fits into an address; a longer one is looked up by its middle. */
const MOST_CHARACTERS = 6_000;

/** What regional packs have around a facility, as far as its indicators look. Nothing for plots. */
async function surroundingsOf(feature: ResultFeature, signal: AbortSignal): Promise<readonly Feature[]> {
  const { geometry, properties } = feature;
  const middle = middleOf(geometry);
  if (geometry === null || middle === null || properties.location_type === 'plot') return [];
  const wkt = wktOf(geometry);
  const place = wkt === null || wkt.length > MOST_CHARACTERS ? `POINT(${middle.join(' ')})` : wkt;
  const commodity = properties.commodity_type;
  const answer = await call('getFacilitySurroundings', {
    query: { geometry: place, ...(commodity === null ? {} : { commodity_type: commodity }) },
    accept: 'application/geo+json',
    signal,
  });
  return answer.features as unknown as Feature[];
}

function wktOf(geometry: Geometry): string | null {
  const list = (positions: readonly Position[]): string => `(${positions.map(([x, y]) => `${x} ${y}`).join(',')})`;
  if (geometry.type === 'Point') return `POINT${list([geometry.coordinates])}`;
  if (geometry.type === 'Polygon') return `POLYGON(${geometry.coordinates.map(list).join(',')})`;
  return null;
}

/** What is not known of a place because its source could not be read. */
function unreadIndicators({ properties: { evidence = [] } }: ResultFeature): readonly string[] {
  return evidence.filter((item) => isOpen(item) && item.code === 'look_failed').map(({ indicator }) => indicator);
}

/** What is not known of a place and would change its score. */
function openIndicators({ properties: { evidence = [] } }: ResultFeature): readonly string[] {
  return evidence.filter(isOpen).map(({ indicator }) => indicator);
}
