/**
 * Second half of making the CRS table: keeps the codes for which proj4 gives what PROJ's cs2cs gave at all sampled
 * points, within the tolerance, both ways; writes `src/geo/crs/definitions.txt`, the oracle `proj-points.json` and the
 * page `docs/coordinate-systems.md`.
 *
 * Run: node test/oracles/crs/build-table.ts CANDIDATES.json   (made by make-candidates.py)
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import proj4 from 'proj4';

interface Candidate {
  readonly code: number;
  readonly name: string;
  readonly geographic: boolean;
  readonly metresPerUnit: number | null;
  readonly definition: string;
  readonly shifts: readonly string[];
  readonly points: readonly (readonly [lon: number, lat: number, x: number, y: number])[];
}
interface Verified {
  readonly code: number;
  readonly definition: string;
  readonly points: Candidate['points'];
  readonly worst: number;
}

const HERE = import.meta.dirname;
const TOLERANCE_M = 0.01;
const STRICT_M = 0.001;
const POINTS_KEPT = 5;
/** Parts that mean the same when left out, in most projections: left out wherever the result stays within the tolerance. */
const DEFAULTS = / \+(k=1|lat_0=0|lon_0=0|x_0=0|y_0=0)(?= |$)/g;
/** Metres of a radian at the equator, to weigh differences of geographic coordinates. */
const METRES_PER_DEGREE = 111319.49079327358;

const candidates = JSON.parse(readFileSync(String(process.argv[2]), 'utf8')) as Candidate[];
// A code with several areas of use comes several times; it is kept when all of them agree.
const verified = [...Map.groupBy(candidates, ({ code }) => code).values()].flatMap((areas) => {
  const found = areas.map(verify);
  return found[0] && found.every((one) => one?.definition === found[0]?.definition) ? [found[0]] : [];
});
writeTable(verified);
writeOracle(verified);
writePage(verified);
console.log(`${verified.length} of ${candidates.length} codes verified`);

/** The definition that gives PROJ's answers, or null when none of the candidates does. */
function verify(candidate: Candidate): Verified | null {
  if (candidate.points.length < POINTS_KEPT) return null;
  const tolerance =
    /\+proj=utm .*\+datum=WGS84/.test(candidate.definition) || candidate.code === 3857 ? STRICT_M : TOLERANCE_M;
  let best: Verified | null = null;
  for (const definition of definitionsOf(candidate)) {
    const worst = worstDifference(candidate, definition);
    if (worst > tolerance || (best && worst >= best.worst)) continue;
    const short = definition.replace(DEFAULTS, '');
    const kept = worstDifference(candidate, short) <= tolerance ? short : definition;
    best = { code: candidate.code, definition: kept, points: spread(candidate.points), worst };
  }
  return best;
}

/** The PROJ string as proj4 takes it, first without a datum shift, then with each that PROJ lists. */
function definitionsOf({ definition, shifts }: Candidate): string[] {
  const plain = definition.replace(/ \+(no_defs|type=crs|units=m)(?= |$)/g, '').replace('+datum=NAD83', '+ellps=GRS80');
  if (/\+(datum|towgs84|nadgrids)=/.test(plain)) return [plain];
  const zero = `${plain} +towgs84=0,0,0`;
  return [zero, ...shifts.filter((shift) => shift !== '0,0,0').map((shift) => `${plain} +towgs84=${shift}`)];
}

/** Metres between proj4 and PROJ at the worst point, there and back. Infinity when proj4 cannot read the definition. */
function worstDifference({ geographic, metresPerUnit, points }: Candidate, definition: string): number {
  try {
    const converter = proj4('EPSG:4326', definition);
    let worst = 0;
    for (const [lon, lat, x, y] of points) {
      const there = converter.forward([lon, lat]);
      const back = converter.inverse([x, y]);
      const unit = geographic ? METRES_PER_DEGREE : Number(metresPerUnit);
      const turn = geographic ? 360 : Infinity;
      const errors = [
        Math.hypot(wrap(there[0] - x, turn), there[1] - y) * unit,
        Math.hypot(wrap(back[0] - lon, 360) * Math.cos((lat * Math.PI) / 180), back[1] - lat) * METRES_PER_DEGREE,
      ];
      worst = Math.max(worst, ...errors.map((error) => (Number.isFinite(error) ? error : Infinity)));
    }
    return worst;
  } catch {
    return Infinity;
  }
}

function wrap(difference: number, turn: number): number {
  return turn === Infinity ? difference : difference - turn * Math.round(difference / turn);
}

/** Five points, spread over the ones given: corners and middle when all 25 are there. */
function spread(points: Candidate['points']): Candidate['points'] {
  const last = points.length - 1;
  return [0, 0.2, 0.5, 0.8, 1].map((share) => points[Math.round(share * last)]);
}

/** One line a code, grouped under the part of the definition (ellipsoid, shift, meridian) that many share. */
function writeTable(rows: readonly Verified[]): void {
  const groups = new Map<string, string[]>();
  for (const { code, definition } of rows) {
    const parts = definition.split(' ');
    const datum = parts.filter((part) => /^\+(ellps|a|b|rf|towgs84|datum|pm|nadgrids|units|to_meter)=/.test(part));
    const own = parts.filter((part) => !datum.includes(part)).map((part) => part.slice(1));
    const key = datum.join(' ');
    const lines = groups.get(key) ?? [];
    groups.set(key, lines);
    lines.push(`${code} ${own.join(' ')}`);
  }
  const text = [...groups].map(([datum, lines]) => `@ ${datum}\n${lines.join('\n')}`).join('\n');
  const head = [
    `# Definitions of ${rows.length} EPSG codes that proj4 transforms as PROJ's cs2cs does, generated by test/oracles/crs/build-table.ts`,
    '# from PROJ 9.1.1 and the EPSG database in it. Do not edit. A line "@ ..." is the part that the following codes share; any',
    '# other line is a code and its own part, without the plus signs.',
  ];
  writeFileSync(join(HERE, '../../../src/geo/crs/definitions.txt'), `${head.join('\n')}\n${text}\n`);
}

/** Per code: longitude, latitude, x, y of five points, to a tenth of a millimetre. */
function writeOracle(rows: readonly Verified[]): void {
  const lines = rows.map(({ code, points }) => {
    const digits = candidates.find((candidate) => candidate.code === code)?.geographic ? 9 : 4;
    const numbers = points.flatMap(([lon, lat, x, y]) => [
      lon,
      lat,
      Number(x.toFixed(digits)),
      Number(y.toFixed(digits)),
    ]);
    return `"${code}":[${numbers.join(',')}]`;
  });
  writeFileSync(join(HERE, 'proj-points.json'), `{\n${lines.join(',\n')}\n}\n`);
}

/** The codes for people: one row a datum, codes as ranges. */
function writePage(rows: readonly Verified[]): void {
  const families = new Map<string, number[]>();
  const names = new Map(candidates.map(({ code, name }) => [code, name]));
  for (const { code } of rows) {
    const family = String(names.get(code)).split(' / ')[0];
    families.set(family, [...(families.get(family) ?? []), code]);
  }
  const lines = [...families]
    .toSorted(([a], [b]) => a.localeCompare(b, 'en'))
    .map(([family, codes]) => `| ${family} | ${codes.length} | ${ranges(codes)} |`);
  const text = `# Coordinate reference systems

<!-- Generated by test/oracles/crs/build-table.ts; see the comment there. -->

Forest lookups take ${rows.length} EPSG codes as \`output_crs\`, written \`EPSG:<code>\`, \`urn:ogc:def:crs:EPSG::<code>\` or
\`http://www.opengis.net/def/crs/EPSG/0/<code>\`, and \`OGC:CRS84\`. Coordinates are x (easting, longitude) first, always.

A code is in the list when proj4 gives the same coordinates as \`cs2cs\` of PROJ 9.1.1 at all 25 points of a grid over the
code's area of use, there and back, to 1 cm (UTM on WGS 84 and EPSG:3857: 1 mm). Any other code is refused. What to know:

- PROJ was asked without grid files. Where a country's best transformation needs one (OSTN15 in Great Britain), both
  PROJ and this table use the best transformation without it, which can be metres from the grid's result.
- Codes are refused when PROJ uses different transformations in parts of their area (DHDN, ED50, VN-2000, S-JTSK ...), when
  axes point west or south, or when PROJ knows no relation of their datum to WGS 84.
- Datums of the satellite age for which PROJ lists no shift (CGCS2000, GDM2000 ...) are taken as WGS 84, as PROJ does. Such
  datums differ from it by a metre or two.

| Datum | Codes | EPSG |
| --- | ---: | --- |
${lines.join('\n')}
`;
  writeFileSync(join(HERE, '../../../docs/coordinate-systems.md'), text);
}

/** Ascending codes as `32601-32660, 32701`. */
function ranges(codes: readonly number[]): string {
  const parts: [number, number][] = [];
  for (const code of codes) {
    const open = parts.at(-1);
    if (open && code === open[1] + 1) open[1] = code;
    else parts.push([code, code]);
  }
  return parts.map(([a, b]) => (a === b ? `${a}` : `${a}-${b}`)).join(', ');
}
