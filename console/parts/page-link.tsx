import type { ComponentChildren } from 'preact';
import { type Change, goTo, hrefOf, type PageName } from '../state/address.ts';

interface PageLinkProps {
  readonly to: PageName;
  /** What the address of the page has. */
  readonly values?: Change;
  readonly isCurrent?: boolean;
  readonly children: ComponentChildren;
}

/** A link to a page of the console. */
export function PageLink({ to, values, isCurrent = false, children }: PageLinkProps) {
  return (
    <a
      href={hrefOf(to, values)}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={(event) => followLink(event, to, values)}
    >
      {children}
    </a>
  );
}

/** Follows a link without loading everything again; with a key held it is the browser's. */
export function followLink(event: MouseEvent, to: PageName, values?: Change): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  goTo(to, values);
}
