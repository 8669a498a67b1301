import { call, type Answer } from '../../api/client.ts';
import { Empty } from '../../parts/notice.tsx';
import { PageLink } from '../../parts/page-link.tsx';
import { Pager } from '../../parts/pager.tsx';
import { useLive } from '../../parts/use-live.ts';
import { WhenLoaded } from '../../parts/when-loaded.tsx';
import { param } from '../../state/address.ts';
import { formatMoment, formatNumber, t } from '../../text/translate.ts';
import { Confidence } from './plots/confidence.tsx';
import { GroupSummary } from './plots/result-counts.tsx';
import { ConfirmDelete } from './confirm-delete.tsx';
import { NewCollection } from './batch/new-collection.tsx';
import { StatusBadge } from './batch/status-badge.tsx';

type Collection = Answer<'listCollections'>['collections'][number];

const A_PAGE = 20;
/** Milliseconds between two looks while a batch is at work, and while none is. */
const BUSY_MS = 4_000;
const QUIET_MS = 15_000;

/** All collections, newest first, and a place for a new one. */
export function CollectionList() {
  const before = param('before');
  const [loaded, reload] = useLive(
    `collections ${before}`,
    (signal) => call('listCollections', { query: { limit: A_PAGE, ...(before === null ? {} : { before }) }, signal }),
    ({ collections }) => (collections.some(({ status }) => status === 'processing') ? BUSY_MS : QUIET_MS),
  );
  return (
    <div class="page">
      <header class="page-head">
        <h1>{t('collections.title')}</h1>
        <p class="lead">{t('collections.lead')}</p>
      </header>
      <div class="stack">
        <NewCollection />
        <div class="card">
          <h2>{t('collections.yours')}</h2>
          <WhenLoaded loaded={loaded} onAgain={reload}>
            {({ collections, next }) =>
              collections.length === 0 ? (
                <Empty title={t('collections.none')}>
                  <p>{t('collections.noneHint')}</p>
                </Empty>
              ) : (
                <Table collections={collections} next={next} onChange={reload} />
              )
            }
          </WhenLoaded>
        </div>
      </div>
    </div>
  );
}

interface TableProps {
  readonly collections: readonly Collection[];
  readonly next: string | null;
  readonly onChange: () => void;
}

function Table({ collections, next, onChange }: TableProps) {
  return (
    <>
      <div class="scroll-x" tabIndex={0} role="region" aria-label={t('collections.yours')}>
        <table class="plain stacked">
          <thead>
            <tr>
              <th scope="col">{t('collections.name')}</th>
              <th scope="col">{t('collections.state')}</th>
              <th scope="col" class="number">
                {t('collections.locations')}
              </th>
              <th scope="col">{t('collections.result')}</th>
              <th scope="col">{t('collections.confidence')}</th>
              <th scope="col">{t('collections.created')}</th>
              <th scope="col">
                <span class="visually-hidden">{t('collections.actions')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {collections.map((collection) => (
              <Row key={collection.collection_id} collection={collection} onChange={onChange} />
            ))}
          </tbody>
        </table>
      </div>
      <Pager next={next} />
    </>
  );
}

function Row({ collection, onChange }: { readonly collection: Collection; readonly onChange: () => void }) {
  const { collection_id: id, collection_name: name, description, counts } = collection;
  return (
    <tr>
      <th scope="row">
        <PageLink to="collections" values={{ id }}>
          {name}
        </PageLink>
        {description !== '' && <div class="muted small">{description}</div>}
      </th>
      <td>
        <StatusBadge collection={collection} />
      </td>
      <td class="number" data-label={t('collections.locations')}>
        {counts === null ? '–' : formatNumber(counts.locations)}
      </td>
      <td>{counts?.groups ? <GroupSummary counts={counts.groups} /> : '–'}</td>
      <td data-label={t('collections.confidence')}>
        <Confidence value={collection.locations_confidence} />
      </td>
      <td class="moment">{formatMoment(collection.created_at)}</td>
      <td>
        <details class="row-menu">
          <summary aria-label={t('collections.more', { name })}>⋯</summary>
          <ConfirmDelete id={id} name={name} onDone={onChange} />
        </details>
      </td>
    </tr>
  );
}
