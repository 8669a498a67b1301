import { type EmailAttachment, type EmailContent, MAX_ATTACHMENT_BYTES } from './email.ts';
import { ENGLISH_MAIL, type MailWords } from './mail-words.ts';

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

/** Brings the draft of a due diligence statement to its user; with the address alone where the file is too large. */
export function reportEmail(
  { collectionName: name, file, fetchUrl, digest }: Report,
  words: MailWords = ENGLISH_MAIL,
): EmailContent {
  const { say } = words;
  const intro = `${say('report.ready', { name })}\n\n${digestText(digest, words)}`;
  const fetched = `  GET ${fetchUrl}\n`;
  const withoutFile = `${intro}${say('report.too_large', { megabytes: Math.ceil(file.size / 1_000_000) })}\n${fetched}`;
  const { filename, sha256 } = file;
  return {
    kind: 'report',
    subject: say('report.subject', { name }),
    text:
      file.size > MAX_ATTACHMENT_BYTES
        ? withoutFile
        : `${intro}${say('report.attached', { filename, sha256 })}\n${fetched}`,
    attachments: file.size > MAX_ATTACHMENT_BYTES ? [] : [file],
    textWithoutAttachments: withoutFile,
  };
}

function overlapText({ overlapHa = 0, overlapsReason = null }: ReportDigest['counts'], words: MailWords): string {
  const { say, sentences } = words;
  return [
    ...(overlapHa === 0 ? [] : [say('report.shared', { overlap_ha: overlapHa })]),
    ...(overlapsReason === null ? [] : [say('report.twice'), sentences(overlapsReason)]),
  ]
    .map((sentence) => ` ${sentence}`)
    .join('');
}

function digestText(digest: ReportDigest | null, words: MailWords): string {
  if (digest === null) return '';
  const { say } = words;
  const { counts, groups, open, synthetic } = digest;
  const { exported, areaHa: area, leftOut, facilities } = counts;
  const found = groups.map(([group, locations]) => `  ${group}: ${locations}`);
  const findings = Object.entries(open)
    .toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
    .map(([rule, count]) => `  ${rule}: ${count}`);
  return [
    ...(synthetic.length === 0
      ? []
      : [say('report.synthetic', { datasets_list: synthetic, count: synthetic.length }), '']),
    `${say('report.exported', { exported, area_ha: area })}${overlapText(counts, words)}`,
    say('report.left_out', { count: leftOut, some: leftOut === 0 ? 'no' : 'yes' }),
    ...(facilities === 0 ? [] : [say('report.facilities', { count: facilities })]),
    '',
    say('report.rows', { count: counts.locations }),
    ...found,
    '',
    say('report.findings'),
    ...(findings.length === 0 ? [`  ${say('report.no_findings')}`] : findings),
    '',
    say('report.missing'),
    '',
    '',
  ].join('\n');
}
