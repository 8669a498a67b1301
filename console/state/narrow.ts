import { signal, type Signal } from '@preact/signals';

const narrow = matchMedia('(max-width: 520px)');

/** Whether the window is that of a phone. */
export const isNarrow: Signal<boolean> = signal(narrow.matches);
narrow.addEventListener('change', () => {
  isNarrow.value = narrow.matches;
});
