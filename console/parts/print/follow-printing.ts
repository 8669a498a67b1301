import { isOnPaper, theme } from '../../state/theme.ts';

/** Longest that is waited for a map to be drawn again in other colours. */
const MAP_MS = 5_000;
const LOOK_MS = 50;

/** Shows the page in light colours for as long as the browser prints it. */
export function followPrinting(): void {
  addEventListener('beforeprint', () => (isOnPaper.value = true));
  addEventListener('afterprint', () => (isOnPaper.value = false));
}

/** Prints when the map is drawn in light colours too, which takes a while. */
export async function inLight(print: () => void): Promise<void> {
  const map = document.querySelector<HTMLElement>('.map-canvas');
  const isRedrawn = map !== null && theme.peek() === 'dark';
  if (isRedrawn) delete map.dataset['idle'];
  isOnPaper.value = true;
  if (isRedrawn) await untilIdle(map);
  else await pause();
  print();
  isOnPaper.value = false;
}

async function untilIdle(map: HTMLElement): Promise<void> {
  const until = performance.now() + MAP_MS;
  while (map.dataset['idle'] === undefined && performance.now() < until) await pause();
}

function pause(): Promise<unknown> {
  return new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}
