import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as countryCoder from '@rapideditor/country-coder';
import { countryCode, countryName } from './country-code.ts';
import { COUNTRY_ROWS } from './country-rows.ts';

const SPELLINGS: Readonly<Record<string, readonly string[]>> = {
  CI: [
    'Ivory Coast',
    "Cote d'Ivoire",
    'Côte d’Ivoire',
    'COTE D IVOIRE',
    'cote-divoire',
    'CI',
    'civ',
    '384',
    'Costa de Marfil',
  ],
  MM: ['Burma', 'Myanmar', 'MMR', 'Birmanie', 'Myanmar (Burma)'],
  VN: ['Viet Nam', 'Vietnam', 'VIETNAM', 'Việt Nam', '704'],
  LA: ['Lao PDR', 'Laos', "Lao People's Democratic Republic", 'ລາວ'],
  CD: [
    'DR Congo',
    'Democratic Republic of the Congo',
    'Congo, Democratic Republic of the',
    'Congo, Dem. Rep.',
    'DRC',
    'Congo (Kinshasa)',
    'Zaire',
  ],
  CG: ['Congo', 'Republic of the Congo', 'Congo, Rep.', 'Congo-Brazzaville'],
  BO: ['Bolivia', 'Bolivia (Plurinational State of)', 'Plurinational State of Bolivia'],
  US: ['USA', 'U.S.A.', 'United States', 'The United States of America', 'Estados Unidos'],
  GB: ['UK', 'Great Britain', 'Royaume-Uni'],
  KR: ['South Korea', 'Korea, Rep.', 'Republic of Korea', '대한민국'],
  ST: ['Sao Tome & Principe', 'São Tomé and Príncipe'],
  LC: ['St. Lucia', 'Saint Lucia', 'st lucia'],
  TR: ['Turkey', 'Türkiye', 'TURKIYE'],
  CZ: ['Czech Republic', 'Czechia', 'Česko'],
  BR: ['Brasil', 'Brazil', 'brésil'],
  TH: ['Thailand', 'ไทย'],
  XK: ['Kosovo', 'XKX'],
  AF: ['004', '4'],
};
for (const [iso2, texts] of Object.entries(SPELLINGS)) {
  test(`knows ${iso2} by ${texts.length} spellings`, () => {
    for (const text of texts) assert.equal(countryCode(text), iso2, text);
  });
}

test('every country of the producing lists is known by the spelling given there', () => {
  const listed =
    'Thailand, Vietnam, Indonesia, Malaysia, Ivory Coast, China, Ghana, Philippines, Laos, Cambodia, Myanmar, India, Bangladesh, Nepal, Bhutan, Liberia, ' +
    'Nigeria, Ecuador, Honduras, Brazil, Colombia, Venezuela, Peru, Bolivia, Panama, Nicaragua, Guatemala, Belize, Togo, Benin, Cameroon, ' +
    'Dominican Republic, El Salvador, Uganda, Ethiopia, Argentina, Costa Rica, Sri Lanka, Papua New Guinea, Paraguay, Uruguay';
  const codes = listed.split(', ').map((name) => countryCode(name));
  assert.equal(codes.includes(null), false);
  assert.equal(new Set(codes).size, codes.length);
});

test('what is no country is null', () => {
  for (const text of ['', ' ', '?', '0', '999', 'Atlantis', 'Europe', 'X', 'the'])
    assert.equal(countryCode(text), null, text);
});

test('no spelling stands for two countries, and each leads back to its own', () => {
  for (const [iso2, iso3, numeric, name, aliases] of COUNTRY_ROWS) {
    for (const text of [iso2, iso3, numeric, name, ...aliases])
      if (text !== '') assert.equal(countryCode(text), iso2, text);
    assert.equal(countryName(iso2), name);
  }
});

test('the codes are those of country-coder, English names included', () => {
  const features = countryCoder.borders.features as unknown as { properties: Record<string, string | undefined> }[];
  let seen = 0;
  for (const { properties } of features) {
    const { iso1A2, iso1A3, iso1N3, nameEn, isoStatus } = properties;
    if (iso1A2 === undefined || !['official', 'usrAssn'].includes(isoStatus ?? '') || ['EU', 'UN'].includes(iso1A2))
      continue;
    seen++;
    const row = COUNTRY_ROWS.find(([code]) => code === iso1A2);
    assert.deepEqual([row?.[0], row?.[1], row?.[2]], [iso1A2, iso1A3 ?? '', iso1N3 ?? '']);
    assert.equal(countryCode(nameEn ?? ''), iso1A2);
  }
  assert.equal(seen, COUNTRY_ROWS.length);
});
