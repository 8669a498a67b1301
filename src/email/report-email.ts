import { type EmailAttachment, type EmailContent, MAX_ATTACHMENT_BYTES } from './email.ts';

interface Report {
  /** As the user named it. */
  readonly collectionName: string;
  readonly file: EmailAttachment;
  /** Where the same report can be fetched. */
  readonly fetchUrl: string;
  /** What came of it in numbers; null where nobody knows. */
  readonly digest: ReportDigest | null;
}

/** What the reader should know before opening the archive. */
interface ReportDigest {
  readonly counts: {
    readonly locations: number;
    readonly facilities: number;
    readonly exported: number;
    readonly leftOut: number;
    readonly areaHa: number;
    /** Hectares of plots that lie on others of the draft, and are not in `areaHa` again. */
    readonly overlapHa?: number;
    /** Why ground may be counted twice; null where it is not. */
    readonly overlapsReason?: string | null;
  };
  /** Every location in one group: what it is called, and how many are in it. */
  readonly groups: readonly (readonly [words: string, locations: number])[];
  /** Plots with each open finding. */
  readonly open: Readonly<Record<string, number>>;
  /** Names of the datasets that are made up. */
  readonly synthetic: readonly string[];
}

const DRAFT =
  'It is a draft: nothing was submitted to any authority. You complete it, check it and submit it yourself.';

/** What the operator fills in whatever the plots are; `missing` of `dds.json` names every field. */
const FILLED_IN_BY_HAND =
  'role, activity and country of activity of the operator, description, weight and heading (HS) of the goods';

/** Brings the draft of a due diligence statement to its user; with the address alone where the file is too large. */
export function reportEmail({ collectionName, file, fetchUrl, digest }: Report): EmailContent {
  const intro = `The draft of an EUDR due diligence statement for "${collectionName}" is ready. ${DRAFT}\n\n${digestText(digest)}`;
  const fetched = `  GET ${fetchUrl}\n`;
  const withoutFile =
    `${intro}It has ${Math.ceil(file.size / 1_000_000)} MB, which is more than can be sent by email. ` +
    `Fetch it with your access token:\n${fetched}`;
  return {
    kind: 'report',
    subject: `Draft of an EUDR due diligence statement: ${collectionName}`,
    text:
      file.size > MAX_ATTACHMENT_BYTES
        ? withoutFile
        : `${intro}It is attached as ${file.filename} (SHA-256 ${file.sha256}). It can also be fetched with your access token:\n${fetched}`,
    attachments: file.size > MAX_ATTACHMENT_BYTES ? [] : [file],
    textWithoutAttachments: withoutFile,
  };
}

function overlapText({ overlapHa = 0, overlapsReason = null }: ReportDigest['counts']): string {
  const shared = overlapHa === 0 ? '' : ` ${overlapHa} ha lie in more than one plot and are counted once.`;
  return overlapsReason === null ? shared : `${shared} Ground may be counted twice. ${overlapsReason}`;
}

function digestText(digest: ReportDigest | null): string {
  if (digest === null) return '';
  const { counts, groups, open, synthetic } = digest;
  const found = groups.map(([words, locations]) => `  ${words}: ${locations}`);
  const findings = Object.entries(open)
    .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([rule, count]) => `  ${rule}: ${count}`);
  return [
    ...(synthetic.length === 0
      ? []
      : [
          `SYNTHETIC DATA: ${synthetic.join(', ')} ${synthetic.length === 1 ? 'is' : 'are'} made up and describe${synthetic.length === 1 ? 's' : ''} no real place. Do not submit anything that rests on it.`,
          '',
        ]),
    `Plots in the draft: ${counts.exported}, of ${counts.areaHa} ha.${overlapText(counts)}`,
    `Plots left out: ${counts.leftOut}${counts.leftOut === 0 ? '' : ', listed with their reasons in left-out.csv'}.`,
    ...(counts.facilities === 0 ? [] : [`Facilities, which are no part of a statement: ${counts.facilities}.`]),
    '',
    `All ${counts.locations} rows, each in one group (deforestation is that after 2020-12-31):`,
    ...found,
    '',
    'Open findings, plots with each (findings.csv says which):',
    ...(findings.length === 0 ? ['  none'] : findings),
    '',
    `Missing, for you to fill in: ${FILLED_IN_BY_HAND}; "missing" in dds.json names every field.`,
    '',
    '',
  ].join('\n');
}
