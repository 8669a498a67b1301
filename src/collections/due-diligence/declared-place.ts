import type { Geometry, MultiPolygon, Polygon } from '../../geo/geometry.ts';
import { insidePoint } from '../../geo/rings/inside-point.ts';
import { polygonArea } from '../../geo/rings/polygon-area.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';
import type { FilingChoices } from './filing-choices.ts';
import { RULES, type Finding, type Rule } from './finding.ts';
import type { FittedPlot } from './fit-plot.ts';
import type { GeometryTools } from './geometry/geometry-tools.ts';
import type { FitMember } from './geometry/fit-geometry.ts';
import { PLACES_OF_PRODUCER, type DeclaredPlace } from './plot-facts.ts';

/** What a cadastre says of a place. */
export type PlotParcel =
  | {
      readonly status: 'found';
      readonly id: string;
      readonly dataset: string;
      readonly version: string;
      readonly synthetic: boolean;
      readonly geometry: Polygon | MultiPolygon;
    }
  /** `none`: no parcel is there, or no dataset covers it. `unknown`: nobody could look. */
  | { readonly status: 'none' | 'unknown'; readonly reason: string };

/** Looks parcels up; a place in degrees. */
export interface PlotParcels {
  parcelAt(place: LonLat, signal: AbortSignal): Promise<PlotParcel>;
}

/** Characters of a cadastral identifier in the V3 service. */
const IDENTIFIER_LENGTH = 80;
/** What stands for a parcel whose cadastre gives it none. */
const NO_IDENTIFIER = /^row \d+$/;
/** The parcels named have to hold at least this share of the plot, else it is declared by its geometry. */
const NAMED_SHARE = 0.95;

/** Errors of a plot that do not matter where an address or an identifier says where it is. */
const ONLY_OF_GEOMETRY: readonly Rule[] = ['looked-up-place', 'no-geometry'];

interface DeclarePlaceParts {
  readonly geometry: GeometryTools;
  /** Absent: no cadastre can be looked up. */
  readonly parcels?: PlotParcels;
  readonly signal: AbortSignal;
}

/** What became of the search for the parcels of a plot. */
interface FoundParcels {
  readonly identifiers: readonly string[] | null;
  readonly findings: readonly Finding[];
}

/**
 * Holds plots to the rules of a simplified declaration: each lies in a low-risk country, and its place is said as chosen. A
 * plot without an address or identifier that holds it is declared by its geometry, with a finding; it is never dropped. A
 * plot that comes again under the same key, for the audit trail, has the parcels of the first time.
 */
export function createDeclarer(choices: FilingChoices, parts: DeclarePlaceParts) {
  const known = new Map<string, FoundParcels>();
  return (plot: FittedPlot, key: string): Promise<FittedPlot> =>
    declarePlace(plot, choices.places, async () => {
      const found = known.get(key) ?? (await lookUp(plot, parts));
      known.set(key, found);
      return found;
    });
}

async function declarePlace(
  plot: FittedPlot,
  places: FilingChoices['places'],
  findParcels: () => Promise<FoundParcels>,
): Promise<FittedPlot> {
  if (plot.record.locationType !== 'plot') return plot;
  const { tier, facts } = plot;
  if (tier?.treatedAs !== 'low') {
    const said =
      tier === null
        ? 'The country of production is not known'
        : `${facts.country} is ${tier.tier === 'not_determined' ? 'of a tier that is not determined' : `a country of ${tier.tier} risk`}`;
    const detail = `${said}; a simplified declaration takes products of low-risk countries alone (Arts 2(15a), 4a).`;
    return {
      ...plot,
      members: [],
      place: null,
      findings: [...plot.findings, { rule: 'not-low-risk', detail, fixed: false }],
    };
  }
  const open = plot.findings.filter(({ rule, fixed }) => !fixed && RULES[rule].severity === 'error');
  const isExcluded = plot.findings.some(({ rule }) => rule === 'excluded');
  const isLost =
    isExcluded || (plot.members.length === 0 && !open.every(({ rule }) => ONLY_OF_GEOMETRY.includes(rule)));
  if (isLost) return { ...plot, place: null };
  const found: Finding[] = [];
  const place = await chosenPlace(plot, places, findParcels, found);
  const findings = [...plot.findings, ...found];
  if (place !== null)
    return {
      ...plot,
      place,
      findings: findings.map((finding) => (open.includes(finding) ? { ...finding, fixed: true } : finding)),
    };
  return { ...plot, place: plot.members.length > 0 ? { kind: 'geometry' } : null, findings };
}

/** The place as chosen; null where it cannot be said so, with a finding. */
async function chosenPlace(
  plot: FittedPlot,
  places: FilingChoices['places'],
  findParcels: () => Promise<FoundParcels>,
  findings: Finding[],
): Promise<DeclaredPlace | null> {
  if (places === 'geometry') return null;
  if (places === 'address') {
    const { address } = plot.facts;
    if (address !== null) return { kind: 'address', address };
    const detail = `No columns of a postal code and a city are filled; ${insteadOf(plot)}`;
    findings.push({ rule: 'no-address', detail, fixed: false });
    return null;
  }
  const { cadastral } = plot.facts;
  if (cadastral.length > 0) return { kind: 'cadastral', identifiers: cadastral };
  const { identifiers, findings: found } = await findParcels();
  findings.push(...found);
  return identifiers === null ? null : { kind: 'cadastral', identifiers };
}

function insteadOf({ members }: FittedPlot): string {
  return members.length > 0 ? 'the plot is declared by its geometry.' : 'nothing else says where the plot is.';
}

/** Identifiers of the parcels that hold the plot; null where they cannot be named, with a finding. */
async function lookUp(plot: FittedPlot, { geometry, parcels, signal }: DeclarePlaceParts): Promise<FoundParcels> {
  const fail = (why: string): FoundParcels => {
    const detail = `${why} ${sentence(insteadOf(plot))}`;
    return { identifiers: null, findings: [{ rule: 'no-parcel', detail, fixed: false }] };
  };
  if (plot.members.length === 0) return fail('There is no geometry to look a parcel up by.');
  if (parcels === undefined) return fail('Parcels cannot be looked up here.');
  const ids = new Set<string>();
  const sources = new Map<string, boolean>();
  const note = (parcel: Extract<PlotParcel, { status: 'found' }>): void => {
    ids.add(parcel.id);
    sources.set(`${parcel.dataset} ${parcel.version}`, parcel.synthetic);
  };
  const rest: Polygon[] = [];
  for (const member of plot.members) {
    for (const place of pointsOf(member)) {
      const parcel = await parcels.parcelAt(place, signal);
      if (parcel.status !== 'found') return fail(parcel.reason);
      note(parcel);
    }
    rest.push(...polygonsOf(member));
  }
  if (ids.size > PLACES_OF_PRODUCER) return fail(`It lies in more than ${PLACES_OF_PRODUCER} parcels.`);
  const whole = areaOf(rest);
  let left = rest;
  while (areaOf(left) > whole * (1 - NAMED_SHARE)) {
    if (ids.size >= PLACES_OF_PRODUCER) return fail(`It lies in more than ${PLACES_OF_PRODUCER} parcels.`);
    const largest = left.reduce((a, b) => (areaOf([a]) >= areaOf([b]) ? a : b));
    const parcel = await parcels.parcelAt(insidePoint(largest.coordinates.map(flatRing)), signal);
    const held = parcel.status === 'found' ? withoutParcel(left, parcel.geometry, geometry) : null;
    if (parcel.status !== 'found')
      return fail(
        ids.size === 0
          ? parcel.reason
          : `The parcels found hold ${Math.floor((1 - areaOf(left) / whole) * 100)} % of it. ${parcel.reason}`,
      );
    // A boundary that is not valid, or one that the point only touches, would be looked up for ever.
    if (held === null || areaOf(held) >= areaOf(left))
      return fail(`The boundary of parcel ${parcel.id} cannot be compared with it.`);
    note(parcel);
    left = held;
  }
  const unnamed = [...ids].find((id) => NO_IDENTIFIER.test(id));
  if (unnamed !== undefined) return fail(`A parcel that holds it has no identifier (${unnamed} of its file).`);
  const tooLong = [...ids].find((id) => id.length > IDENTIFIER_LENGTH);
  if (tooLong !== undefined)
    return fail(`The identifier ${tooLong.slice(0, 40)}... has more than ${IDENTIFIER_LENGTH} characters.`);
  const named = [...sources.keys()].join(', ');
  const findings: Finding[] = [];
  findings.push({
    rule: 'parcels-named',
    detail: `Declared by ${ids.size === 1 ? 'the parcel' : `${ids.size} parcels`} ${[...ids].slice(0, 5).join(', ')}${ids.size > 5 ? ' ...' : ''} of ${named}. Compare with the cadastre.`,
    fixed: false,
  });
  if ([...sources.values()].includes(true))
    findings.push({
      rule: 'parcels-synthetic',
      detail: `${named}: made up, and describes no real parcel.`,
      fixed: false,
    });
  return { identifiers: [...ids], findings };
}

function sentence(text: string): string {
  return `${text[0]!.toUpperCase()}${text.slice(1)}`;
}

function withoutParcel(left: readonly Polygon[], parcel: Geometry, { difference }: GeometryTools): Polygon[] | null {
  const rest: Polygon[] = [];
  for (const polygon of left) {
    const more = difference(polygon, parcel);
    if (more === null) return null;
    rest.push(...polygonsOf(more));
  }
  return rest;
}

function pointsOf(member: FitMember): readonly LonLat[] {
  if (member.type === 'Point') return [member.coordinates as LonLat];
  return member.type === 'MultiPoint' ? (member.coordinates as LonLat[]) : [];
}

/** Polygons of a geometry, those inside collections too; lines and points are none. */
function polygonsOf(geometry: Geometry): Polygon[] {
  if (geometry.type === 'Polygon') return geometry.coordinates.length === 0 ? [] : [geometry];
  if (geometry.type === 'MultiPolygon')
    return geometry.coordinates.map((coordinates): Polygon => ({ type: 'Polygon', coordinates }));
  return geometry.type === 'GeometryCollection' ? geometry.geometries.flatMap(polygonsOf) : [];
}

/** Square metres. */
function areaOf(polygons: readonly Polygon[]): number {
  return polygons.reduce((sum, { coordinates }) => sum + polygonArea(coordinates.map(flatRing)).area, 0);
}

function flatRing(ring: readonly (readonly number[])[]): Float64Array {
  return Float64Array.from(ring.flatMap(([x, y]) => [x!, y!]));
}
