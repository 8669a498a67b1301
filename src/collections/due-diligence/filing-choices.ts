import type { AnnexCommodity } from '../../law/annex-rows.ts';
import type { Role } from '../../law/roles.ts';
import type { Size } from '../../law/undertakings.ts';

/** What an export drafts: a due diligence statement, or a simplified declaration. */
export const FILING_KINDS = ['statement', 'simplified_declaration'] as const;
export type FilingKind = (typeof FILING_KINDS)[number];

/** How a declaration says where plots are; a statement takes their geometry alone. */
export const PLACES = ['geometry', 'address', 'cadastral'] as const;
export type Places = (typeof PLACES)[number];

export const ACTIVITIES = ['IMPORT', 'EXPORT', 'DOMESTIC'] as const;
export type Activity = (typeof ACTIVITIES)[number];

/** A code of the Combined Nomenclature that was given for a commodity. */
export interface GivenCode {
  readonly commodity: AnnexCommodity;
  readonly digits: string;
}

/** What whoever files said of the filing; null and empty: not said, and left for them to fill in. Nothing of it is guessed. */
export interface FilingChoices {
  readonly kind: FilingKind;
  /** At most one a commodity. */
  readonly codes: readonly GivenCode[];
  readonly role: Role | null;
  readonly size: Size | null;
  /** Day on which the undertaking was established as a natural person, micro or small one. */
  readonly established: string | null;
  readonly activity: Activity | null;
  readonly places: Places;
  /** Day whose law counts, `YYYY-MM-DD`: that of placing on the market or export. */
  readonly day: string;
  /** Whether it was given, or is the day of the request. */
  readonly isDayGiven: boolean;
}

/** Nothing said, by the law of a day. */
export function noChoices(day: string): FilingChoices {
  return {
    kind: 'statement',
    codes: [],
    role: null,
    size: null,
    established: null,
    activity: null,
    places: 'geometry',
    day,
    isDayGiven: false,
  };
}

/** Whether the choices are those of the report of a batch, but for the day. */
export function isPlain({ kind, codes, role, size, established, activity, isDayGiven }: FilingChoices): boolean {
  const said = [role, size, established, activity].some((one) => one !== null);
  return kind === 'statement' && codes.length === 0 && !said && !isDayGiven;
}
