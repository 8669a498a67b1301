import type { ServiceLimit } from '../http/server/server-deps.ts';
import type { Config } from '../config/settings.ts';
import { BASES, BUILDING_VALUES, LEVELS, PENALTIES, THRESHOLDS } from '../facilities/thresholds.ts';
import { DEFAULT_SIDES } from '../geo/segmentation/find-segment.ts';
import { BUSINESS_REACH_M } from '../readers/themes/business-table.ts';
import { DEFAULT_DEADLINE_MS } from '../readers/embeddings/embedding-source-deadline.ts';
import { MAX_CRASHES, MAX_PROCESS_CRASHES } from '../db/tasks/end-leases.ts';
import { CRASHES_OF_LOCATION, ONE_BY_ONE } from '../service/plots/set-aside.ts';
import { FARTHEST_M } from '../service/detection/answer.ts';
import { WIDEST_M } from '../service/detection/detection.ts';
import { MOST_PIXELS } from '../service/detection/places.ts';
import { TRAINING_RULES } from '../service/models/training-rules.ts';
import { collectionLimits } from '../service/collections/limits.ts';
import { dueDiligenceLimits } from '../service/collections/due-diligence-limits.ts';
import { emailLimits } from '../service/email/limits.ts';
import { FEATURE_BYTES } from '../service/facilities/facilities.ts';
import { MAX_PAUSE_S, MAX_WAITING_FILES } from '../service/files/file-work.ts';
import { MAX_FOREST_FEATURES } from '../service/forest/forest.ts';
import { locationLimits } from '../service/locations/limits.ts';
import { MAX_MAP_DEGREES, MAX_MAP_FEATURES, MAX_SURROUNDINGS } from '../service/world/map-features.ts';
import { fetchLimits } from '../service/collections/fetch-limits.ts';
import { liveLimits } from '../service/world/live-limits.ts';
import { parcelLimits } from '../service/parcels/limits.ts';
import { plotLimits } from '../service/plots/limits.ts';
import { webhookLimits } from '../service/webhooks/limits.ts';

const THRESHOLD_UNITS = { M: 'm', M2: 'm2' } as const;

/** Every limit of the service in addition to those of HTTP itself: settings first, then the tables the checks decide by. */
export function serviceLimits(config: Config): readonly ServiceLimit[] {
  const limit = (name: string, value: number, unit: string, description: string): ServiceLimit => ({
    name,
    value,
    unit,
    description,
  });
  return [
    limit('upload_mb', config.maxUploadMb, 'MB', 'The file of one request, in MB of 1,000,000 bytes.'),
    ...collectionLimits(config),
    ...plotLimits(),
    limit('features_per_upload', config.maxFeatures, 'features', 'Features in one file.'),
    limit(
      'file_threads',
      config.fileThreads,
      'threads',
      'Uploaded files that a process reads and answers at the same time; one more for a user who has none at work.',
    ),
    limit('file_memory_mb', config.fileMemoryMb, 'MB', 'Memory in which one uploaded file is read.'),
    limit(
      'file_work_s',
      MAX_PAUSE_S,
      's',
      'Work on one feature or record of an uploaded file, after which the file is refused.',
    ),
    limit(
      'files_waiting',
      MAX_WAITING_FILES,
      'files',
      'Uploaded files that wait for a thread before new ones get 503.',
    ),
    limit('feature_bytes', FEATURE_BYTES.atOnce, 'bytes', 'One feature of a file.'),
    limit('feature_bytes_async', FEATURE_BYTES.asTask, 'bytes', 'One feature of a file sent with async_mode=true.'),
    limit(
      'facilities_in_flight',
      config.facilitiesInFlight,
      'facilities',
      'Facilities of one batch that are checked at the same time.',
    ),
    limit('check_timeout_ms', config.checkTimeoutMs, 'ms', 'Deadline of each check; one that misses it is unknown.'),
    limit('detection_pixels', MOST_PIXELS, 'pixels', 'Pixels that detection models look at around one facility.'),
    limit('detection_radius_m', FARTHEST_M, 'm', 'Farthest that detection models look, whatever commodity_radius is.'),
    limit('detection_width_m', WIDEST_M, 'm', 'Width of the widest facility that detection models and maps measure.'),
    limit('training_labels', TRAINING_RULES.mostLabels, 'labels', 'Labels that one detection head is trained on.'),
    limit('map_features', MAX_MAP_FEATURES, 'features', 'Features of one theme in one answer of /map_features.'),
    limit('map_degrees', MAX_MAP_DEGREES, 'degrees', 'Width and height of the box of /map_features.'),
    limit(
      'surroundings',
      MAX_SURROUNDINGS,
      'features',
      'Features of one theme in /facility_surroundings, the nearest.',
    ),
    limit('forest_features', MAX_FOREST_FEATURES, 'features', 'Features of one forest lookup request.'),
    limit(
      'forest_threads',
      config.forestThreads,
      'threads',
      'Worker threads of a process that look up forest patches.',
    ),
    limit(
      'forest_window_cells',
      DEFAULT_SIDES.at(-1) ?? 0,
      'cells',
      'Side of the largest window that a segment is cut from, in cells of 20 m; a larger segment is truncated.',
    ),
    limit('forest_memory_mb', config.forestMemoryMb, 'MB', 'Decoded embeddings that forest lookups hold in memory.'),
    limit(
      'forest_lookups_queued',
      config.forestMaxQueued,
      'points',
      'Forest lookups that wait before new ones get 503.',
    ),
    limit(
      'embeddings_read_timeout_ms',
      DEFAULT_DEADLINE_MS,
      'ms',
      'Deadline of one read of embeddings, all its requests together; an entry of the catalogue may set another.',
    ),
    limit('cache_max_mb', config.cacheMaxMb, 'MB', 'Disk cache of remote data.'),
    limit('forest_point_timeout_ms', config.forestPointTimeoutMs, 'ms', 'Deadline of the forest lookup of one point.'),
    limit(
      'forest_batch_timeout_ms',
      config.forestBatchTimeoutMs,
      'ms',
      'Deadline of a forest lookup answered at once.',
    ),
    limit(
      'pack_memory_mb',
      config.packMemoryMb,
      'MB',
      'Layers of regional packs held in memory; the others are read from disk.',
    ),
    ...parcelLimits(config),
    ...locationLimits(),
    ...fetchLimits(),
    ...liveLimits(config),
    ...webhookLimits(config),
    ...emailLimits(),
    ...dueDiligenceLimits(),
    limit(
      'tasks_at_once',
      config.taskConcurrency,
      'tasks',
      'Tasks one process works on at the same time; one more for a user who has none at work.',
    ),
    limit('tasks_queued', config.taskMaxQueued, 'tasks', 'Unfinished tasks before new ones are refused with 503.'),
    limit('tasks_per_user', config.tasksPerUser, 'tasks', 'Unfinished tasks of one user before more get 429.'),
    limit(
      'stored_mb_per_user',
      config.storedMbPerUser,
      'MB',
      'Files of collections, results and tasks of one user together; more is a 413.',
    ),
    limit(
      'uploads_per_user',
      config.uploadsPerUser,
      'uploads',
      'Uploads of one user that arrive or are answered at the same time, in each process, before more get 429.',
    ),
    limit(
      'task_runtime_s',
      config.taskMaxRuntimeS,
      's',
      'How long one run of a task may take; a batch that has kept locations in it goes on in another run.',
    ),
    limit(
      'task_deaths',
      MAX_CRASHES,
      'crashes',
      'Crashes of its worker thread, with no checkpoint in between, after which a task fails for good.',
    ),
    limit(
      'location_crashes',
      CRASHES_OF_LOCATION,
      'crashes',
      'Crashes of a worker thread on one location alone, after which a batch sets the location aside.',
    ),
    limit(
      'locations_one_by_one',
      ONE_BY_ONE,
      'locations',
      'Locations that a batch works on one by one after a crash of its worker thread.',
    ),
    limit(
      'task_process_crashes',
      MAX_PROCESS_CRASHES,
      'crashes',
      'Unexpected ends of the whole process, with nothing kept in between, after which a task fails for good.',
    ),
    limit('audit_retention_days', config.auditRetentionDays, 'days', 'How long administrative acts stay in the log.'),
    limit('task_retention_days', config.taskRetentionDays, 'days', 'How long results are kept.'),
    ...Object.entries(THRESHOLDS).map(([name, value]) =>
      limit(`threshold_${snakeCase(name)}`, value, unitOf(name), 'Decides a check; see docs/how-a-score-is-made.md.'),
    ),
    ...Object.entries(BUSINESS_REACH_M).map(([name, value]) =>
      limit(`threshold_business_${name}_m`, value, 'm', BUSINESS_REACHES[name as keyof typeof BUSINESS_REACH_M]),
    ),
    ...PENALTIES.map(({ indicator, condition, hundredths }, i) =>
      limit(
        `penalty_${indicator}${i === 1 ? '_low' : ''}`,
        hundredths / 100,
        'score',
        `Taken off the score when ${condition}.`,
      ),
    ),
    ...Object.entries(BUILDING_VALUES).map(([name, value]) =>
      limit(`building_presence_${name}`, value, 'value', `building_presence where the buildings are ${name}.`),
    ),
    ...LEVELS.map(({ level, from }) =>
      limit(`level_${level}_from`, from / 100, 'score', `Lowest score of the level ${level}.`),
    ),
    ...BASES.map(({ basis, from }) =>
      limit(`basis_${basis}_from`, from / 100, 'share', `Least evidence_coverage of the basis ${basis}.`),
    ),
  ];
}

const BUSINESS_REACHES = {
  general:
    'Distance to a business of a general industrial kind that has a word or product of the chain; see docs/businesses.md.',
  register: 'Distance to a record of a register of producers or facilities; see docs/businesses.md.',
} as const satisfies Record<keyof typeof BUSINESS_REACH_M, string>;

function snakeCase(name: string): string {
  return name.replaceAll(/([A-Z][a-z]|M2?$)/g, (part) => `_${part.toLowerCase()}`);
}

function unitOf(name: string): string {
  const suffix = /M2?$/.exec(name)?.[0] as keyof typeof THRESHOLD_UNITS | undefined;
  return suffix === undefined ? '1' : THRESHOLD_UNITS[suffix];
}
