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
  } | null;
  readonly changes: readonly { readonly plot: string; readonly before: Compared; readonly after: Compared }[];
  readonly unmeasured: readonly { readonly plot: string; readonly reasons: readonly string[] }[];
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
    ...unmeasuredText(report),
    `Collection: ${collectionId}\nRun:        ${run}\n${hasAll(report) ? 'Everything that changed' : `The first ${report.changes.length} that changed`}:\n  GET ${serviceUrl}/collections/${collectionId}/watch/runs/${run}\nTo watch it no longer:\n  DELETE ${serviceUrl}/collections/${collectionId}/watch`,
  ];
  return {
    kind: 'collection_changed',
    subject: `${SUBJECTS[outcome]}: ${collectionName}`,
    text: `${parts.join('\n\n')}\n`,
    attachments: [],
    textWithoutAttachments: null,
  };
}

function countsText(counts: WatchOutcome['counts']): string {
  if (counts === null) return '';
  const { plots, changed, worse, better, not_measured: unmeasured } = counts;
  const missing = unmeasured === 0 ? '' : ` ${unmeasured} could not be measured, which is neither better nor worse.`;
  return ` Of ${counted(plots, 'plot')} ${changed} changed: ${worse} for the worse, ${better} for the better.${missing}`;
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
function hasAll({ counts, changes }: WatchOutcome): boolean {
  return counts === null || counts.changed <= changes.length;
}

function changesText({ counts, changes }: WatchOutcome): readonly string[] {
  if (changes.length === 0) return [];
  const lines = changes
    .slice(0, LISTED)
    .map(({ plot, before, after }) => `  ${plot}: ${inWords(before)} -> ${inWords(after)}`);
  return [`What changed in the plots:\n${lines.join('\n')}${moreText(counts?.changed ?? changes.length)}`];
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
