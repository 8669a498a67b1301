import { computed, signal } from '@preact/signals';
import en from './en.json' with { type: 'json' };

/** The languages of the console, each by its own name. */
export const LANGUAGES = {
  en: 'English',
  es: 'Español',
  fr: 'Français',
  pt: 'Português',
  id: 'Bahasa Indonesia',
  de: 'Deutsch',
  vi: 'Tiếng Việt',
  th: 'ไทย',
} as const;
export type Language = keyof typeof LANGUAGES;
export const LANGUAGE_CODES = Object.keys(LANGUAGES) as readonly Language[];

/** The English texts are the catalogue that the other languages are held to. */
type Key = keyof typeof en;
export type Texts = Readonly<Record<Key, string>>;

export const language = signal<Language>('en');
/** The texts of `language`; both are set by `setLanguage`. */
export const texts = signal<Texts>(en);

/**
 * A text in the present language, with `{name}` replaced by the value of that name, and `{name:plot|plots}` by a number and the
 * word that goes with it: one form where a language has no plural, else that of one and that of all others.
 */
export function t(key: Key, values: Readonly<Record<string, string | number>> = {}): string {
  return texts.value[key].replaceAll(/\{(\w+)(?::([^{}]+))?\}/g, (whole, name: string, forms?: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    const text = typeof value === 'number' ? formatNumber(value) : value;
    return forms === undefined ? text : `${text} ${formOf(Number(value), forms)}`;
  });
}

function formOf(count: number, forms: string): string {
  const [one = '', other = one] = forms.split('|');
  return plurals.value.select(count) === 'one' ? one : other;
}

/** A text that may be missing, for words that come from the service such as codes: then the word itself. */
export function tWord(prefix: string, word: string): string {
  const key = `${prefix}.${word}`;
  return Object.hasOwn(texts.value, key) ? texts.value[key as Key] : word.replaceAll('_', ' ');
}

/** Whether there is a text of this name. */
export function hasText(key: string): boolean {
  return Object.hasOwn(texts.value, key);
}

/** The `lang` of a text that the service says next to its `messages`: one without codes is in English, whatever the page is in. */
export function langOf(
  { messages }: { readonly messages?: Readonly<Record<string, unknown>> | undefined },
  name: string,
): 'en' | undefined {
  return messages?.[name] === undefined && language.value !== 'en' ? 'en' : undefined;
}

const plurals = computed(() => new Intl.PluralRules(language.value));
const numbers = computed(() => new Intl.NumberFormat(language.value, { maximumFractionDigits: 2 }));
/** Years in Thai are those of the data and of the law, too: 2026 and not 2569. */
const calendar = 'gregory';
const moments = computed(
  () => new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'short', calendar }),
);
/** Names of regions by their codes. Each is made once: sorting needs it thousands of times. */
const countries = computed(() => {
  const names = new Intl.DisplayNames(language.value, { type: 'region', fallback: 'none' });
  const made = new Map<string, string | undefined>();
  return (code: string): string | undefined => {
    if (!made.has(code)) made.set(code, names.of(code));
    return made.get(code);
  };
});
const seconds = computed(
  () => new Intl.DateTimeFormat(language.value, { dateStyle: 'medium', timeStyle: 'medium', calendar }),
);

export function formatNumber(value: number): string {
  return numbers.value.format(value);
}

/** With exactly so many decimals. */
export function formatFixed(value: number, decimals: number): string {
  return value.toLocaleString(language.value, { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** Day and time of an ISO moment. */
export function formatMoment(iso: string | null): string {
  return iso === null ? '–' : moments.value.format(new Date(iso));
}

/** A country in the present language, by its ISO code or else by its English name; that name where neither is known. */
export function countryName(code: string, english: string): string {
  if (language.value === 'en') return english;
  const known = /^[A-Z]{2}$/.test(code) ? code : codeOf(english);
  return known === undefined ? english : (countries.value(known) ?? english);
}

let codes: ReadonlyMap<string, string> | null = null;

/** The ISO code of a country by its name in the English of browsers. */
function codeOf(english: string): string | undefined {
  if (codes === null) {
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
    const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
    const pairs = letters.flatMap((first) => letters.map((second) => first + second));
    // The first of two codes of a name is the one in use.
    codes = new Map(pairs.map((pair) => [names.of(pair) ?? pair, pair] as const).toReversed());
  }
  return codes.get(english);
}

/** Day and time to the second, for what follows within seconds. */
export function formatSecond(iso: string | null): string {
  return iso === null ? '–' : seconds.value.format(new Date(iso));
}

/** Metres up to one kilometre, kilometres beyond. */
export function formatDistance(metres: number): string {
  return metres < 1_000 ? `${formatNumber(Math.round(metres))} m` : `${formatNumber(Math.round(metres / 10) / 100)} km`;
}
