import type { Config } from '../../config/settings.ts';
import { WIDEST_DEGREES } from '../../readers/live/overpass/overpass-source.ts';
import { MAX_NAMES, MAX_RECORDS } from '../../readers/producers/registry.ts';
import { MODEL_MS } from './language-model.ts';
import { DEADLINE_SHARES, KEPT_DAYS, LIVE_CONCURRENCY } from './live-sources.ts';

type LimitConfig = Pick<Config, 'checkTimeoutMs' | 'liveCacheMb' | 'overpassConcurrency' | 'languageModelConcurrency'>;

interface Limit {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly description: string;
}

/** The limits of live services, of the language model and of producer registries. */
export function liveLimits(config: LimitConfig): readonly Limit[] {
  const row = (name: string, value: number, unit: string, description: string): Limit => ({
    name,
    value,
    unit,
    description,
  });
  const deadline = (name: string, share: number, description: string): Limit =>
    row(`${name}_timeout_ms`, Math.round(config.checkTimeoutMs * share), 'ms', description);
  return [
    deadline('google_places', DEADLINE_SHARES['google-places'], 'Deadline of a question to Google Places.'),
    deadline('overpass', DEADLINE_SHARES.overpass, 'Deadline of a question to Overpass.'),
    deadline('registry_services', DEADLINE_SHARES.registries, 'Deadline of a question to a producer registry service.'),
    deadline('language_model', DEADLINE_SHARES.comments, 'Deadline of a comment by the language model.'),
    row('language_model_text_timeout_ms', MODEL_MS.prose, 'ms', 'Deadline of a piece of a text or PDF document.'),
    row(
      'language_model_columns_timeout_ms',
      MODEL_MS.columns,
      'ms',
      'Deadline of proposals for the columns of a table.',
    ),
    row('overpass_at_once', config.overpassConcurrency, 'requests', 'Requests of a process to Overpass at a time.'),
    row(
      'live_service_at_once',
      LIVE_CONCURRENCY,
      'requests',
      'Requests of a process to any other live service at a time.',
    ),
    row(
      'language_model_at_once',
      config.languageModelConcurrency,
      'requests',
      'Requests of a process to the language model at a time.',
    ),
    row('live_cache_mb', config.liveCacheMb, 'MB', 'Kept answers of live services on disk.'),
    row('overpass_fresh_days', KEPT_DAYS.overpass.fresh, 'days', 'Age up to which a kept answer of Overpass is used.'),
    row('overpass_stale_days', KEPT_DAYS.overpass.stale, 'days', 'Age up to which it stands in when Overpass fails.'),
    row(
      'registry_services_fresh_days',
      KEPT_DAYS.registries.fresh,
      'days',
      'Age up to which a kept answer of a registry service is used.',
    ),
    row(
      'registry_services_stale_days',
      KEPT_DAYS.registries.stale,
      'days',
      'Age up to which it stands in when the service fails.',
    ),
    row('overpass_facility_degrees', WIDEST_DEGREES, 'degrees', 'Widest facility that Overpass is queried for.'),
    row('registry_records', MAX_RECORDS, 'records', 'Producers of one imported registry.'),
    row('registry_names', MAX_NAMES, 'names', 'Names of one producer that are kept.'),
  ];
}
