import { call } from '../../api/client.ts';
import { ErrorNotice, Loading } from '../../parts/notice.tsx';
import { useLive } from '../../parts/use-live.ts';
import { goTo, param, setParams } from '../../state/address.ts';
import { formatMoment, t } from '../../text/translate.ts';
import { BatchWarnings } from './batch/batch-warnings.tsx';
import { BatchProgress } from './batch/batch-progress.tsx';
import { ConfirmDelete } from './confirm-delete.tsx';
import { Overview } from './overview.tsx';
import { PeriodForm } from './batch/period-form.tsx';
import type { Collection } from './collection.ts';
import { PlotsView } from './plots/plots-view.tsx';
import { ShedsView } from './plots/sheds-view.tsx';
import { StatusBadge } from './batch/status-badge.tsx';
import { Stopped } from './batch/stopped.tsx';

/** Milliseconds between two looks whether something was begun elsewhere; the work itself is followed as it goes. */
const LOOK_MS = 15_000;

const TABS = ['overview', 'plots', 'sheds'] as const;
type Tab = (typeof TABS)[number];

/** What belongs to one tab. */
const TAB_PARAMS = {
  sel: null,
  map: null,
  res: null,
  why: null,
  rev: null,
  group: null,
  q: null,
  sort: null,
  show: null,
  before: null,
  after: null,
  colour: null,
  year: null,
  r: null,
} as const;

/** A collection: how far it is, or what was found of its plots. */
export function CollectionView({ id }: { readonly id: string }) {
  const [loaded, reload] = useLive(
    id,
    (signal) => call('getCollection', { path: { collection_id: id }, signal }),
    () => LOOK_MS,
  );
  if (loaded.state === 'loading') return <Loading />;
  if (loaded.state === 'failed')
    return (
      <div class="page">
        <h1 class="visually-hidden">{t('nav.collections')}</h1>
        <ErrorNotice error={loaded.error} onAgain={reload}>
          <BackToList />
        </ErrorNotice>
      </div>
    );
  return <Shown collection={loaded.value} onChange={reload} />;
}

function Shown({ collection, onChange }: { readonly collection: Collection; readonly onChange: () => void }) {
  const isWorking = collection.task?.status === 'processing' || collection.status === 'processing';
  const hasResults = collection.counts !== null;
  const tabs = TABS.filter((name) => name !== 'sheds' || (collection.counts?.facilities ?? 0) > 0);
  const tab = tabs.find((name) => name === param('tab')) ?? 'overview';
  return (
    <div class="collection" data-tab={hasResults ? tab : 'overview'}>
      <Head collection={collection} isWorking={isWorking} tabs={hasResults ? tabs : []} tab={tab} />
      <BatchWarnings collectionId={collection.collection_id} />
      {isWorking && (
        <div class="page narrow working">
          <BatchProgress key={collection.task_id} collectionId={collection.collection_id} onEnd={onChange} />
        </div>
      )}
      {!isWorking && <Stopped collection={collection} onChange={onChange} />}
      {hasResults && tab === 'overview' && <Overview collection={collection} onChange={onChange} />}
      {hasResults && tab === 'plots' && <PlotsView collection={collection} />}
      {hasResults && tab === 'sheds' && <ShedsView collection={collection} />}
    </div>
  );
}

interface HeadProps {
  readonly collection: Collection;
  readonly isWorking: boolean;
  readonly tabs: readonly Tab[];
  readonly tab: Tab;
}

function Head({ collection, isWorking, tabs, tab }: HeadProps) {
  const { collection_id: id, collection_name: name, description, file } = collection;
  return (
    <header class="collection-head">
      <div class="collection-name">
        <BackToList />
        <h1>{name}</h1>
        <StatusBadge collection={collection} isWorking={isWorking} />
        <ConfirmDelete id={id} name={name} onDone={() => goTo('collections')} />
      </div>
      <p class="muted small">
        {[description, file.name, formatMoment(collection.completed_at ?? collection.created_at)]
          .filter((text) => text !== '')
          .join(' · ')}
      </p>
      {tabs.length > 0 && (
        <div class="collection-tools">
          <div class="segmented" role="group" aria-label={t('collection.parts')}>
            {tabs.map((each) => (
              <button
                key={each}
                type="button"
                aria-pressed={tab === each}
                onClick={() => setParams({ ...TAB_PARAMS, tab: each === 'overview' ? null : each }, 'push')}
              >
                {t(`collection.${each}`)}
              </button>
            ))}
          </div>
          {collection.stats === true && <PeriodForm collection={collection} />}
        </div>
      )}
    </header>
  );
}

function BackToList() {
  return (
    <button type="button" class="button small" onClick={() => goTo('collections')}>
      <span aria-hidden="true">←</span> {t('collection.all')}
    </button>
  );
}
