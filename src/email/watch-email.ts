import { counted } from '../counted.ts';
import type { EmailContent } from './email.ts';

/** What a run of a watch has to report. */
interface WatchOutcome {
  readonly collectionId: string;
  /** As the user named it. */
  readonly collectionName: string;
  readonly run: number;
  readonly outcome: 'changed' | 'not_measured' | 'failed';
  /** Why it failed, as a sentence; null otherwise. */
  readonly reason: string | null;
  readonly datasets: readonly {
    readonly dataset: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
  /** Null where it failed. */
  readonly counts: {
    readonly plots: number;
    readonly changed: number;
    readonly worse: number;
    readonly better: number;
    readonly not_measured: number;
    readonly only_before: number;
    readonly only_after: number;
    readonly only_after_not_cleared: number;
  } | null;
  readonly changes: readonly { readonly plot: string; readonly before: Compared; readonly after: Compared }[];
  readonly unmeasured: readonly { readonly plot: string; readonly reasons: readonly string[] }[];
  /** Plots that were not there before and are not cleared. */
  readonly newPlots: readonly { readonly plot: string; readonly after: Compared }[];
  /** Where the service is reached, without a trailing slash. */
  readonly serviceUrl: string;
}

interface Compared {
  readonly verdict: string | null;
  readonly eudrStatus: string;
  readonly lossM2: number | null;
  readonly rules: readonly string[];
}

/** Plots that an email lists. */
const LISTED = 50;
const SUBJECTS = {
  changed: 'Changed',
  not_measured: 'Could not be measured',
  failed: 'Could not be measured',
} as const;

/** Reports what is found otherwise of a watched collection since data changed. */
export function watchEmail(report: WatchOutcome): EmailContent {
  const { collectionId, collectionName, run, outcome, reason, counts, serviceUrl } = report;
  const parts = [
    `The watched collection "${collectionName}" was measured again.${countsText(counts)}`,
    ...(reason === null ? [] : [`It could not be measured: ${reason} It is tried again.`]),
    ...datasetsText(report),
    ...changesText(report),
    ...newPlotsText(report),
    ...unmeasuredText(report),
    `Collection: ${collectionId}\nRun:        ${run}\n${hasAll(report) ? 'Everything that changed' : firstText(report)}:\n  GET ${serviceUrl}/collections/${collectionId}/watch/runs/${run}\nTo watch it no longer:\n  DELETE ${serviceUrl}/collections/${collectionId}/watch`,
  ];
  return {
    kind: 'collection_changed',
    subject: `${SUBJECTS[outcome]}: ${collectionName}`,
    text: `${parts.join('\n\n')}\n`,
    attachments: [],
    textWithoutAttachments: null,
  };
}

type Counts = NonNullable<WatchOutcome['counts']>;

function countsText(counts: Counts | null): string {
  if (counts === null) return '';
  const { plots, changed, worse, better, not_measured: unmeasured } = counts;
  const missing = unmeasured === 0 ? '' : ` ${unmeasured} could not be measured, which is neither better nor worse.`;
  return ` Of ${counted(plots, 'plot')} ${changed} changed: ${worse} for the worse, ${better} for the better.${missing}${onlyText(counts)}`;
}

/** Plots that were not compared, because the file was read otherwise. */
function onlyText({ only_before: gone, only_after: fresh, only_after_not_cleared: open }: Counts): string {
  if (gone + fresh === 0) return '';
  return ` ${counted(gone, 'plot')} of the time before ${gone === 1 ? 'is' : 'are'} no longer there; ${counted(fresh, 'plot')} ${fresh === 1 ? 'was' : 'were'} not there before, ${open} of them with signs of deforestation or not cleared.`;
}

function datasetsText({ datasets }: WatchOutcome): readonly string[] {
  if (datasets.length === 0) return [];
  const lines = datasets.slice(0, LISTED).map(({ dataset, before, after }) => {
    if (before === null) return `  ${dataset}: new, ${after}`;
    return after === null ? `  ${dataset}: removed, was ${before}` : `  ${dataset}: ${before} -> ${after}`;
  });
  return [`What changed in the data:\n${lines.join('\n')}${moreText(datasets.length)}`];
}

/** Reports name a limited number of plots; counts are of all. */
function hasAll({ counts, changes, newPlots }: WatchOutcome): boolean {
  if (counts === null) return true;
  return counts.changed <= changes.length && counts.only_after_not_cleared <= newPlots.length;
}

function firstText({ changes, newPlots }: WatchOutcome): string {
  const fresh = newPlots.length === 0 ? '' : ` and the first ${newPlots.length} that were not there before`;
  return `The first ${changes.length} that changed${fresh}`;
}

function changesText({ counts, changes }: WatchOutcome): readonly string[] {
  if (changes.length === 0) return [];
  const lines = changes
    .slice(0, LISTED)
    .map(({ plot, before, after }) => `  ${plot}: ${inWords(before)} -> ${inWords(after)}`);
  return [`What changed in the plots:\n${lines.join('\n')}${moreText(counts?.changed ?? changes.length)}`];
}

function newPlotsText({ counts, newPlots }: WatchOutcome): readonly string[] {
  if (newPlots.length === 0) return [];
  const lines = newPlots.slice(0, LISTED).map(({ plot, after }) => `  ${plot}: ${inWords(after)}`);
  return [
    `Not there before, with signs of deforestation or not cleared:\n${lines.join('\n')}${moreText(counts?.only_after_not_cleared ?? newPlots.length)}`,
  ];
}

function unmeasuredText({ counts, unmeasured }: WatchOutcome): readonly string[] {
  if (unmeasured.length === 0) return [];
  const lines = unmeasured.slice(0, LISTED).map(({ plot, reasons }) => `  ${plot}: ${reasons.join('; ')}`);
  return [
    `Could not be measured; what was known of these plots stays:\n${lines.join('\n')}${moreText(counts?.not_measured ?? unmeasured.length)}`,
  ];
}

function inWords({ verdict, eudrStatus, lossM2, rules }: Compared): string {
  const loss = lossM2 === null ? 'loss unknown' : `${(lossM2 / 10_000).toFixed(2)} ha lost`;
  const by = rules.length === 0 ? '' : `, rule ${rules.join(', ')}`;
  return `${(verdict ?? eudrStatus).replaceAll('_', ' ')} (${loss}${by})`;
}

function moreText(count: number): string {
  return count > LISTED ? `\n  and ${count - LISTED} more` : '';
}
