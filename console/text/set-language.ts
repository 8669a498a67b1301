import en from './en.json' with { type: 'json' };
import { language, LANGUAGE_CODES, texts, type Language, type Texts } from './translate.ts';

const LOADERS: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => en,
  es: async () => (await import('./es.json', { with: { type: 'json' } })).default,
  fr: async () => (await import('./fr.json', { with: { type: 'json' } })).default,
  pt: async () => (await import('./pt.json', { with: { type: 'json' } })).default,
  id: async () => (await import('./id.json', { with: { type: 'json' } })).default,
  de: async () => (await import('./de.json', { with: { type: 'json' } })).default,
  vi: async () => (await import('./vi.json', { with: { type: 'json' } })).default,
  th: async () => (await import('./th.json', { with: { type: 'json' } })).default,
};

const KEY = 'firstmile.language';

/** The language wanted: of the address, chosen before, or of the browser. */
export function wantedLanguage(): Language {
  const wishes = [new URLSearchParams(location.search).get('lang'), localStorage.getItem(KEY), ...navigator.languages];
  for (const wish of wishes) {
    const found = LANGUAGE_CODES.find((code) => code === wish?.slice(0, 2).toLowerCase());
    if (found !== undefined) return found;
  }
  return 'en';
}

export async function setLanguage(code: Language, keep = true): Promise<void> {
  texts.value = await LOADERS[code]();
  language.value = code;
  document.documentElement.lang = code;
  if (keep) localStorage.setItem(KEY, code);
}
