import { counted } from '../../counted.ts';
import type { FilingCheck } from '../../service/traces/traces.ts';
import { allowedActs, amendWindow, type Submission } from '../../traces/filing/submission.ts';

/** What a check found, for people: what is missing first. */
export function checkText(check: FilingCheck): string {
  const { summary, issues } = check;
  const lines = [
    `${check.collectionName}: ${counted(summary.plots, 'plot')}, ${counted(summary.producers, 'producer')}, ${counted(summary.commodities, 'commodity', 'commodities')}, ${counted(summary.geodataBytes, 'byte')} of geodata; environment ${check.environment}.`,
    ...(check.statements > 1 ? [`The collection takes ${check.statements} statements; --statement chooses one.`] : []),
    ...issues.map(
      ({ level, field, detail, advice }) => `${level.padEnd(7)}  ${field}\n         ${detail}\n         ${advice}`,
    ),
    check.isReady ? 'Nothing is missing. Nothing was sent.' : 'Not ready. Nothing was sent.',
  ];
  return `${lines.join('\n')}\n`;
}

/** A submission, for people. */
export function submissionText(submission: Submission, now: Date): string {
  const window = amendWindow(submission);
  const acts = allowedActs(submission, now);
  const { failure } = submission;
  const rows: readonly (readonly [name: string, value: string | null])[] = [
    ['Submission', submission.id],
    ['Environment', submission.environment],
    ['State', submission.change === null ? submission.state : `${submission.state}, to ${submission.change}`],
    ['Reference number', submission.referenceNumber],
    ['Verification number', submission.verificationNumber],
    ['Internal reference', submission.internalReference],
    ['UUID', submission.uuid],
    ['Rejected', submission.rejectionReason],
    ['Message', submission.communication],
    ['Failure', failure === null ? null : `${failure.code}: ${failure.detail}`],
    ['Advice', failure?.advice ?? null],
    [
      'Sent',
      `${counted(submission.sends, 'time')}${submission.handedOverAt === null ? '' : `, last ${at(submission.handedOverAt)}`}`,
    ],
    ['Changes until', window === null ? null : `${at(window.surely)} surely, ${at(window.atMost)} at most`],
    [
      'Can be',
      acts.length === 0
        ? null
        : acts.map((act) => ({ cancel: 'cancelled', amend: 'amended', retract: 'retracted' })[act]).join(', '),
    ],
    ['Next step', submission.nextAt === null ? null : at(submission.nextAt)],
  ];
  const shown = rows.filter(([, value]) => value !== null);
  return shown.map(([name, value]) => `${name.padEnd(20)} ${value}\n`).join('');
}

function at(time: Date): string {
  return time.toISOString().slice(0, 19).replace('T', ' ');
}
