import type { Language } from './languages.ts';

/** The sentences of a language: code -> template in ICU message syntax. */
export type Catalogue = Readonly<Record<string, string>>;

/** Every language but English, whose sentences are made where they are needed. */
const LOADERS: Readonly<Record<Exclude<Language, 'en'>, () => Promise<{ readonly default: Catalogue }>>> = {
  es: () => import('./texts/es.json', { with: { type: 'json' } }),
  fr: () => import('./texts/fr.json', { with: { type: 'json' } }),
  'pt-BR': () => import('./texts/pt-BR.json', { with: { type: 'json' } }),
  id: () => import('./texts/id.json', { with: { type: 'json' } }),
  de: () => import('./texts/de.json', { with: { type: 'json' } }),
  vi: () => import('./texts/vi.json', { with: { type: 'json' } }),
  th: () => import('./texts/th.json', { with: { type: 'json' } }),
};

/** The sentences of a language, read when it is first wanted. */
export async function catalogueOf(language: Exclude<Language, 'en'>): Promise<Catalogue> {
  return (await LOADERS[language]()).default;
}
