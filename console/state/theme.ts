import { computed, effect, signal } from '@preact/signals';

export const THEMES = ['system', 'light', 'dark'] as const;
export type ThemeChoice = (typeof THEMES)[number];

const KEY = 'firstmile.theme';
const dark = matchMedia('(prefers-color-scheme: dark)');
const systemIsDark = signal(dark.matches);
dark.addEventListener('change', () => (systemIsDark.value = dark.matches));

const kept = localStorage.getItem(KEY);
export const themeChoice = signal<ThemeChoice>(THEMES.find((theme) => theme === kept) ?? 'system');

/** Paper is light whatever the screen is. */
export const isOnPaper = signal(false);

/** What is shown. */
export const theme = computed<'light' | 'dark'>(() =>
  isOnPaper.value
    ? 'light'
    : themeChoice.value === 'system'
      ? systemIsDark.value
        ? 'dark'
        : 'light'
      : themeChoice.value,
);

effect(() => {
  document.documentElement.dataset['theme'] = theme.value;
  if (themeChoice.value === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, themeChoice.value);
});
