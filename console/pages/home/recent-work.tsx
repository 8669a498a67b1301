import { call, type Answer } from '../../api/client.ts';
import { Empty } from '../../parts/notice.tsx';
import { useLive } from '../../parts/use-live.ts';
import { WhenLoaded } from '../../parts/when-loaded.tsx';
import { goTo, hrefOf, type Change, type PageName } from '../../state/address.ts';
import { may } from '../../state/session.ts';
import { gapOf } from '../collections/collection.ts';
import { formatMoment, formatNumber, t, tWord } from '../../text/translate.ts';

/** A file that was checked, or became a collection. */
interface Work {
  readonly id: string;
  readonly page: PageName;
  readonly query: Change;
  readonly file: string;
  readonly commodity: string | null;
  readonly at: string;
  readonly status: 'completed' | 'processing' | 'failed' | 'cancelled' | 'staged';
  /** What became of it: words and how many. */
  readonly result: readonly (readonly [word: string, count: number])[];
  /** What is left open, in words: then it is no plain success. Null: nothing. */
  readonly gap: string | null;
}

type Task = Answer<'listTasks'>['tasks'][number];
type Collection = Answer<'listCollections'>['collections'][number];

const KINDS = new Set(['validate_locations', 'validate_facilities']);
const SHOWN = 10;
/** Milliseconds between two looks while something is at work, and while nothing is. */
const BUSY_MS = 3_000;
const QUIET_MS = 15_000;

/** The files of the last days, newest first: name, commodity and result of each. `only` leaves collections out. */
export function RecentWork({ only = 'all' }: { readonly only?: 'all' | 'checks' }) {
  const [loaded, reload] = useLive(
    `recent ${only}`,
    (signal) => load(only, signal),
    (works) => (works.some(({ status }) => status === 'processing') ? BUSY_MS : QUIET_MS),
  );
  return (
    <section class="recent" aria-labelledby="recent-title">
      <h2 id="recent-title">{t('recent.title')}</h2>
      <WhenLoaded loaded={loaded} onAgain={reload}>
        {(works) =>
          works.length === 0 ? (
            <Empty title={t('recent.none')}>
              <p>{t('recent.noneHint')}</p>
            </Empty>
          ) : (
            <ul class="list recent-list">
              {works.map((work) => (
                <Item key={work.id} work={work} />
              ))}
            </ul>
          )
        }
      </WhenLoaded>
    </section>
  );
}

function Item({ work: { page, query, file, commodity, at, status, result, gap } }: { readonly work: Work }) {
  const mark =
    status === 'completed' ? 'present' : status === 'processing' || status === 'staged' ? 'unknown' : 'absent';
  return (
    <li>
      <a
        href={hrefOf(page, query)}
        onClick={(event) => {
          event.preventDefault();
          goTo(page, query);
        }}
      >
        {file === '' ? t('recent.pasted') : file}
      </a>
      {commodity !== null && <span class="tag">{tWord('commodity', commodity)}</span>}
      {status === 'completed' && result.length > 0 ? (
        <span class="recent-result">{result.map(([word, count]) => `${word} ${formatNumber(count)}`).join(' · ')}</span>
      ) : (
        <span class="status" data-status={mark}>
          {t(status === 'staged' ? 'recent.staged' : `task.${status}`)}
        </span>
      )}
      {status === 'completed' && gap !== null && (
        <span class="status" data-status="unknown">
          {gap}
        </span>
      )}
      <span class="muted">{formatMoment(at)}</span>
    </li>
  );
}

async function load(only: 'all' | 'checks', signal: AbortSignal): Promise<readonly Work[]> {
  const [tasks, collections] = await Promise.all([
    may('validate') ? call('listTasks', { query: { limit: 50 }, signal }) : null,
    only === 'all' && may('collections') ? call('listCollections', { query: { limit: SHOWN }, signal }) : null,
  ]);
  const works = [
    ...(tasks?.tasks.filter(({ kind }) => KINDS.has(kind)).map(workOfTask) ?? []),
    ...(collections?.collections.map(workOfCollection) ?? []),
  ];
  return works.toSorted((a, b) => (a.at < b.at ? 1 : -1)).slice(0, SHOWN);
}

function workOfTask({ task_id: id, file, commodity, created_at: at, status, outcome }: Task): Work {
  const notProcessed = outcome?.not_processed ?? 0;
  return {
    id,
    page: 'facilities',
    query: { task: id },
    file: file ?? '',
    commodity,
    at,
    status,
    result: [
      ...groupsOf(outcome?.facilities, (level) => level),
      ...groupsOf(outcome?.plots, (level) => `${level} (${t('type.plot')})`),
    ],
    gap: notProcessed > 0 ? `${formatNumber(notProcessed)} ${t('recent.notProcessed')}` : null,
  };
}

function groupsOf(
  counts: Readonly<Record<string, number>> = {},
  wordOf: (level: string) => string,
  words = 'level',
): Work['result'] {
  return Object.entries(counts).flatMap(([name, count]) => (count === 0 ? [] : [[wordOf(tWord(words, name)), count]]));
}

function workOfCollection(collection: Collection): Work {
  const { collection_id: id, file, collection_name: name, crop_type: commodity, created_at: at, counts } = collection;
  return {
    id,
    page: 'collections',
    query: { id },
    file: name === '' ? file.name : name,
    commodity,
    at,
    status: collection.status,
    result: counts === null ? [] : groupsOf(counts.groups ?? {}, (group) => group, 'plotGroup'),
    gap: gapInWords(collection),
  };
}

function gapInWords(collection: Collection): string | null {
  const gap = gapOf(collection);
  if (gap === null) return null;
  return gap.name === 'unmeasured' ? t('recent.nothing') : `${formatNumber(gap.count)} ${t(`recent.${gap.name}`)}`;
}
