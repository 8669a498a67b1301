import { call, type Answer } from '../../api/client.ts';
import { useLoad } from '../../parts/use-load.ts';
import { WhenLoaded } from '../../parts/when-loaded.tsx';
import { formatMoment, formatNumber, t } from '../../text/translate.ts';
import { ChangedPlots, changeCounts } from './changed-plots.tsx';
import type { Collection } from './collection.ts';
import { GroupBadge } from './plots/group-badge.tsx';
import { GROUPS } from './plots/groups.ts';

type Changes = Answer<'getCollectionChanges'>;

/** Plots that are listed; the counts are of all. */
const LISTED = 100;

/** What the last batch found otherwise than the one before; nothing where there was no batch before it. */
export function ChangesCard({ collection }: { readonly collection: Collection }) {
  const { collection_id: id, completed_at: at, earlier, stats } = collection;
  if (earlier === null || stats !== true) return null;
  return (
    <section class="card" aria-labelledby="changes-title">
      <h2 id="changes-title">{t('changes.title')}</h2>
      <Compared key={`${id} ${at}`} id={id} />
    </section>
  );
}

function Compared({ id }: { readonly id: string }) {
  const [loaded, reload] = useLoad(`changes ${id}`, (signal) =>
    call('getCollectionChanges', { path: { collection_id: id }, signal }),
  );
  return (
    <WhenLoaded loaded={loaded} onAgain={reload}>
      {(changes) => <Shown id={id} changes={changes} />}
    </WhenLoaded>
  );
}

function Shown({ id, changes: all }: { readonly id: string; readonly changes: Changes }) {
  const { before, after, counts, changes, not_measured: missing } = all;
  return (
    <>
      <p class="muted">
        {t('changes.batches', { before: formatMoment(before.completed_at), after: formatMoment(after.completed_at) })}
      </p>
      <p>{changeCounts(counts)}</p>
      {counts.only_before + counts.only_after > 0 && (
        <p>{t('changes.only', { before: counts.only_before, after: counts.only_after })}</p>
      )}
      {before.groups !== null && after.groups !== null && <Groups before={before.groups} after={after.groups} />}
      <ChangedPlots id={id} changes={changes} missing={missing} most={LISTED} />
    </>
  );
}

type Counts = NonNullable<Changes['before']['groups']>;

/** Rows by group, before and after. */
function Groups({ before, after }: { readonly before: Counts; readonly after: Counts }) {
  return (
    <table class="plain changes-groups">
      <thead>
        <tr>
          <th scope="col">{t('plots.result')}</th>
          <th scope="col" class="number">
            {t('watch.before')}
          </th>
          <th scope="col" class="number">
            {t('watch.after')}
          </th>
        </tr>
      </thead>
      <tbody>
        {GROUPS.filter((group) => before[group] + after[group] > 0).map((group) => (
          <tr key={group}>
            <th scope="row">
              <GroupBadge group={group} />
            </th>
            <td class="number">{formatNumber(before[group])}</td>
            <td class="number">{formatNumber(after[group])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
