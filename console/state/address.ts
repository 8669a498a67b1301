import { computed, signal } from '@preact/signals';

export const PAGES = ['home', 'facilities', 'forest', 'collections', 'webhooks', 'tokens', 'datasets'] as const;
export type PageName = (typeof PAGES)[number];

/** What an address shows: a page and what is chosen on it. */
interface Address {
  readonly page: PageName;
  /** False where nothing is known by the address; `page` is then the first one. */
  readonly isKnown: boolean;
  readonly query: URLSearchParams;
}

const BASE = '/console';

/** The address as it stands; an unknown page is the first one. */
export const address = signal<Address>(read());
export const page = computed(() => address.value.page);

addEventListener('popstate', () => (address.value = read()));

function read(): Address {
  const path = location.pathname.replace(/^\/(console(\/|$))?/, '').replace(/\/$/, '');
  const found = PAGES.find((known) => known === path);
  return {
    page: found ?? 'home',
    isKnown: found !== undefined || path === '',
    query: new URLSearchParams(location.search),
  };
}

export type Change = Readonly<Record<string, string | number | null>>;

/** One value of the present address, or null. */
export function param(name: string): string | null {
  return address.value.query.get(name);
}

/** The address of a page with some values. */
export function hrefOf(to: PageName, values: Change = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== null && value !== '') query.set(name, String(value));
  return query.size === 0 ? `${BASE}/${to}` : `${BASE}/${to}?${readable(query)}`;
}

/** Shows a page; the previous one stays in the history. */
export function goTo(to: PageName, values: Change = {}): void {
  history.pushState(null, '', hrefOf(to, values));
  address.value = read();
}

/**
 * Changes values of the present page; null takes one away. A step that one would want to go back over is `push`, everything
 * else replaces the address.
 */
export function setParams(change: Change, how: 'replace' | 'push' = 'replace'): void {
  const query = new URLSearchParams(address.peek().query);
  for (const [name, value] of Object.entries(change))
    if (value === null || value === '') query.delete(name);
    else query.set(name, String(value));
  const search = query.size === 0 ? '' : `?${readable(query)}`;
  if (search === location.search && location.pathname === `${BASE}/${address.peek().page}`) return;
  const url = `${BASE}/${address.peek().page}${search}`;
  if (how === 'push') history.pushState(null, '', url);
  else history.replaceState(null, '', url);
  address.value = read();
}

/** Slashes, commas and colons may stand in a query as they are, and people read it. */
function readable(query: URLSearchParams): string {
  return query.toString().replaceAll('%2F', '/').replaceAll('%2C', ',').replaceAll('%3A', ':');
}
