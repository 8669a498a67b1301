import { call, type Answer } from '../../../api/client.ts';
import type { OnSent } from '../../../../clients/typescript/send-form.ts';
import { DEFAULT_MONITORING_START } from '../../../../src/monitoring-days.ts';

/** What a file would become; nothing of it is stored. */
export type CheckedFile = Extract<Answer<'processBatch'>, { dry_run: true }>;
/** A collection with its work: the answer of everything but a dry run. */
export type Work = Exclude<Answer<'processBatch'>, CheckedFile>;

/** The options that a batch is started with. */
export interface BatchOrder {
  /** Empty: what the rows say. */
  readonly cropType: string;
  readonly statistics: boolean;
  readonly validate: boolean;
  readonly report: boolean;
  /** Days as `YYYY-MM-DD`; an empty end is today. */
  readonly start: string;
  readonly end: string;
}

export const USUAL_ORDER: BatchOrder = {
  cropType: '',
  statistics: true,
  validate: true,
  report: false,
  start: DEFAULT_MONITORING_START,
  end: '',
};

/** The order that a collection was processed with. */
export function orderOf(
  collection: Pick<
    Work,
    'crop_type' | 'stats' | 'validate_locations' | 'eudr_dds' | 'monitoring_start' | 'monitoring_end'
  >,
): BatchOrder {
  if (collection.stats === null) return USUAL_ORDER;
  return {
    cropType: collection.crop_type ?? '',
    statistics: collection.stats,
    validate: collection.validate_locations ?? false,
    report: collection.eudr_dds ?? false,
    start: collection.monitoring_start ?? USUAL_ORDER.start,
    end: collection.monitoring_end ?? '',
  };
}

/** A new file with its names. */
interface NewFile {
  readonly file: File;
  readonly name: string;
  readonly description: string;
}

/** Keeps a file without processing it. */
export async function stage({ file, name, description }: NewFile, signal: AbortSignal, onSent: OnSent): Promise<Work> {
  const form = new FormData();
  form.set('collection_name', name);
  if (description !== '') form.set('description', description);
  form.set('file', file);
  return (await call('stagePlots', { form, signal, onSent })) as Work;
}

/** Processes a file, or the staged collection of an id. */
export async function processBatch(
  what: NewFile | string,
  order: BatchOrder,
  signal: AbortSignal,
  onSent?: OnSent,
): Promise<Work> {
  const form = formOf(what, order);
  return (await call('processBatch', { form, signal, ...(onSent === undefined ? {} : { onSent }) })) as Work;
}

/** Reads a file as `processBatch` would, to say what it would become. */
export async function checkFile(
  what: NewFile,
  order: BatchOrder,
  signal: AbortSignal,
  onSent: OnSent,
): Promise<CheckedFile> {
  const form = formOf(what, order, true);
  return (await call('processBatch', { form, signal, onSent })) as CheckedFile;
}

/** The file comes last, so that its fields are known when it arrives. */
function formOf(what: NewFile | string, order: BatchOrder, isDryRun = false): FormData {
  const form = new FormData();
  if (isDryRun) form.set('dry_run', 'true');
  if (typeof what === 'string') form.set('filename', what);
  else {
    form.set('collection_name', what.name);
    if (what.description !== '') form.set('description', what.description);
  }
  if (order.cropType !== '') form.set('crop_type', order.cropType);
  form.set('stats', String(order.statistics));
  form.set('validate_locations', String(order.validate));
  form.set('eudr_dds', String(order.report));
  if (order.start !== '') form.set('monitoring_start', order.start);
  if (order.end !== '') form.set('monitoring_end', order.end);
  if (typeof what !== 'string') form.set('file', what.file);
  return form;
}
