import type { ComponentChildren } from 'preact';
import { PageLink } from '../../../parts/page-link.tsx';
import { param } from '../../../state/address.ts';
import { formatNumber } from '../../../text/translate.ts';
import { GroupBadge } from './group-badge.tsx';
import { GROUP_LOOKS, GROUPS } from './groups.ts';

type Counts = Readonly<Record<string, number>>;

/** Locations by group, as a bar and as links to the locations themselves. */
export function GroupCounts({ counts }: { readonly counts: Counts }) {
  const shown = GROUPS.filter((group) => (counts[group] ?? 0) > 0);
  const target = (res: string) => ({ id: param('id'), tab: 'plots', from: param('from'), to: param('to'), res });
  return (
    <>
      <CountBar parts={shown.map((group) => [GROUP_LOOKS[group], counts[group] ?? 0])} />
      <ul class="result-counts">
        {shown.map((group) => (
          <li key={group} data-group={group}>
            <PageLink to="collections" values={target(group)}>
              <Count of={counts[group]}>
                <GroupBadge group={group} />
              </Count>
            </PageLink>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The same in little, without links: for lists. */
export function GroupSummary({ counts }: { readonly counts: Counts }) {
  const shown = GROUPS.filter((group) => (counts[group] ?? 0) > 0);
  return (
    <div class="group-summary">
      <CountBar parts={shown.map((group) => [GROUP_LOOKS[group], counts[group] ?? 0])} />
      <ul>
        {shown.map((group) => (
          <li key={group}>
            <Count of={counts[group]}>
              <GroupBadge group={group} />
            </Count>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** How large each part is; numbers and words stand next to it. */
function CountBar({ parts }: { readonly parts: readonly (readonly [look: string, count: number])[] }) {
  return (
    <div class="result-bar" aria-hidden="true">
      {parts.map(([look, count], i) => (
        <span key={i} data-look={look} style={{ flexGrow: count }} />
      ))}
    </div>
  );
}

function Count({ of = 0, children }: { readonly of?: number | undefined; readonly children: ComponentChildren }) {
  return (
    <>
      <strong>{formatNumber(of)}</strong> {children}
    </>
  );
}
