import './collections.css';
import { NotAllowed } from '../../parts/notice.tsx';
import { param } from '../../state/address.ts';
import { may } from '../../state/session.ts';
import { t } from '../../text/translate.ts';
import { CollectionList } from './collection-list.tsx';
import { CollectionView } from './collection-view.tsx';

/** Collections: a file of plots in, its batch, and what was measured. */
export function CollectionsPage() {
  if (!may('collections')) return <NotAllowed title={t('collections.notAllowed')} text={t('collections.needsScope')} />;
  const id = param('id');
  return id === null ? <CollectionList /> : <CollectionView key={id} id={id} />;
}
