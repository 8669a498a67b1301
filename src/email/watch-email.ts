import type { EmailContent } from './email.ts';
import { ENGLISH_MAIL, labelled, type MailWords } from './mail-words.ts';

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
  /** Plots that were not there before and are not settled. */
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

/** Reports what is found otherwise of a watched collection since data changed. */
export function watchEmail(report: WatchOutcome, words: MailWords = ENGLISH_MAIL): EmailContent {
  const { say } = words;
  const { collectionId, collectionName: name, run, outcome, reason, counts, serviceUrl } = report;
  const base = `${serviceUrl}/collections/${collectionId}/watch`;
  const parts = [
    [say('watch.measured', { name }), ...countsText(counts, words)].join(' '),
    ...(reason === null ? [] : [say('watch.failed', { reason: words.sentences(reason) })]),
    ...datasetsText(report, words),
    ...changesText(report, words),
    ...newPlotsText(report, words),
    ...unmeasuredText(report, words),
    [
      labelled(words, [
        ['collection', collectionId],
        ['run', run],
      ]),
      hasAll(report)
        ? say('watch.all')
        : say('watch.first', { count: report.changes.length, fresh: report.newPlots.length }),
      `  GET ${base}/runs/${run}`,
      say('watch.stop'),
      `  DELETE ${base}`,
    ].join('\n'),
  ];
  return {
    kind: 'collection_changed',
    subject: say('watch.subject', { outcome, name }),
    text: `${parts.join('\n\n')}\n`,
    attachments: [],
    textWithoutAttachments: null,
  };
}

type Counts = NonNullable<WatchOutcome['counts']>;

function countsText(counts: Counts | null, { say }: MailWords): readonly string[] {
  if (counts === null) return [];
  const { plots, changed, worse, better, not_measured: unmeasured } = counts;
  const { only_before: gone, only_after: fresh, only_after_not_cleared: open } = counts;
  return [
    say('watch.counts', { plots, changed, worse, better }),
    ...(unmeasured === 0 ? [] : [say('watch.not_measured', { count: unmeasured })]),
    // Plots that were not compared, because the file was read otherwise.
    ...(gone + fresh === 0 ? [] : [say('watch.only', { gone, fresh, open })]),
  ];
}

function datasetsText({ datasets }: WatchOutcome, words: MailWords): readonly string[] {
  const { say } = words;
  const lines = datasets.map(({ dataset, before, after }) => {
    if (before === null) return say('watch.new_dataset', { dataset, version: after ?? '' });
    return after === null
      ? say('watch.removed_dataset', { dataset, version: before })
      : `${dataset}: ${before} -> ${after}`;
  });
  return listed('watch.data', lines, lines.length, words);
}

/** Reports name a limited number of plots; counts are of all. */
function hasAll({ counts, changes, newPlots }: WatchOutcome): boolean {
  if (counts === null) return true;
  return counts.changed <= changes.length && counts.only_after_not_cleared <= newPlots.length;
}

function changesText({ counts, changes }: WatchOutcome, words: MailWords): readonly string[] {
  const lines = changes.map(
    ({ plot, before, after }) => `${plot}: ${inWords(before, words)} -> ${inWords(after, words)}`,
  );
  return listed('watch.changes', lines, counts?.changed, words);
}

function newPlotsText({ counts, newPlots }: WatchOutcome, words: MailWords): readonly string[] {
  const lines = newPlots.map(({ plot, after }) => `${plot}: ${inWords(after, words)}`);
  return listed('watch.new_plots', lines, counts?.only_after_not_cleared, words);
}

function unmeasuredText({ counts, unmeasured }: WatchOutcome, words: MailWords): readonly string[] {
  const lines = unmeasured.map(({ plot, reasons }) => `${plot}: ${reasons.map(words.sentences).join('; ')}`);
  return listed('watch.unmeasured', lines, counts?.not_measured, words);
}

/** The first lines under a heading, and how many of `all` more there are; nothing where there is none. */
function listed(
  heading: Parameters<MailWords['say']>[0],
  lines: readonly string[],
  all: number | undefined,
  { say }: MailWords,
): readonly string[] {
  if (lines.length === 0) return [];
  const more = (all ?? lines.length) - LISTED;
  const shown = [...lines.slice(0, LISTED), ...(more > 0 ? [say('watch.more', { count: more })] : [])];
  return [[say(heading), ...shown.map((line) => `  ${line}`)].join('\n')];
}

function inWords({ verdict, eudrStatus, lossM2, rules }: Compared, { say, word }: MailWords): string {
  const found = verdict ?? eudrStatus;
  return say('watch.finding', {
    verdict: word(`finding.${found}`, found.replaceAll('_', ' ')),
    loss: lossM2 === null ? 'unknown' : 'known',
    area: lossM2 === null ? '' : (lossM2 / 10_000).toFixed(2),
    by: rules.length === 0 ? 'none' : 'rules',
    rules: rules.join(', '),
  });
}
