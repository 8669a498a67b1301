import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { nameSimilarity } from './name-similarity.ts';
import { normaliseName } from './normalise-name.ts';
import { anyCharacter } from '../../../test/any-character.ts';
import { runs } from '../../../test/property-runs.ts';

describe('a name is normalised', () => {
  const table: readonly [string, string][] = [
    ['PT. Sawit Jaya Abadi, Tbk', 'palm jaya abadi'],
    ['P.T. SAWIT JAYA ABADI (Persero) Tbk.', 'palm jaya abadi'],
    ['ROMPIN PALM OIL MILL SDN. BHD.', 'rompin palm oil mill'],
    ['Pabrik Kelapa Sawit Sei Intan', 'palm oil mill sungai intan'],
    ['PKS Sg. Intan', 'palm oil mill sungai intan'],
    ['Aceites Cimarrones S.A.S.', 'oil cimarrones'],
    ['ACEITES CIMARRONES S A S', 'oil cimarrones'],
    ['Agroindustrias del Norte, S.A. de C.V.', 'agroindustry del norte'],
    ['Société Générale de Plantations SARL', 'generale de plantation'],
    ['Công ty TNHH Cao su Việt', 'cao su viet'],
    ['บริษัท ยางไทย จำกัด (มหาชน)', normaliseName('ยางไทย').join(' ')],
    ['云南橡胶有限公司', normaliseName('云南橡胶').join(' ')],
    ['ООО «Лесопром»', 'lesoprom'],
    ['Smith & Sons Co., Ltd', 'smith and sons'],
    ["Côte d'Ivoire Cacao", 'cote divoire cocoa'],
    ['Tamaco Mill II', 'tamaco mill 2'],
    ['Mill No. 02', 'mill no 2'],
    ['PT', 'pt'],
    ['Straße Łódź Øre', 'strasse lodz ore'],
  ];
  for (const [name, wanted] of table) it(name, () => assert.equal(normaliseName(name).join(' '), wanted));
});

const anyName = fc.string({ unit: anyCharacter, maxLength: 260 });
const word = fc.stringMatching(/^[a-z]{4,10}$/);
const plainName = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '));

describe('any name', () => {
  it('becomes ASCII words, and stays as it is when it is normalised again', () => {
    fc.assert(
      fc.property(anyName, (name) => {
        const words = normaliseName(name);
        assert.ok(words.every((each) => /^[a-z0-9]+$/.test(each)));
        assert.ok(words.length <= 24);
        if (/[a-z0-9]/i.test(name.slice(0, 200).normalize('NFKC'))) assert.ok(words.length > 0);
      }),
      { numRuns: runs(1_000) },
    );
    fc.assert(
      fc.property(plainName, (name) => {
        const once = normaliseName(name).join(' ');
        assert.equal(normaliseName(once).join(' '), once);
      }),
    );
  });

  it('is as like another as the other is to it, between 0 and 1', () => {
    fc.assert(
      fc.property(fc.oneof(anyName, plainName), fc.oneof(anyName, plainName), (a, b) => {
        const likeness = nameSimilarity(a, b);
        assert.ok(likeness >= 0 && likeness <= 1);
        assert.equal(nameSimilarity(b, a), likeness);
      }),
      { numRuns: runs(1_000) },
    );
  });

  const telling = plainName.filter((name) => nameSimilarity(name, name) === 1);
  const changes: readonly [string, (name: string) => string][] = [
    ['case', (name) => name.toUpperCase()],
    ['accents', (name) => name.replaceAll('a', 'á').replaceAll('o', 'õ').replaceAll('u', 'ü')],
    [
      'full-width letters',
      (name) => name.replaceAll(/[a-z]/g, (c) => String.fromCodePoint((c.codePointAt(0) ?? 0) + 0xfee0)),
    ],
    ['punctuation', (name) => `"${name.replaceAll(' ', ' - ')}".`],
    ['a legal form behind it', (name) => `${name} Sdn. Bhd.`],
    ['a legal form before it', (name) => `PT ${name}`],
    ['the order of its words', (name) => name.split(' ').toReversed().join(' ')],
    ['white space', (name) => `  ${name.replaceAll(' ', '\u00a0\t ')} `],
  ];
  for (const [what, change] of changes)
    it(`is the same whatever ${what}`, () => {
      fc.assert(fc.property(telling, (name) => assert.equal(nameSimilarity(name, change(name)), 1)));
    });
});

describe('two names', () => {
  const table: readonly [string, string, least: number, most: number][] = [
    ['PT Sawit Jaya', 'SAWIT JAYA PALM OIL MILL', 0.6, 1],
    ['AGRO PECUARIA SANTA MARIA S.A.', 'AGROPECUARIA SANTA MARIA', 0.95, 1],
    ['Rompim Palm Oil Mill', 'ROMPIN PALM OIL MILL SDN BHD', 0.85, 1],
    ['Tamaco 1', 'Tamaco 2', 0, 0.7],
    ['Sri Jelutung Palm Oil Mill', 'Sri Mawar Palm Oil Mill', 0, 0.7],
    ['Palm Oil Mill', 'Palm Oil Mill Sdn Bhd', 0, 0.5],
    ['Rompin', 'Keratong', 0, 0],
    ['Лесопром', 'Lesoprom', 1, 1],
  ];
  for (const [a, b, least, most] of table)
    it(`${a} and ${b}`, () => {
      const likeness = nameSimilarity(a, b);
      assert.ok(likeness >= least && likeness <= most, `wanted ${least} to ${most}, got ${likeness}`);
    });
});
