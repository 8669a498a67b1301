import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import de from '../../console/text/de.json' with { type: 'json' };
import en from '../../console/text/en.json' with { type: 'json' };
import es from '../../console/text/es.json' with { type: 'json' };
import fr from '../../console/text/fr.json' with { type: 'json' };
import id from '../../console/text/id.json' with { type: 'json' };
import pt from '../../console/text/pt.json' with { type: 'json' };
import th from '../../console/text/th.json' with { type: 'json' };
import vi from '../../console/text/vi.json' with { type: 'json' };
import { BATCH_WARNINGS } from '../../src/collections/batch-warnings.ts';
import { ERROR_STATUS } from '../../src/errors.ts';
import { WARNINGS } from '../../src/facilities/evidence/warnings.ts';
import { FOREST_WARNINGS } from '../../src/forest/warnings.ts';
import { LOCATION_WARNINGS } from '../../src/locations/warnings.ts';
import { PARCEL_WARNINGS } from '../../src/parcels/warnings.ts';
import { DATASET_ROLES } from '../../src/readers/catalogue/dataset.ts';
import { FAILURE_REASONS } from '../../src/webhooks/delivery.ts';

const LANGUAGES = { es, fr, pt, id, de, vi, th } as const;
/** Words of another variety, or another word for what is called otherwise everywhere else. */
const OTHER_WORDS: Readonly<Record<keyof typeof LANGUAGES, RegExp>> = {
  es: /\bmancha|fichero|ordenador/iu,
  fr: /établissement|courriel|ensemble de données/iu,
  pt: /ficheir|utilizador|\bregist(?:o|ar|ad[oa])|recetor|desfloresta|monitoriza[çr]|\bmoradas?\b|descarreg|\best[áã]o? a \w+r\b|\bmancha/iu,
  id: /himpunan data/iu,
  de: /Grundstück|Abholzung|\bDu\b|\bDein/u,
  vi: /tập tin|lô đất/iu,
  th: /แฟ้ม|กลุ่มข้อมูล/u,
};
const CONSOLE = join(import.meta.dirname, '../../console');

describe('the texts of the console', () => {
  for (const [code, texts] of Object.entries(LANGUAGES)) {
    it(`are complete in ${code}, with the same values in them`, () => {
      assert.deepEqual(Object.keys(texts).sort(), Object.keys(en).sort());
      for (const [key, english] of Object.entries(en)) {
        const text = texts[key as keyof typeof en];
        assert.ok(text.trim() !== '', key);
        assert.deepEqual(placeholders(text), placeholders(english), key);
      }
    });

    it(`name in ${code} one thing by one word, as the service does, in one variety of the language`, () => {
      const service = readFileSync(
        join(CONSOLE, '../src/messages/texts', `${code === 'pt' ? 'pt-BR' : code}.json`),
        'utf8',
      );
      const sentences = [...Object.values(texts), ...Object.values(JSON.parse(service) as Record<string, string>)];
      assert.deepEqual(
        sentences.filter((text) => OTHER_WORDS[code as keyof typeof LANGUAGES].test(text)),
        [],
      );
    });

    it(`are in ${code} and not left in English`, () => {
      const long = Object.entries(en).filter(([, english]) => english.split(' ').length >= 4);
      const same = long.filter(([key, english]) => texts[key as keyof typeof en] === english).map(([key]) => key);
      assert.deepEqual(same, []);
    });
  }

  it('name every code that results and errors carry', () => {
    const wanted = [
      ...[WARNINGS, LOCATION_WARNINGS, FOREST_WARNINGS, PARCEL_WARNINGS, BATCH_WARNINGS].flatMap((codes) =>
        Object.keys(codes).map((code) => `warning.${code}`),
      ),
      ...Object.keys(FAILURE_REASONS).map((code) => `reason.${code}`),
      ...Object.keys(ERROR_STATUS).map((code) => `error.${code}`),
      ...DATASET_ROLES.map((role) => `role.${role}`),
    ];
    assert.deepEqual(
      wanted.filter((key) => !Object.hasOwn(en, key)),
      [],
    );
  });

  it('are used, each of them', () => {
    const sources = walk(CONSOLE).filter((file) => /\.tsx?$/.test(file) && !file.includes('/text/'));
    const code = sources.map((file) => readFileSync(file, 'utf8')).join('\n');
    // Texts whose last part is put together at run time.
    const made = [...code.matchAll(/\b(?:t|tWord)\(\s*[`']([\w.]+)(?:\.\$\{|['`],)/g)].map((match) => `${match[1]}.`);
    const unused = Object.keys(en).filter(
      (key) => !code.includes(`'${key}'`) && !made.some((start) => key.startsWith(start)),
    );
    assert.deepEqual(unused, []);
  });
});

function placeholders(text: string): readonly string[] {
  return [...text.matchAll(/\{(\w+)(?::[^{}]+)?\}/g)].map(([, name]) => name!).sort();
}

function walk(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? walk(path) : [path];
  });
}
