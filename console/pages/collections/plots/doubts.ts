/** The checks without which no plot is trusted fully: one that is missing was not looked at. */
const NEEDED = ['position', 'country', 'commodity_zone', 'commodity', 'deforestation'];

/** Without a facility in the file there is nothing to look at. */
const OPTIONAL = new Set(['facility_distance']);

/** What of a location says how far it can be relied on, and why. */
interface Evaluated {
  readonly location_type?: unknown;
  readonly location_confidence?: unknown;
  readonly processing?: unknown;
  readonly geometry_source?: unknown;
  readonly plot_checks?: unknown;
  readonly evidence?: unknown;
  readonly warnings?: unknown;
}

/**
 * What keeps a location from full confidence, as reasons of its collection count it: of a plot `check:status`, of a facility
 * `facility:indicator:unknown` or `:lost`, of both `state:` and why nothing else was looked at. Empty for what was not validated.
 */
export function doubtsOf(location: Evaluated): readonly string[] {
  const { location_type: type, location_confidence: confidence, processing, warnings } = location;
  if (processing === 'not processed: set aside')
    return [
      listOf<{ readonly code: string }>(warnings).some(({ code }) => code === 'unread_rows')
        ? 'state:unread'
        : 'state:set_aside',
    ];
  const state = Object.entries(STATES).find(([, said]) => said === confidence);
  if (state !== undefined) return [`state:${nameOf({ code: state[0] })}`];
  return type === 'facility' ? doubtsOfFacility(location) : doubtsOfPlot(location);
}

function doubtsOfFacility({ location_confidence: level, evidence }: Evaluated): readonly string[] {
  if (level === 'high' || level === null) return [];
  if (level === 'invalid') return ['state:facilities_geometry'];
  return listOf<{ readonly indicator: string; readonly status: string; readonly penalty: number }>(evidence).flatMap(
    ({ indicator, status, penalty }) =>
      penalty > 0 ? [`facility:${indicator}:${status === 'unknown' ? 'unknown' : 'lost'}`] : [],
  );
}

function doubtsOfPlot({ plot_checks: checks, geometry_source: source }: Evaluated): readonly string[] {
  if (!Array.isArray(checks)) return [];
  const all = listOf<{ readonly check: string; readonly status: string }>(checks);
  const open = all.filter(({ check, status }) => status !== 'pass' && !(status === 'unknown' && OPTIONAL.has(check)));
  const missing = NEEDED.filter((name) => !all.some(({ check }) => check === name));
  return [
    ...(source === 'geocoded' ? ['state:by_address'] : []),
    ...open.map(({ check, status }) => `${check}:${status}`),
    ...missing.map((check) => `${check}:unknown`),
  ];
}

function listOf<Item>(value: unknown): readonly Item[] {
  return Array.isArray(value) ? (value as readonly Item[]) : [];
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
  /** What the locations that it counts have among their `doubtsOf`. */
  readonly why: string;
}

/** What the codes of a reason say; null where there are none that are known here. */
export function readDoubt(codes: readonly ReasonCode[] | null | undefined): Doubt | null {
  const [part, ...others] = codes ?? [];
  if (part === undefined || others.length > 0 || !Object.hasOwn(KINDS, part.code)) return null;
  const kind = KINDS[part.code as keyof typeof KINDS];
  const about = STATES[part.code] ?? nameOf(part.params['check'] ?? part.params['subject']);
  return { kind, count: Number(part.params['count']), about, why: whyOf(kind, about, part.code) };
}

/** The reason that an address names as `why`, of so many locations; null where it is none that is known here. */
export function doubtOf(why: string, count: number): Doubt | null {
  const [first = '', second = '', third = ''] = why.split(':');
  const code = `confidence.${second}`;
  if (first === 'facility')
    return { kind: third === 'lost' ? 'facilityLost' : 'facilityUnknown', count, about: second, why };
  if (first === 'state')
    return Object.hasOwn(KINDS, code)
      ? { kind: KINDS[code as keyof typeof KINDS], count, about: STATES[code] ?? '', why }
      : null;
  return second === 'fail' || second === 'warn' || second === 'unknown'
    ? { kind: second, count, about: first, why }
    : null;
}

function whyOf(kind: Doubt['kind'], about: string, code: string): string {
  switch (kind) {
    case 'fail':
    case 'warn':
    case 'unknown':
      return `${about}:${kind}`;
    case 'facilityUnknown':
      return `facility:${about}:unknown`;
    case 'facilityLost':
      return `facility:${about}:lost`;
    default:
      return `state:${nameOf({ code })}`;
  }
}

/** The last part of the code of a word, such as `country` of `term.check.country`. */
function nameOf(word: unknown): string {
  const { code = '' } = (word ?? {}) as { readonly code?: string };
  return code.slice(code.lastIndexOf('.') + 1);
}
