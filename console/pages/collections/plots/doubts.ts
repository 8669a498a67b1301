/** The checks without which no plot is trusted fully: one that is missing was not looked at. */
const NEEDED = ['position', 'country', 'commodity_zone', 'commodity', 'deforestation'];

/** Without a facility in the file there is nothing to look at. */
const OPTIONAL = new Set(['facility_distance']);

/** What keeps a plot from full confidence, as `check:status`; empty for what was not validated. */
export function doubtsOf(checks: unknown): readonly string[] {
  if (!Array.isArray(checks)) return [];
  const all = checks as readonly { readonly check: string; readonly status: string }[];
  const open = all.filter(({ check, status }) => status !== 'pass' && !(status === 'unknown' && OPTIONAL.has(check)));
  const missing = NEEDED.filter((name) => !all.some(({ check }) => check === name));
  return [...open.map(({ check, status }) => `${check}:${status}`), ...missing.map((check) => `${check}:unknown`)];
}

const SENTENCES = [
  ['fail', /^(\d+) plots? fails? the check (\w+)\.$/],
  ['warn', /^(\d+) plots? ha(?:ve|s) a doubt in the check (\w+)\.$/],
  ['unknown', /^(\d+) plots? could not be checked for (\w+)\.$/],
  ['address', /^(\d+) plots? w(?:as|ere) found by (?:its|their) address alone\.$/],
  ['location', /^(\d+) locations? (?:is|are) (not processed: [\w ]+)\.$/],
  ['setAside', /^(\d+) locations? w(?:as|ere) set aside, /],
  ['unread', /^(\d+) locations? stands? for rows that were not read, /],
  ['geometry', /^(\d+) facilit(?:y|ies) ha(?:s|ve) a geometry that cannot be used\.$/],
  ['facilityUnknown', /^(\d+) facilit(?:y|ies) could not be checked for (.+)\.$/],
  ['facilityLost', /^(\d+) facilit(?:y|ies) lost points for (.+)\.$/],
] as const;

/** The words that reasons have for indicators. */
const INDICATOR_OF: Readonly<Record<string, string>> = {
  'the country': 'country',
  'the latitude': 'latitude',
  'the commodity': 'commodity_presence',
  businesses: 'poi_presence',
  buildings: 'building_presence',
  roads: 'road_access',
  water: 'water_access',
  ports: 'port_proximity',
  'building density': 'high_density',
  'the producer': 'producer_confirmation',
};

/** A reason for the confidence of a collection, which the service gives as an English sentence. */
export interface Doubt {
  readonly kind: (typeof SENTENCES)[number][0];
  readonly count: number;
  /** The check, state or indicator that it names; empty: none. */
  readonly about: string;
  /** The plots that it counts, as `check:status`; null where it counts others. */
  readonly why: string | null;
}

/** What a reason says; null for one that is not known here. */
export function readDoubt(reason: string): Doubt | null {
  for (const [kind, pattern] of SENTENCES) {
    const [, count, about = ''] = pattern.exec(reason) ?? [];
    if (count === undefined) continue;
    if (kind === 'facilityUnknown' || kind === 'facilityLost')
      return { kind, count: Number(count), about: INDICATOR_OF[about] ?? about, why: null };
    const isOfPlots = kind === 'fail' || kind === 'warn' || kind === 'unknown';
    return { kind, count: Number(count), about, why: isOfPlots ? `${about}:${kind}` : null };
  }
  return null;
}
