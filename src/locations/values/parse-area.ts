import { parseNumber, parsePlainNumber, type DecimalSign } from './parse-number.ts';
import { plainCharacters } from './plain-characters.ts';

export interface AreaUnit {
  readonly name: string;
  readonly hectares: number;
  /** The unit is another in other places. */
  readonly local?: true;
}

interface ParsedArea {
  readonly hectares: number;
  readonly unit: AreaUnit;
  readonly ambiguous: boolean;
}

const HECTARE: AreaUnit = { name: 'hectare', hectares: 1 };
/** Folded spellings of units. Sources: NIST SP 811 (acre of the international foot); Thai Weights and Measures Act (rai 1,600 m2). */
const UNITS: readonly (readonly [spellings: readonly string[], unit: AreaUnit])[] = [
  [
    [
      'ha',
      'has',
      'hectare',
      'hectares',
      'hectarea',
      'hectareas',
      'hektar',
      'hec',
      'hect',
      'hécta',
      'heta',
      'เฮกตาร',
      'hektare',
      'ettaro',
      'ettari',
      'hectaren',
      'ヘクタール',
      '公顷',
      '公頃',
      'هكتار',
      'الهكتار',
      'بالهكتار',
      'هكتارات',
    ],
    HECTARE,
  ],
  [['ac', 'acre', 'acres'], { name: 'acre', hectares: 0.40468564224 }],
  [
    [
      'm2',
      'm²',
      'sqm',
      'sq m',
      'square metre',
      'square metres',
      'square meter',
      'square meters',
      'metros cuadrados',
      'metros quadrados',
      'metre carre',
      'metres carres',
      'meter persegi',
      'met vuong',
      'ตารางเมตร',
      'quadratmeter',
      'qm',
      'metri quadrati',
      'mq',
      'vierkante meter',
      '平方メートル',
      '平米',
      '平方米',
      '平方公尺',
      'متر مربع',
    ],
    { name: 'square metre', hectares: 0.0001 },
  ],
  [
    ['km2', 'km²', 'sqkm', 'sq km', 'square kilometre', 'square kilometres'],
    { name: 'square kilometre', hectares: 100 },
  ],
  [['rai', 'ไร'], { name: 'rai', hectares: 0.16 }],
  [['sao'], { name: 'sao', hectares: 0.036, local: true }],
  [['mau'], { name: 'mau', hectares: 0.36, local: true }],
  [['are', 'ares', 'アール'], { name: 'are', hectares: 0.01 }],
  [['町', '町歩'], { name: 'chō', hectares: 0.991736 }],
  [['反', '段'], { name: 'tan', hectares: 0.0991736 }],
  [['manzana', 'manzanas', 'mz', 'mza', 'mzs'], { name: 'manzana', hectares: 0.7, local: true }],
  [['tarea', 'tareas'], { name: 'tarea', hectares: 0.0629, local: true }],
  [['fanegada', 'fanegadas'], { name: 'fanegada', hectares: 0.64, local: true }],
  [['cuadra', 'cuadras'], { name: 'cuadra', hectares: 0.7056, local: true }],
  [['alqueire', 'alqueires'], { name: 'alqueire', hectares: 4.84, local: true }],
  [['bigha', 'bighas'], { name: 'bigha', hectares: 0.25, local: true }],
  [['mu', 'mou', '亩', '畝', '市亩'], { name: 'mu', hectares: 1 / 15 }],
  [['feddan', 'feddans', 'فدان', 'الفدان', 'بالفدان'], { name: 'feddan', hectares: 0.42 }],
  [['dunam', 'dunum', 'دونم', 'الدونم', 'بالدونم'], { name: 'dunam', hectares: 0.1 }],
];

/** Sizes that a country gives a local unit, by ISO alpha-2. */
const BY_COUNTRY: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  manzana: { NI: 0.7026, HN: 0.6987, GT: 0.6989, SV: 0.6989, CR: 0.6989, BZ: 0.6989 },
  tarea: { DO: 0.0629, GT: 0.0437, HN: 0.0437, SV: 0.0437, NI: 0.0437 },
  bigha: { BD: 0.1338, NP: 0.6773, IN: 0.25 },
  cuadra: { EC: 0.7056, AR: 1.6874, CL: 1.5725, PY: 0.7497, UY: 0.7379 },
  fanegada: { CO: 0.64, PE: 0.6459, VE: 0.64 },
  sao: { VN: 0.036 },
  mau: { VN: 0.36 },
};
/** Countries where a local unit has one size. */
const SETTLED = new Set(['BD bigha', 'NP bigha', 'CO fanegada', 'DO tarea']);

const BY_SPELLING = new Map(
  UNITS.flatMap(([spellings, unit]) => spellings.map((spelling) => [fold(spelling), unit] as const)),
);

/** The unit that a text such as the heading `Area (ha)` names, or null. `country` settles units whose size differs. */
export function findAreaUnit(text: string, country: string | null): AreaUnit | null {
  const folded = fold(text);
  const whole = BY_SPELLING.get(folded);
  if (whole !== undefined) return inCountry(whole, country);
  const words = folded.split(' ');
  for (let size = Math.min(3, words.length); size > 0; size--)
    for (let from = words.length - size; from >= 0; from--) {
      const unit = BY_SPELLING.get(words.slice(from, from + size).join(' '));
      if (unit !== undefined) return inCountry(unit, country);
    }
  return null;
}

/**
 * Reads an area with or without a unit after it; one without takes `fallback`. Null when it is no number or names a unit
 * that is not known.
 */
export function parseArea(
  value: unknown,
  fallback: AreaUnit,
  sign: DecimalSign | null,
  country: string | null,
): ParsedArea | null {
  const usual = typeof value === 'string' ? parsePlainNumber(value) : null;
  if (usual !== null) {
    const unit = inCountry(fallback, country);
    return { hectares: usual.value * unit.hectares, unit, ambiguous: false };
  }
  const given = typeof value === 'string' ? plainCharacters(value).trim() : value;
  const match = typeof given === 'string' ? /^([+-]?[\d.,\s\u00a0']+)(.*)$/s.exec(given) : null;
  const text = match === null ? '' : match[2].trim();
  const digits = match === null ? given : match[1].trim();
  const unit = text === '' ? inCountry(fallback, country) : findAreaUnit(text, country);
  if (unit === null) return null;
  if (sign === null && unit.hectares === SQUARE_METRE && typeof digits === 'string' && POINT_OF_THOUSANDS.test(digits))
    return { hectares: Number(digits.replace('.', '')) * unit.hectares, unit, ambiguous: true };
  const number = parseNumber(digits, sign);
  if (number === null) return null;
  return { hectares: number.value * unit.hectares, unit, ambiguous: number.ambiguous };
}

const SQUARE_METRE = 0.0001;
/** `25.000`: nobody measures a plot to the thousandth of a square metre. */
const POINT_OF_THOUSANDS = /^[+-]?[1-9]\d{0,2}\.\d{3}$/;

function inCountry(unit: AreaUnit, country: string | null): AreaUnit {
  const size = country === null ? undefined : BY_COUNTRY[unit.name]?.[country];
  if (size === undefined) return unit;
  return SETTLED.has(`${country} ${unit.name}`) ? { name: unit.name, hectares: size } : { ...unit, hectares: size };
}

export { HECTARE };

function fold(text: string): string {
  return text
    .toLowerCase()
    .replaceAll('²', '2')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
