import { signal, type Signal } from '@preact/signals';

const narrow = matchMedia('(max-width: 520px)');

/** Whether the window is that of a phone. */
export const isNarrow: Signal<boolean> = signal(narrow.matches);
narrow.addEventListener('change', () => {
  isNarrow.value = narrow.matches;
});

const tight = matchMedia('(max-width: 1430px)');

/** Whether a table next to a map has all of its columns only if these stand close together. */
export const isTight: Signal<boolean> = signal(tight.matches);
tight.addEventListener('change', () => {
  isTight.value = tight.matches;
});
