import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser';
import { catalogueOf } from './catalogue.ts';
import { parseTemplate } from './format-message.ts';
import { LANGUAGE_CODES, type Language } from './languages.ts';

type Other = Exclude<Language, 'en'>;
const OTHERS = LANGUAGE_CODES.filter((code): code is Other => code !== 'en');
const catalogues = new Map<Other, Awaited<ReturnType<typeof catalogueOf>>>();
let spanish: Awaited<ReturnType<typeof catalogueOf>>;
before(async () => {
  for (const code of OTHERS) catalogues.set(code, await catalogueOf(code));
  spanish = catalogues.get('es')!;
});

/** What fills the blanks of a template, and the plurals in it with their forms. */
function contentOf(elements: readonly MessageFormatElement[], names = new Set<string>(), plurals: string[][] = []) {
  for (const element of elements) {
    if (element.type === TYPE.argument) names.add(element.value);
    if (element.type === TYPE.select || element.type === TYPE.plural) {
      names.add(element.value);
      if (element.type === TYPE.plural) plurals.push(Object.keys(element.options));
      for (const { value } of Object.values(element.options)) contentOf(value, names, plurals);
    }
  }
  return { names, plurals };
}

describe('the sentences of the other languages', () => {
  it('are one file for each language', () => {
    const files = readdirSync(join(import.meta.dirname, 'texts')).sort();
    assert.deepEqual(files, OTHERS.map((code) => `${code}.json`).sort());
  });

  for (const code of OTHERS) {
    const own = () => catalogues.get(code)!;
    it(`are the same in ${code} as in Spanish, with the same blanks`, () => {
      assert.deepEqual(Object.keys(own()), Object.keys(spanish));
      const differing = Object.keys(spanish).filter((key) => {
        const [here, there] = [own(), spanish].map((one) => [...contentOf(parseTemplate(one[key]!)).names].sort());
        return JSON.stringify(here) !== JSON.stringify(there);
      });
      assert.deepEqual(differing, []);
    });

    it(`have every plural form that ${code} has`, () => {
      const forms = new Intl.PluralRules(code).resolvedOptions().pluralCategories;
      const lacking = Object.entries(own()).flatMap(([key, template]) =>
        contentOf(parseTemplate(template)).plurals.some((options) => forms.some((form) => !options.includes(form)))
          ? [key]
          : [],
      );
      assert.deepEqual(lacking, []);
    });

    it(`have no doubled blank or stop in ${code}`, () => {
      const wrong = Object.entries(own()).filter(([, template]) => /  |\.\.(?!\.)|^ | $/.test(template));
      assert.deepEqual(wrong, []);
    });
  }

  it('stand in order, so that a change shows where it belongs', () => {
    const keys = Object.keys(JSON.parse(readFileSync(join(import.meta.dirname, 'texts/de.json'), 'utf8')));
    assert.deepEqual(keys, keys.toSorted());
  });
});
