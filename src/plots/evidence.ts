import type { Indicator } from './indicators.ts';

/**
 * What was known of a dataset's contract when it was read. `unchecked`: nothing yet; `local`: a file of this machine, which has
 * none; `derived`: worked out of two datasets that vote by themselves too.
 */
export const CONTRACT_WORDS = ['held', 'broken', 'unreachable', 'unstated', 'unchecked', 'local', 'derived'] as const;
export type ContractWord = (typeof CONTRACT_WORDS)[number];

/** Which dataset answers which question. */
export interface EvidenceSource {
  readonly indicator: Indicator;
  readonly dataset: string;
  readonly version: string;
  /** Day, month or year the data describes; null: not stated. */
  readonly date: string | null;
  readonly synthetic: boolean;
  readonly contract: ContractWord;
  /** The commodity a map shows, where it shows one; absent: any. */
  readonly commodity?: string;
  /** The embeddings that a detection head was evaluated on; absent: it is a map. */
  readonly embeddings?: { readonly dataset: string; readonly version: string; readonly year: number };
  /** First and last year of losses it covers; absent: it is no map of years. */
  readonly years?: readonly [first: number, last: number];
}

/** What a map of alerts has on a plot besides its yes, which are the alerts that are sure. It never says that nothing was lost. */
export interface PlotAlerts {
  /** Hectares of alerts of which it is not known how sure they are, or when they were seen. */
  readonly doubtfulHa: number;
  /** Years of the first and the last day on which an alert was seen first; null: none has a day. */
  readonly years: readonly [first: number, last: number] | null;
}

/**
 * What a dataset has on a plot, measured once and kept: hectares for which the answer is yes and the share of the plot's area
 * where the dataset has data, over 0 (with alerts from 0) and up to 1; or why there are none.
 */
export type Evidence = EvidenceSource &
  (
    | { readonly yesHa: number; readonly coveredShare: number; readonly alerts?: PlotAlerts }
    | { readonly reason: string }
  );
