import { formatEnglish } from '../messages/format-english.ts';
import type { Language } from '../messages/languages.ts';
import { inLanguage } from '../messages/recognised/in-language.ts';
import type { Params } from '../messages/said.ts';
import { translatorFor } from '../messages/translator.ts';

/** What emails say, in ICU message syntax; the catalogues of the other languages have each with `mail.` before its name. */
export const MAIL_TEXTS = {
  'report.subject': 'Draft of an EUDR due diligence statement: {name}',
  'report.ready':
    'The draft of an EUDR due diligence statement for "{name}" is ready. It is a draft: nothing was submitted to any authority. You complete it, check it and submit it yourself.',
  'report.too_large':
    'It has {megabytes} MB, which is more than can be sent by email. Fetch it with your access token:',
  'report.attached': 'It is attached as {filename} (SHA-256 {sha256}). It can also be fetched with your access token:',
  'report.synthetic':
    'SYNTHETIC DATA: {datasets_list} {count, plural, one {is made up and describes} other {are made up and describe}} no real place. Do not submit anything that rests on it.',
  'report.exported': 'Plots in the draft: {exported}, of {area_ha} ha.',
  'report.shared': '{overlap_ha} ha lie in more than one plot and are counted once.',
  'report.twice': 'Ground may be counted twice.',
  'report.left_out':
    'Plots left out: {count}{some, select, yes {, listed with their reasons in left-out.csv} other {}}.',
  'report.facilities': 'Facilities, which are no part of a statement: {count}.',
  'report.rows': 'All {count} rows, each in one group (deforestation is that after 2020-12-31):',
  'report.findings': 'Open findings, plots with each (findings.csv says which):',
  'report.no_findings': 'none',
  'report.missing':
    'Missing, for you to fill in: role, activity and country of activity of the operator, description, weight and heading (HS) of the goods; "missing" in dds.json names every field.',
  'stopped.subject': 'Batch {status, select, failed {failed} other {cancelled}}: {name}',
  'stopped.ended':
    'The batch of the collection "{name}" {status, select, failed {failed} other {was cancelled}}. It gave no results; results of an earlier batch stay as they were.',
  'stopped.locations': '{count, plural, one {# location} other {# locations}}',
  'stopped.kept':
    'The file is kept. {status, select, failed {Correct what the reason names, then process it again} other {To process it after all}}, with filename={collection}:',
  'stopped.state': 'Its state and this reason:',
  'label.reason': 'Reason',
  'label.processed': 'Processed',
  'label.ended_at': 'Ended at',
  'label.collection': 'Collection',
  'label.event': 'Event',
  'label.receiver': 'Receiver',
  'label.failed_at': 'Failed at',
  'label.delivery': 'Delivery',
  'label.run': 'Run',
  'failed.subject': 'Webhook not delivered: {type}',
  'failed.intro': 'An event could not be delivered to your webhook, and no further attempt is made by itself.',
  'failed.attempts': "What happened in each attempt (status, time, the receiver's answer):",
  'failed.again': 'Nothing is lost. Once the receiver answers again, have the event sent with the same id:',
  'failed.since': 'or everything that failed since a time, with {since} as the body:',
  'failed.hourly': 'At most one message like this is sent in an hour, however many events fail.',
  registered_address: 'the registered address',
  'paused.subject': 'Webhook deliveries are paused',
  'paused.intro': '{failures} events in a row could not be delivered to {receiver}, so deliveries to it are paused.',
  'paused.waiting': `New events are kept and wait. Every {minutes} minutes one of them is tried; as soon as the receiver answers 200,
everything that waits is sent and deliveries go on.`,
  'paused.try': 'To try at once, after the receiver was repaired:',
  'paused.earlier': 'Events that failed before the pause are not sent by themselves:',
  'watch.subject': '{outcome, select, changed {Changed} other {Could not be measured}}: {name}',
  'watch.measured': 'The watched collection "{name}" was measured again.',
  'watch.counts':
    'Of {plots, plural, one {# plot} other {# plots}} {changed} changed: {worse} for the worse, {better} for the better.',
  'watch.not_measured': '{count} could not be measured, which is neither better nor worse.',
  'watch.only':
    '{gone, plural, one {# plot of the time before is} other {# plots of the time before are}} no longer there; {fresh, plural, one {# plot was} other {# plots were}} not there before, {open} of them with signs of deforestation or not settled.',
  'watch.failed': 'It could not be measured: {reason} It is tried again.',
  'watch.data': 'What changed in the data:',
  'watch.new_dataset': '{dataset}: new, {version}',
  'watch.removed_dataset': '{dataset}: removed, was {version}',
  'watch.changes': 'What changed in the plots:',
  'watch.new_plots': 'Not there before, with signs of deforestation or not settled:',
  'watch.unmeasured': 'Could not be measured; what was known of these plots stays:',
  'watch.more': 'and {count} more',
  'watch.all': 'Everything that changed:',
  'watch.first':
    'The first {count} that changed{fresh, plural, =0 {} other { and the first # that were not there before}}:',
  'watch.stop': 'To watch it no longer:',
  'watch.finding':
    '{verdict} ({loss, select, unknown {loss unknown} other {{area} ha lost}}{by, select, none {} other {, rule {rules}}})',
} as const satisfies Record<string, string>;

/** How emails are worded in a language. */
export interface MailWords {
  /** A sentence of theirs. */
  readonly say: (name: keyof typeof MAIL_TEXTS, params?: Params) => string;
  /** Words of a code, whose English is `english`. */
  readonly word: (code: string, english: string) => string;
  /** Sentences of the service, given in English; as they are where they have no code. */
  readonly sentences: (english: string) => string;
}

export const ENGLISH_MAIL: MailWords = {
  say: (name, params = {}) => formatEnglish(MAIL_TEXTS[name], params),
  word: (_code, english) => english,
  sentences: (english) => english,
};

/** The words of a language. */
export async function mailWords(language: Language): Promise<MailWords> {
  const translator = await translatorFor(language);
  if (translator === null) return ENGLISH_MAIL;
  const { say } = translator;
  return {
    say: (name, params = {}) => say(`mail.${name}`, params) ?? ENGLISH_MAIL.say(name, params),
    word: (code, english) => say(code) ?? english,
    sentences: (english) => inLanguage(english, translator),
  };
}

/** Lines of a label and what it is of, which begins in the same column. */
export function labelled(
  { say }: MailWords,
  lines: readonly (readonly [label: LabelName, value: string | number])[],
): string {
  const labels = lines.map(([label]) => `${say(`label.${label}`)}:`);
  const width = Math.max(...labels.map((label) => label.length)) + 1;
  return lines.map(([, value], i) => `${labels[i]!.padEnd(width)}${value}`).join('\n');
}

type LabelName = Extract<keyof typeof MAIL_TEXTS, `label.${string}`> extends `label.${infer Name}` ? Name : never;
