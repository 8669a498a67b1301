import { call, type Answer } from '../../../api/client.ts';
import { addReading, type Preview, type Reading } from '../../../parts/review-file/reading.ts';
import type { OnSent } from '../../../../clients/typescript/send-form.ts';
import { DEFAULT_MONITORING_START } from '../../../../src/monitoring-days.ts';

/** A collection with its work: the answer of everything but a dry run. */
export type Work = Exclude<Answer<'processBatch'>, Preview>;

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
  /** How it is read. */
  readonly reading: Reading;
}

/** Keeps a file without processing it. */
export async function stage(
  { file, name, description, reading }: NewFile,
  signal: AbortSignal,
  onSent: OnSent,
): Promise<Work> {
  const form = new FormData();
  form.set('collection_name', name);
  if (description !== '') form.set('description', description);
  addReading(form, reading, 'crop_type');
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

/** What a file would become; nothing of it is stored. */
export async function lookAt(
  file: File,
  reading: Reading,
  fetchData: boolean,
  signal: AbortSignal,
  onSent: OnSent,
): Promise<Preview> {
  const form = new FormData();
  form.set('dry_run', 'true');
  form.set('fetch_data', String(fetchData));
  addReading(form, reading, 'crop_type');
  form.set('file', file);
  return (await call('processBatch', { form, signal, onSent })) as Preview;
}

/** The file comes last, so that its fields are known when it arrives. */
function formOf(what: NewFile | string, order: BatchOrder): FormData {
  const form = new FormData();
  if (typeof what === 'string') form.set('filename', what);
  else {
    form.set('collection_name', what.name);
    if (what.description !== '') form.set('description', what.description);
  }
  if (typeof what !== 'string') addReading(form, what.reading, 'crop_type');
  else if (order.cropType !== '') form.set('crop_type', order.cropType);
  form.set('stats', String(order.statistics));
  form.set('validate_locations', String(order.validate));
  form.set('eudr_dds', String(order.report));
  if (order.start !== '') form.set('monitoring_start', order.start);
  if (order.end !== '') form.set('monitoring_end', order.end);
  if (typeof what !== 'string') form.set('file', what.file);
  return form;
}
