import { catalogueOf, type Catalogue } from './catalogue.ts';
import { formatMessage, MissingParam, unitOf, type Writer } from './format-message.ts';
import type { Language } from './languages.ts';
import { inLanguage } from './recognised/in-language.ts';
import { countryOf } from './recognised/kinds.ts';
import { recogniseReason } from './recognised/recognise.ts';
import type { Param, Params } from './said.ts';

/** Says in one language what a code with parameters means; null where the language does not know it. */
export interface Translator {
  readonly language: Language;
  readonly say: (code: string, params?: Params) => string | null;
}

/** Made once: the formats of `Intl` take longer than most answers. */
const made = new Map<Language, Translator>();

/** The translator of a language; null for English, in which everything is written already. */
export async function translatorFor(language: Language): Promise<Translator | null> {
  if (language === 'en') return null;
  const catalogue = await catalogueOf(language);
  const translator = made.get(language) ?? createTranslator(language, catalogue);
  made.set(language, translator);
  return translator;
}

/** Blanks that are filled with words of ours which have no code. */
const IN_WORDS: ReadonlySet<string> = new Set(['reason', 'detail', 'finding', 'fault']);

/** Blanks that are filled with names of countries. */
const COUNTRIES: ReadonlySet<string> = new Set(['stated', 'found', 'country', 'neighbours', 'place', 'claims']);

/** What stands in their place. */
const PLACES: Readonly<Record<string, string>> = {
  'no country': 'place.no_country',
  'A place on the high seas': 'place.on_high_seas',
};

/** A translator over sentences that are there. */
function createTranslator(language: Language, catalogue: Catalogue): Translator {
  const writer = createWriter(language, say);
  return { language, say };

  function say(code: string, params: Params = {}): string | null {
    if (code.startsWith('country.')) return writer.value('country', { code, message: '' });
    const template = Object.hasOwn(catalogue, code) ? catalogue[code] : undefined;
    if (template === undefined) return null;
    try {
      return formatMessage(template, params, writer);
    } catch (error) {
      if (error instanceof MissingParam) return null;
      throw error;
    }
  }
}

/** Numbers, lists and names as the language writes them, by Intl. */
function createWriter(language: Language, say: Translator['say']): Writer {
  const plurals = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 4 });
  const twoDecimals = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const percents = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 });
  const wholePercents = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 });
  const metres = new Intl.NumberFormat(language, { style: 'unit', unit: 'meter', maximumFractionDigits: 0 });
  const kilometres = new Intl.NumberFormat(language, { style: 'unit', unit: 'kilometer', maximumFractionDigits: 0 });
  const countries = new Intl.DisplayNames(language, { type: 'region' });
  const and = new Intl.ListFormat(language, { type: 'conjunction' });
  const list = new Intl.ListFormat(language, { type: 'unit', style: 'short' });
  /** Thai ends its sentences with none. */
  const stop = language === 'th' ? '' : '.';

  function number(name: string, value: number): string {
    switch (unitOf(name)) {
      case 'metres':
        return value < 10_000 ? metres.format(value) : kilometres.format(value / 1_000);
      case 'share':
        if (value < 0.001) return `< ${percents.format(0.001)}`;
        return (value < 0.1 ? percents : wholePercents).format(value);
      case 'two decimals':
        return twoDecimals.format(value);
      case 'plain':
        return String(value);
      case null:
        return numbers.format(value);
    }
  }

  function write(name: string, value: Param): string {
    if (typeof value === 'number') return number(name, value);
    // Words of a closed list, such as `plot` or `latitude`.
    if (typeof value === 'string') return say(`term.${name}.${value}`) ?? inWords(name, value);
    if ('code' in value) {
      const { code, params, message } = value;
      if (code.startsWith('country.')) return countries.of(code.slice('country.'.length)) ?? message;
      return say(code, params) ?? message;
    }
    const items = (value as readonly (string | Extract<Param, { code: string }>)[]).map((item) => write('', item));
    if (name.endsWith('_text')) return items.join(' ');
    return (name.endsWith('_list') ? list : and).format(items);
  }

  /** A text that fills a blank: names of countries and waters, and sentences, come in English. */
  function inWords(name: string, text: string): string {
    if (IN_WORDS.has(name)) return recognised(text);
    if (COUNTRIES.has(name)) return PLACES[text] === undefined ? countriesIn(text) : (say(PLACES[text]) ?? text);
    if (name === 'water') return and.format(text.split(' and ').map((water) => say(`term.water.${water}`) ?? water));
    return text;
  }

  function countriesIn(text: string): string {
    const found = text.split(' and ').map(countryOf);
    return found.every((one) => one !== null) ? and.format(found.map((one) => write('', one))) : text;
  }

  /** Why something is so, and sentences within others, which come as English texts. */
  function recognised(text: string): string {
    const reason = recogniseReason(text);
    if (typeof reason === 'string') return inLanguage(text, { say });
    const said = write('', reason);
    return text.endsWith('.') && !/[.!?]$/.test(said) ? `${said}${stop}` : said;
  }

  return { plural: (value) => plurals.select(value), value: write };
}
