import { param, setParams } from '../state/address.ts';
import { t } from '../text/translate.ts';

/** Leads through a list of pages, newest first: `before` in the address says where a page begins, `next` where the one after does. */
export function Pager({ next }: { readonly next: string | null }) {
  const to = (before: string | null, text: string) => (
    <button type="button" class="button small" onClick={() => setParams({ before }, 'push')}>
      {text}
    </button>
  );
  return (
    <div class="actions pager">
      {param('before') !== null && to(null, t('pager.newest'))}
      {next !== null && to(next, t('pager.older'))}
    </div>
  );
}
