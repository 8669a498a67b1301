import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { CollectionReader } from '../../collections/collection.ts';
import type { ExportDigest } from '../../collections/due-diligence/export-types.ts';
import type { Places } from '../../collections/due-diligence/filing-choices.ts';
import { Problem } from '../../errors.ts';
import { isRecord } from '../../is-record.ts';
import { openZipArchive, type ArchiveEntry, type ZipArchive } from '../../readers/formats/tables/zip-archive.ts';
import type { StatementDraft } from '../../traces/draft/complete-draft.ts';
import type { FilingKind } from '../../traces/messages/statement.ts';
import { reportPeriod, type DueDiligence } from '../collections/due-diligence.ts';
import { findCompleted, type FindCollectionsDeps } from '../collections/fetch-collections.ts';
import { temporaryFolder } from '../files/temporary-folder.ts';

interface DraftRequest {
  readonly userId: string;
  readonly collectionId: string;
  /** Which statement of the export, from 1. */
  readonly statementNumber: number;
  readonly kind: FilingKind;
  /** How a declaration says where plots are; a statement takes their geometry alone. */
  readonly places: Places;
  /** Words of `EXCLUDABLE`: plots that are left out by their verdict. */
  readonly exclude: readonly string[];
}

/** A draft of the due diligence export of a collection, with what the export found. */
export interface CollectionDraft {
  readonly draft: StatementDraft;
  readonly collectionName: string;
  /** Statements that the collection's plots take. */
  readonly statements: number;
  readonly digest: Pick<ExportDigest, 'doubts' | 'synthetic'> & { readonly leftOut: number };
}

export interface DraftParts extends FindCollectionsDeps {
  readonly collections: CollectionReader;
  readonly dueDiligence: Pick<DueDiligence, 'write'>;
}

/** Names of drafts in an export: the first without a number. */
const DRAFTS = { dds: /^dds(?:-\d+)?\.json$/, sd: /^sd(?:-\d+)?\.json$/ } as const satisfies Record<FilingKind, RegExp>;
/** A statement of 25 MB of geodata, with its other fields. */
const MAX_DRAFT_BYTES = 40_000_000;

/**
 * Writes the export of a completed collection, without pages of plots, and reads one of its drafts: what is filed is what
 * the export holds. Throws `Problem` for a collection that is not there or not processed, and for a statement it has not.
 */
export async function readDraft(
  parts: DraftParts,
  request: DraftRequest,
  signal: AbortSignal,
): Promise<CollectionDraft> {
  const { userId, collectionId, statementNumber, kind, places, exclude } = request;
  const [collection] = await findCompleted(parts, userId, [collectionId], false);
  const source = { collection: collection!, records: () => parts.collections.records(collection!) };
  const report = reportPeriod(collection!);
  const choices = kind === 'dds' ? {} : ({ kind: 'simplified_declaration', places } as const);
  const period = { ...report, exclude, filing: { ...report.filing, ...choices } };
  const digests: ExportDigest[] = [];
  const archive = parts.dueDiligence.write(
    [source],
    { period, plotPages: 0, onDigest: (made) => void digests.push(made) },
    collection!.completedAt ?? new Date(),
    signal,
  );
  const folder = await temporaryFolder('export');
  try {
    const path = join(folder, 'export.zip');
    await pipeline(Readable.from(archive, { objectMode: false }), createWriteStream(path), { signal });
    await using zip = await openZipArchive(path, (await stat(path)).size);
    const entries = entriesOf(zip, DRAFTS[kind]);
    const entry = entries[statementNumber - 1];
    if (entry === undefined)
      throw new Problem(
        'not_found',
        `statement: wanted 1 to ${entries.length} of this collection, got ${statementNumber}.`,
      );
    if (entry.size > MAX_DRAFT_BYTES)
      throw new Problem('too_large', `The statement has ${entry.size} bytes; wanted at most ${MAX_DRAFT_BYTES}.`);
    return {
      draft: draftOf(JSON.parse((await zip.bytes(entry)).toString('utf8')), kind),
      collectionName: collection!.name,
      statements: entries.length,
      digest: digestOf(digests[0]),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function entriesOf(zip: ZipArchive, name: RegExp): readonly ArchiveEntry[] {
  const number = ({ path }: ArchiveEntry): number => Number(/-(\d+)\.json$/.exec(path)?.[1] ?? 1);
  return zip.entries.filter(({ path }) => name.test(path)).toSorted((a, b) => number(a) - number(b));
}

function draftOf(value: unknown, kind: FilingKind): StatementDraft {
  if (!isRecord(value) || !isRecord(value['statement'])) throw new Error('a draft of the export holds no statement');
  const { proposals, plots, operatorRole } = value;
  return {
    kind,
    statement: value['statement'] as StatementDraft['statement'],
    operatorRole: typeof operatorRole === 'string' ? operatorRole : null,
    proposals: Array.isArray(proposals) ? proposals : [],
    plots: typeof plots === 'number' ? plots : 0,
  };
}

function digestOf(digest: ExportDigest | undefined): CollectionDraft['digest'] {
  if (digest === undefined) return { doubts: { deforested: 0, open: 0 }, synthetic: [], leftOut: 0 };
  return { doubts: digest.doubts, synthetic: digest.synthetic, leftOut: digest.counts.leftOut };
}
