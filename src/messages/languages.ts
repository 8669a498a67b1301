/** The languages that the service speaks, each as BCP 47 writes it and by its own name. English comes first: it is what there is without a wish. */
const LANGUAGES = {
  en: 'English',
  es: 'Español',
  fr: 'Français',
  'pt-BR': 'Português (Brasil)',
  id: 'Bahasa Indonesia',
  de: 'Deutsch',
  vi: 'Tiếng Việt',
  th: 'ไทย',
} as const;

export type Language = keyof typeof LANGUAGES;

export const LANGUAGE_CODES = Object.keys(LANGUAGES) as readonly Language[];

const MAX_RANGES = 32;

/**
 * The language that an `Accept-Language` header likes best among ours, English where it likes none: by quality, then by the
 * order of the header. A range fits a language of the same first part, so that `de-AT` gets German and `pt` the Portuguese of
 * Brazil, which is the one there is. `*` and what cannot be read stand for English.
 */
export function acceptedLanguage(header: string | undefined): Language {
  let [best, bestQuality]: [Language, number] = ['en', 0];
  for (const item of (header ?? '').split(',', MAX_RANGES)) {
    const [range = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
    const quality = weight === undefined ? 1 : Number(weight) || 0;
    const language = range === '*' ? 'en' : languageOf(range);
    if (language !== null && quality > bestQuality) [best, bestQuality] = [language, quality];
  }
  return best;
}

/** Ours for a tag such as `pt`, `pt-BR`, `pt_BR.UTF-8` or `th-TH`; null: none. */
function languageOf(tag: string): Language | null {
  const [primary] = tag.toLowerCase().split(/[-_.@]/, 1);
  return LANGUAGE_CODES.find((code) => code.split('-', 1)[0] === primary) ?? null;
}
