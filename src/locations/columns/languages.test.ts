import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assert as assertProperty, constantFrom, double, property } from 'fast-check';
import { runs } from '../../../test/property-runs.ts';
import { normalizedFile } from '../../../test/normalized-table.ts';
import { parseCoordinate } from '../values/parse-coordinate.ts';
import { parseNumber } from '../values/parse-number.ts';
import { HEADINGS_BY_LANGUAGE } from './headings-by-language.ts';
import { foldName } from './header.ts';

/** A row as it is read: producer, place, commodity, country, hectares, longitude and latitude. */
type Read = readonly [
  producer: string | null,
  commodity: string | null,
  country: string | null,
  hectares: number | null,
  at: readonly number[] | null,
];

async function read(bytes: string | Uint8Array): Promise<readonly Read[]> {
  const { locations } = await normalizedFile(bytes);
  return locations.map(({ geometry, properties }) => [
    properties.supplier_name,
    properties.commodity_type,
    properties.country_code,
    properties.area_ha,
    (geometry as { coordinates: readonly number[] } | null)?.coordinates ?? null,
  ]);
}

/** Files as they come from each language, in UTF-8. All plots lie in Ghana. */
const FILES: Readonly<Record<string, readonly [file: string, rows: readonly Read[]]>> = {
  'German, with a title, semicolons, decimal commas and O for east': [
    'Parzellenliste Kakao 2025;;;;;;\r\n' +
      'Parzellen-Nr.;Name des Erzeugers;Geografische Breite;Geografische Länge;Fläche (ha);Herkunftsland;Rohstoff\r\n' +
      'P-1;Müller & Söhne;6,712345;-1,523456;1,5;Ghana;Kakao\r\n' +
      'P-2;Genossenschaft Süd;6° 43\' 20,4" N;0° 31\' 24,4" O;1.250,5;Ghana;Kakao\r\n',
    [
      ['Müller & Söhne', 'cocoa', 'GH', 1.5, [-1.523456, 6.712345]],
      ['Genossenschaft Süd', 'cocoa', 'GH', 1250.5, [0.523444, 6.722333]],
    ],
  ],
  'Italian, with a byte order mark': [
    '\ufeffCodice appezzamento;Nome del produttore;Latitudine;Longitudine;Superficie in ettari;Paese di produzione;Coltura\n' +
      'A1;Società Agricola Bianchi;6,712345;-1,523456;2,25;Ghana;Cacao\n' +
      'A2;Fratelli Rossi;6,722345;-1,533456;0,8;Ghana;Caffè\n',
    [
      ['Società Agricola Bianchi', 'cocoa', 'GH', 2.25, [-1.523456, 6.712345]],
      ['Fratelli Rossi', 'coffee', 'GH', 0.8, [-1.533456, 6.722345]],
    ],
  ],
  'Dutch, with Z for south and O for east': [
    'Perceelnummer\tNaam teler\tBreedtegraad\tLengtegraad\tOppervlakte (ha)\tLand\tGewas\n' +
      "12\tDe Vries\t6° 42' N\t1° 30' O\t3,4\tGhana\tKoffie\n13\tJansen\t6° 42' Z\t1° 30' W\t1,1\tGhana\tPalmolie\n",
    [
      ['De Vries', 'coffee', 'GH', 3.4, [1.5, 6.7]],
      ['Jansen', 'palm', 'GH', 1.1, [-1.5, -6.7]],
    ],
  ],
  'Japanese, in full-width digits': [
    '圃場ＩＤ,生産者名,緯度,経度,栽培面積（ha）,国名,品目\n' +
      'Ｂ－０１,アベナ農園,６．７１２３４５,－１．５２３４５６,１．５,ガーナ,カカオ豆\n' +
      'Ｂ－０２,ｸﾜｼ農園,北緯6度43分30秒,西経1度31分30秒,2.25,ガーナ,コーヒー\n',
    [
      ['アベナ農園', 'cocoa', 'GH', 1.5, [-1.523456, 6.712345]],
      ['ｸﾜｼ農園', 'coffee', 'GH', 2.25, [-1.525, 6.725]],
    ],
  ],
  'simplified Chinese, in mu': [
    '地块编号,农户姓名,农户电话,纬度,经度,面积（亩）,国家,作物\nP01,陈伟,024-111,6.712345,-1.523456,30,加纳,橡胶\nP02,林芳,024-112,6.722345,-1.533456,45,加纳,可可\n',
    [
      ['陈伟', 'rubber', 'GH', 2, [-1.523456, 6.712345]],
      ['林芳', 'cocoa', 'GH', 3, [-1.533456, 6.722345]],
    ],
  ],
  'traditional Chinese, with both coordinates in one cell, longitude first as the heading says': [
    '地塊編號,農戶姓名,經度緯度,面積（公頃）,國家,作物\nP01,陳偉,"-1.523456，6.712345",2.5,迦納,橡膠\nP02,林芳,"-1.533456，6.722345",1.5,迦納,咖啡\n',
    [
      ['陳偉', 'rubber', 'GH', 2.5, [-1.523456, 6.712345]],
      ['林芳', 'coffee', 'GH', 1.5, [-1.533456, 6.722345]],
    ],
  ],
  'Arabic, from right to left, with its own digits, decimal signs and marks of direction': [
    '\u200fرقم القطعة\u200f;اسم المزارع;خطّ العرض;خط الطول;المساحة (هكتار);البلد;المحصول\n' +
      'ق-١;كوفي مينساه;٦٫٧١٢٣٤٥;-١٫٥٢٣٤٥٦;١٫٥;غانا;الكاكاو\n' +
      'ق-٢;أما سيرواه;٦٫٧٢٢٣٤٥ شمالا;١٫٥٣٣٤٥٦ غربا;٢٫٢٥;غانا;القهوة\n',
    [
      ['كوفي مينساه', 'cocoa', 'GH', 1.5, [-1.523456, 6.712345]],
      ['أما سيرواه', 'coffee', 'GH', 2.25, [-1.533456, 6.722345]],
    ],
  ],
};

/** Files as older programs of each language save them; the bytes are those of CPython's codecs. */
const ENCODED: readonly (readonly [encoding: string, bytes: string, rows: readonly Read[]])[] = [
  [
    'shift_jis',
    'ld6P6klELJC2jlmO0pa8LIjck3gsjG+TeCyWypDPgWloYYFqLI2RLJVpltoNCkItMDEsg0GDeINplF+JgCw2LjcxMjM0NSwtMS41MjM0NTYsMS41LINLgVuDaSyDSoNKg0kNCkItMDIsg06Dj4NWlF+JgCw2LjcyMjM0NSwtMS41MzM0NTYsMi4yNSyDS4Fbg2ksg0qDSoNJDQpCLTAzLIOBg5ODVJRfiYAsNi43MzIzNDUsLTEuNTQzNDU2LDAuOCyDS4Fbg2ksg0qDSoNJDQo=',
    [
      ['アベナ農園', 'cocoa', 'GH', 1.5, [-1.523456, 6.712345]],
      ['クワシ農園', 'cocoa', 'GH', 2.25, [-1.533456, 6.722345]],
      ['メンサ農園', 'cocoa', 'GH', 0.8, [-1.543456, 6.732345]],
    ],
  ],
  [
    'gb18030',
    'tdi/6bHgusUsxam7p9DVw/sszrO2yCy+rbbILMPmu/2jqMS2o6ksufq80izX987vDQpQMDEss8LOsCwwLjUxMjM0NSwxMDEuNDEyMzQ1LDMwLNOhtsjE4c730ccsz/C9ug0KUDAyLMHWt7wsMC41MjIzNDUsMTAxLjQyMjM0NSw0NSzTobbIxOHO99HHLM/wvboNClAwMyy7xse/LDAuNTMyMzQ1LDEwMS40MzIzNDUsMTUs06G2yMThzvfRxyzP8L26DQo=',
    [
      ['陈伟', 'rubber', 'ID', 2, [101.412345, 0.512345]],
      ['林芳', 'rubber', 'ID', 3, [101.422345, 0.522345]],
      ['黄强', 'rubber', 'ID', 1, [101.432345, 0.532345]],
    ],
  ],
  [
    'big5',
    'pmG29L1zuLksuUGk4altplcsvW6r1yy4Z6vXLK2xv24opL2zvCkssOquYSynQKqrDQpQMDEss6+wtiwwLjUxMjM0NSwxMDEuNDEyMzQ1LDIuNSymTKWnLL7zvaYNClAwMiyqTKraLDAuNTIyMzQ1LDEwMS40MjIzNDUsMS41LKZMpacsvvO9pg0K',
    [
      ['陳偉', 'rubber', 'ID', 2.5, [101.412345, 0.512345]],
      ['林芳', 'rubber', 'ID', 1.5, [101.422345, 0.522345]],
    ],
  ],
  [
    'windows-1256',
    '0d7jIMfh3tjayTvH0+Mgx+Hj0sfR2jvO2CDH4drR1jvO2CDH4djm4TvH4ePTx83JICjl38rH0Sk7x+HI4c87x+HjzdXm4Q0K3i0xO9/m3e0g4+3k08flOzYsNzEyMzQ1Oy0xLDUyMzQ1NjsxLDU728fkxzvfx9/H5g0K3i0yO8PjxyDT7dHmx+U7Niw3MjIzNDU7LTEsNTMzNDU2OzIsMjU728fkxzvfx9/H5g0K3i0zO+3H5iDI5sfK7eTbOzYsNzMyMzQ1Oy0xLDU0MzQ1NjswLDg728fkxzvfx9/H5g0K',
    [
      ['كوفي مينساه', 'cocoa', 'GH', 1.5, [-1.523456, 6.712345]],
      ['أما سيرواه', 'cocoa', 'GH', 2.25, [-1.533456, 6.722345]],
      ['ياو بواتينغ', 'cocoa', 'GH', 0.8, [-1.543456, 6.732345]],
    ],
  ],
  [
    'windows-1252',
    'UGFyemVsbGVuLU5yLjtFcnpldWdlcjtCcmVpdGU7TORuZ2U7RmzkY2hlIGluIGhhO0xhbmQ7Um9oc3RvZmYNClAxO038bGxlciAmIFP2aG5lOzYsNzEyMzQ1Oy0xLDUyMzQ1NjsxLDU7RWxmZW5iZWlua/xzdGU7S2FrYW8NCg==',
    [['Müller & Söhne', 'cocoa', 'CI', 1.5, [-1.523456, 6.712345]]],
  ],
];

const rounded = (rows: readonly Read[]): readonly Read[] =>
  rows.map(([producer, commodity, country, hectares, at]) => [
    producer,
    commodity,
    country,
    hectares,
    at?.map((degrees) => Math.round(degrees * 1e6) / 1e6) ?? null,
  ]);

describe('files in six more languages', () => {
  for (const [language, [file, rows]] of Object.entries(FILES))
    it(`are read in ${language}`, async () => {
      assert.deepEqual(rounded(await read(file)), rows);
    });

  for (const [encoding, bytes, rows] of ENCODED)
    it(`are read in ${encoding}`, async () => {
      assert.deepEqual(rounded(await read(Buffer.from(bytes, 'base64'))), rows);
    });

  it('keep an O that stands for west in Spanish and French, and follow the heading in German', () => {
    assert.equal(parseCoordinate("75° 30' O")?.value, -75.5);
    assert.equal(parseCoordinate("75° 30' O", 'germanic')?.value, 75.5);
  });

  it('take a heading that ends with a trait of a producer for no name', async () => {
    const { summary } = await normalizedFile('农户电话,纬度,经度,供应商地址\n024-1,6.7,-1.5,阿克拉\n');
    assert.deepEqual(
      summary.tables[0]!.columns.map(({ field }) => field),
      [null, 'latitude', 'longitude', 'address'],
    );
  });

  it('have no heading that is empty once folded', () => {
    for (const [field, headings] of Object.entries(HEADINGS_BY_LANGUAGE))
      for (const heading of headings) assert.notEqual(foldName(heading), '', `${field}: ${JSON.stringify(heading)}`);
  });
});

describe('numbers in the digits of other scripts', () => {
  const SCRIPTS = ['٠١٢٣٤٥٦٧٨٩', '۰۱۲۳۴۵۶۷۸۹', '०१२३४५६७८९', '০১২৩৪৫৬৭৮৯', '๐๑๒๓๔๕๖๗๘๙', '０１２３４５６７８９'].map(
    (digits) => [...digits],
  );

  it('are the numbers that ASCII digits write', () => {
    assertProperty(
      property(double({ min: -180, max: 180, noNaN: true }), constantFrom(...SCRIPTS), (number, digits) => {
        const plain = number.toFixed(6);
        const written = plain.replaceAll(/\d/g, (digit) => digits[Number(digit)]!);
        assert.equal(parseNumber(written)?.value, Number(plain));
        assert.equal(parseCoordinate(written)?.value, Number(plain));
        assert.equal(parseNumber(written.replace('.', '٫'))?.value, Number(plain));
      }),
      { numRuns: runs(300) },
    );
  });
});
