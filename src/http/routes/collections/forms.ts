import type { BatchOptions } from '../../../collections/collection.ts';
import { batchPeriod } from '../../../collections/batch-period.ts';
import type { Config } from '../../../config/settings.ts';
import { commodityName } from '../../../facilities/commodity/commodity-names.ts';
import type { CollectionReading } from '../../../service/collections/collection-task.ts';
import type { LocationOptions } from '../../../locations/options.ts';
import type { BatchRequest, ReadingChange, RepeatKey } from '../../../service/collections/collections.ts';
import type { AnyRequest } from '../../server/app.ts';
import { BatchFields, READING_FIELDS, StageFields } from './schemas.ts';
import { facilityOptions, locationOptions } from '../../uploads/reading-options.ts';
import { idempotencyKeyOf } from '../../guards/request-headers.ts';
import { textFieldReader } from '../../uploads/read-text-fields.ts';
import { refused } from '../../uploads/upload-parsing.ts';
import type { Upload } from '../../uploads/upload.ts';
import { isRecord } from '../../../is-record.ts';
import { isNotGiven } from '../../problems/read-value.ts';

/** What the fields of a form are read with. */
export interface FormDeps {
  /** ISO alpha-2 of a country in any usual spelling, or null. */
  readonly countryCode: (text: string) => string | null;
  readonly config: Pick<Config, 'checkTimeoutMs'>;
  readonly clock?: () => Date;
}

type Given = Readonly<Record<string, string>>;

const REQUEST_DATA = 'request_data';
/** Fields of the form of `POST /stage_plots`: its own, or an object of them in one. */
export const STAGE_FIELDS: readonly string[] = [REQUEST_DATA, ...Object.keys(StageFields.properties)];

const readStageFields = textFieldReader(StageFields, 'form');
/** The fields of the form of `POST /batch_process`. */
export const readBatch = textFieldReader(BatchFields, 'form');
export type BatchForm = ReturnType<typeof readBatch>;

/** The fields of the form of `POST /stage_plots`. */
export function readStage({ [REQUEST_DATA]: data, ...others }: Given): ReturnType<typeof readStageFields> {
  return readStageFields({ ...requestData(data), ...others });
}

/** What a form requests of a batch. */
export function batchOf(fields: BatchForm, repeat: RepeatKey | null, deps: FormDeps): Omit<BatchRequest, 'email'> {
  const today = (deps.clock?.() ?? new Date()).toISOString().slice(0, 10);
  const period = batchPeriod({ start: fields.monitoring_start, end: fields.monitoring_end }, today);
  if ('field' in period) throw refused(period.field, 'invalid', period.detail);
  const crop = fields.crop_type?.trim() ?? '';
  const options: BatchOptions = {
    cropType: commodityName(crop),
    statistics: fields.stats ?? true,
    validateLocations: fields.validate_locations ?? false,
    eudrDds: fields.eudr_dds ?? false,
    ...period,
  };
  return {
    options,
    reading: readingChange(fields, deps),
    ...(fields.collection_name === undefined ? {} : { name: fields.collection_name }),
    ...(fields.description === undefined ? {} : { description: fields.description }),
    repeat,
  };
}

/** The options that the fields of a form set; what a form leaves out stays as the collection was staged. */
const OPTIONS_OF = {
  crop_type: 'commodity',
  location_type: 'locationType',
  country: 'country',
  mapping: 'mapping',
  geocode: 'geocode',
  crs: 'crs',
  sheets: 'sheets',
} as const satisfies Readonly<Record<'crop_type' | (typeof READING_FIELDS)[number], keyof LocationOptions>>;

/** What a form says of how its file is read, and which of it was given. */
export function readingChange(fields: Omit<BatchForm, 'collection_name'>, deps: FormDeps): ReadingChange {
  const names = Object.keys(OPTIONS_OF) as (keyof typeof OPTIONS_OF)[];
  const given = names.filter((name) => fields[name] !== undefined && String(fields[name]).trim() !== '');
  return { reading: readingOf(fields, deps), given: given.map((name) => OPTIONS_OF[name]) };
}

/** How a form wants the locations of its file read. */
export function readingOf(
  fields: Omit<BatchForm, 'collection_name'>,
  { countryCode, config }: FormDeps,
): CollectionReading {
  const reading = Object.fromEntries(
    READING_FIELDS.flatMap((field) => (fields[field] === undefined ? [] : [[field, fields[field]]])),
  );
  const commodity = fields.crop_type === undefined ? {} : { commodity_type: fields.crop_type };
  return {
    locations: locationOptions({ ...reading, ...commodity }, countryCode),
    // Each location has a commodity of its own by then: what its row says, or else that one.
    facility: facilityOptions({}, config),
  };
}

function requestData(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined || isNotGiven(text)) return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  // Some clients write an option that is not set as null.
  if (parsed === null) return {};
  if (isRecord(parsed))
    // What a form can only say as JSON in a text may stand in an object as it is.
    return Object.fromEntries(
      Object.entries(parsed).map(([field, value]) => [
        field,
        typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
      ]),
    );
  throw refused(REQUEST_DATA, 'invalid', `${REQUEST_DATA}: wanted a JSON object, got something else.`);
}

/** Refuses a form without a file. `or` says what else it may hold. */
export function wantFile(file: Upload | null, or = ''): Upload {
  if (file !== null) return file;
  throw refused('file', 'missing_file', `The form holds no file; wanted one in the part "file"${or}, got none.`);
}

/** A file as it is kept, by a name that is safe in a path. */
export function fileOf({ path, size, filename }: Upload): { path: string; size: number; name: string } {
  const name = filename?.replaceAll(/[\p{Cc}/\\]/gu, '_').slice(0, 200) ?? '';
  return { path, size, name: name === '' ? 'locations' : name };
}

/** By what a request is known that is sent once more; null without an `Idempotency-Key`. */
export function repeatOf(request: AnyRequest, what: unknown): RepeatKey | null {
  const key = idempotencyKeyOf(request);
  return key === null ? null : { key, request: what };
}
