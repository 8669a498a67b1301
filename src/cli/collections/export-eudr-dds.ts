import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isDate } from '../../collections/batch-period.ts';
import { EXCLUDABLE, parseExclude } from '../../collections/due-diligence/exclude.ts';
import { ACTIVITIES, FILING_KINDS, PLACES } from '../../collections/due-diligence/filing-choices.ts';
import { SIZES } from '../../law/undertakings.ts';
import { readFiling } from '../../service/collections/read-filing.ts';
import { usageOf } from '../parts/usage-of.ts';
import type { ExportAdmin } from '../../app/collections-control.ts';
import { openSigningAdmin } from '../../app/signatures/signing-admin.ts';
import type { Config } from '../../config/settings.ts';
import { SIGNATURE_SUFFIX } from '../../signatures/signature-document.ts';
import { openExportAdmin } from '../../app/collections-admin.ts';
import { UsageError, type Command } from '../command.ts';
import { USER_OPTION, userIdOf } from '../users/user-id.ts';

export const exportEudrDds: Command = {
  args: [{ name: 'IDS', doc: 'Id of a collection, or several with commas between them.', required: true }],
  options: {
    ...USER_OPTION,
    output: { type: 'string', short: 'o', value: 'FILE', doc: 'Where the archive goes; default due-diligence.zip.' },
    'monitoring-start': {
      type: 'string',
      value: 'DATE',
      doc: 'The period begins after this day; default 2020-12-31.',
    },
    'monitoring-end': { type: 'string', value: 'DATE', doc: 'Last day of the period; default that of the batch.' },
    exclude: {
      type: 'string',
      value: 'WORDS',
      doc: `Leave plots out by their risk level or status, with commas: ${EXCLUDABLE.join(', ')}. They are listed in left-out.csv.`,
    },
    kind: { type: 'string', value: 'KIND', doc: `What is drafted: ${FILING_KINDS.join(' or ')}; default statement.` },
    cn: { type: 'string', value: 'CODES', doc: 'Customs codes of your goods, one a commodity, with commas.' },
    role: {
      type: 'string',
      value: 'ROLE',
      doc: 'Who files: operator, authorised_representative or primary_operator (a declaration).',
    },
    size: { type: 'string', value: 'SIZE', doc: `Size of the undertaking: ${SIZES.join(', ')}.` },
    established: {
      type: 'string',
      value: 'DATE',
      doc: 'Day on which it was established as a natural person, micro or small undertaking.',
    },
    activity: { type: 'string', value: 'ACTIVITY', doc: `${ACTIVITIES.join(', ')}: as the statement names it.` },
    places: {
      type: 'string',
      value: 'PLACES',
      doc: `How a declaration says where plots are: ${PLACES.join(', ')}; default geometry.`,
    },
    date: {
      type: 'string',
      value: 'DATE',
      doc: 'Day of placing on the market or export, whose law counts; default today.',
    },
    sign: {
      type: 'boolean',
      doc: `Signs the archive and each file in it; the signature document goes next to it, to FILE${SIGNATURE_SUFFIX}.`,
    },
  },
  examples: ['npx firstmile export eudr-dds 0b6f7f0e-6a0f-4c8e-9d54-0d7d8a9b1c2d -o lot-7.zip'],
  async run({ args, options, config, out }) {
    const ids = [...new Set((args[0] ?? '').split(',').map((id) => id.trim()))].filter((id) => id !== '');
    if (ids.length === 0) throw new UsageError('IDS: wanted the id of a collection, got none');
    const [start, end] = [day('monitoring-start', options), day('monitoring-end', options)];
    if (start !== null && end !== null && start > end)
      throw new UsageError(`--monitoring-end: wanted a day not before ${start}, got ${end}`);
    const filing = Object.fromEntries(
      FILING_OPTIONS.map((name) => [name, options[name] as string | undefined] as const).filter(([, text]) => text),
    );
    usageOf(() => readFiling(filing, new Date().toISOString().slice(0, 10)));
    const userId = await userIdOf(options['user'], config);
    const path = resolve((options['output'] as string | undefined) ?? 'due-diligence.zip');
    const request = {
      userId,
      ids,
      monitoringStart: start,
      monitoringEnd: end,
      exclude: excluded(options['exclude']),
      filing,
      path,
    };
    const { bytes, sha256 } = await writeArchive(request, config);
    out.write(`${path}\n${bytes} bytes, SHA-256 ${sha256}. Nothing was submitted to any authority.\n`);
    if (options['sign'] === true) out.write(await signArchive(path, config));
    return 0;
  },
};

/** Closes what it opened: nothing else in this process can open an embedded database then. */
async function writeArchive(
  request: Parameters<ExportAdmin['exportEudrDds']>[0],
  config: Config,
): ReturnType<ExportAdmin['exportEudrDds']> {
  await using opened = await openExportAdmin(config);
  return await opened.exports.exportEudrDds(request);
}

async function signArchive(path: string, config: Config): Promise<string> {
  await using opened = await openSigningAdmin(config);
  const document = await opened.signing.signFile({ path, what: 'due diligence export' });
  await writeFile(`${path}${SIGNATURE_SUFFIX}`, `${JSON.stringify(document, null, 2)}\n`);
  return `${path}${SIGNATURE_SUFFIX}\nSigned with the key ${document.key_id}; firstmile verify checks it.\n`;
}

/** Options that say something of the filing. */
const FILING_OPTIONS = ['kind', 'cn', 'role', 'size', 'established', 'activity', 'places', 'date'] as const;

function day(name: string, options: Readonly<Record<string, unknown>>): string | null {
  const text = options[name];
  if (typeof text !== 'string') return null;
  if (isDate(text)) return text;
  throw new UsageError(`--${name}: wanted a day of the calendar as YYYY-MM-DD, got "${text}"`);
}

function excluded(text: unknown): readonly string[] {
  try {
    return parseExclude(typeof text === 'string' ? text : '');
  } catch (error) {
    throw new UsageError(`--${(error as Error).message}`);
  }
}
