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

/** What reasons say, by their codes. */
const KINDS = {
  'confidence.check_failed': 'fail',
  'confidence.check_doubt': 'warn',
  'confidence.not_checked': 'unknown',
  'confidence.by_address': 'address',
  'confidence.geocoding_failed': 'location',
  'confidence.geocoding_imprecise': 'location',
  'confidence.uncertain': 'location',

  'confidence.set_aside': 'setAside',
  'confidence.unread': 'unread',
  'confidence.facilities_geometry': 'geometry',
  'confidence.facilities_not_checked': 'facilityUnknown',
  'confidence.facilities_lost': 'facilityLost',
} as const;

/** Why locations were not processed, as their own `location_confidence` says it. */
const STATES: Readonly<Record<string, string>> = {
  'confidence.geocoding_failed': 'not processed: geocoding failed',
  'confidence.geocoding_imprecise': 'not processed: geocoding too imprecise',
  'confidence.uncertain': 'not processed: validation confidence too low',
};

/** A sentence as codes, as `messages` of a collection has them next to its reasons. */
interface ReasonCode {
  readonly code: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A reason for the confidence of a collection. */
export interface Doubt {
  readonly kind: (typeof KINDS)[keyof typeof KINDS];
  readonly count: number;
  /** The check, state or indicator that it names; empty: none. */
  readonly about: string;
  /** The plots that it counts, as `check:status`; null where it counts others. */
  readonly why: string | null;
}

/** What the codes of a reason say; null where there are none that are known here. */
export function readDoubt(codes: readonly ReasonCode[] | null | undefined): Doubt | null {
  const [part, ...others] = codes ?? [];
  if (part === undefined || others.length > 0 || !Object.hasOwn(KINDS, part.code)) return null;
  const kind = KINDS[part.code as keyof typeof KINDS];
  const about = STATES[part.code] ?? nameOf(part.params['check'] ?? part.params['subject']);
  const isOfPlots = kind === 'fail' || kind === 'warn' || kind === 'unknown';
  return { kind, count: Number(part.params['count']), about, why: isOfPlots ? `${about}:${kind}` : null };
}

/** The last part of the code of a word, such as `country` of `term.check.country`. */
function nameOf(word: unknown): string {
  const { code = '' } = (word ?? {}) as { readonly code?: string };
  return code.slice(code.lastIndexOf('.') + 1);
}
