import { bucketPlace, type BucketConfig, type BucketPlace } from '../../config/bucket-place.ts';
import type { Config } from '../../config/settings.ts';
import { isPublicAddress } from '../outside/public-hosts.ts';
import type { FetchConfig } from './fetch-cell.ts';

export type AutoDataConfig = FetchConfig &
  Pick<Config, 'autoData' | 'autoDataMaxMb' | 'checkTimeoutMs' | 'packMemoryMb'> & {
    /** Where all hosts of an installation share what one of them fetched; absent: every data folder is on its own. */
    readonly bucket?: BucketPlace;
  };

/** The settings of what is fetched; null where nothing is. */
export function autoDataConfig(
  config: Partial<AutoDataConfig & Pick<Config, 'publicData'> & BucketConfig>,
): AutoDataConfig | null {
  if (config.autoData !== true) return null;
  if (config.publicData === false && isPublicAddress(config.overtureUrl ?? '')) return null;
  const { dataDir, cacheMaxMb, autoDataMaxMb, checkTimeoutMs, packMemoryMb, overtureUrl, overtureIndexUrl } =
    config as AutoDataConfig;
  const own = { dataDir, cacheMaxMb, autoData: true, autoDataMaxMb, checkTimeoutMs, packMemoryMb };
  const bucket = config.objectStoreUrl === undefined ? null : bucketPlace(config as BucketConfig);
  return { ...own, overtureUrl, overtureIndexUrl, ...(bucket === null ? {} : { bucket }) };
}
