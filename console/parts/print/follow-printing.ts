import { isOnPaper, theme } from '../../state/theme.ts';

/** Longest that is waited for a map to be drawn again in other colours. */
const MAP_MS = 5_000;
const LOOK_MS = 50;
/** Within this a browser begins to print, also one that does not wait for it. */
const BEGIN_MS = 1_000;

/** Shows the page in light colours for as long as the browser prints it. */
export function followPrinting(): void {
  addEventListener('beforeprint', () => (isOnPaper.value = true));
  addEventListener('afterprint', () => (isOnPaper.value = false));
  // The browser takes what is drawn at that moment: a dark map has to be drawn in light colours before.
  addEventListener('keydown', (event: KeyboardEvent) => {
    if (!isPrintKey(event) || darkMap() === null) return;
    event.preventDefault();
    if (!event.repeat) void inLight(() => globalThis.print());
  });
}

/** Prints when the map is drawn in light colours too, which takes a while. */
export async function inLight(print: () => void): Promise<void> {
  const map = darkMap();
  isOnPaper.value = true;
  if (map === null) await pause();
  else await untilLight(map);
  let isBegun = false;
  addEventListener('beforeprint', () => (isBegun = true), { once: true });
  print();
  // What began ends with an event of its own.
  setTimeout(() => {
    if (!isBegun) isOnPaper.value = false;
  }, BEGIN_MS);
}

function darkMap(): HTMLElement | null {
  return theme.peek() === 'dark' ? document.querySelector<HTMLElement>('.map-canvas') : null;
}

function isPrintKey({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'p';
}

async function untilLight(map: HTMLElement): Promise<void> {
  const until = performance.now() + MAP_MS;
  while (map.dataset['idle'] !== 'light' && performance.now() < until) await pause();
}

function pause(): Promise<unknown> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}
