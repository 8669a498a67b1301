import './collections.css';
import { Empty } from '../../parts/notice.tsx';
import { param } from '../../state/address.ts';
import { may } from '../../state/session.ts';
import { t } from '../../text/translate.ts';
import { CollectionList } from './collection-list.tsx';
import { CollectionView } from './collection-view.tsx';

/** Collections: a file of plots in, its batch, and what was measured. */
export function CollectionsPage() {
  if (!may('collections'))
    return (
      <div class="page">
        <Empty title={t('collections.notAllowed')}>
          <p>{t('collections.needsScope')}</p>
        </Empty>
      </div>
    );
  const id = param('id');
  return id === null ? <CollectionList /> : <CollectionView key={id} id={id} />;
}
