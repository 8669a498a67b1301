import type { Config } from '../../config/settings.ts';
import type { LonLat } from '../../geo/shapes/shape.ts';
import { covers } from '../../readers/catalogue/catalogue.ts';
import { MODELS_URL, PUBLISHED_MODELS } from '../../readers/models/published-models.ts';
import type { DetectionThreadData } from '../detection/run-detection-thread.ts';
import { headsFor, PLANTATION } from '../detection/heads.ts';
import { mapsAt } from '../detection/maps.ts';
import { createFetches, type FetchLog } from '../outside/fetch-once.ts';
import { isPublicAddress } from '../outside/public-hosts.ts';
import { isOutOfReach } from '../../readers/io/byte-error.ts';
import type { SourceLayer } from '../world/source-layers.ts';
import { installedHeads, installHead, publicPlace } from './installed-models.ts';

/** What published heads are fetched with. */
export type ModelFetchConfig = Pick<
  Config,
  'dataDir' | 'checkTimeoutMs' | 'publicData' | 'autoData' | 'models' | 'modelsUrl'
>;

interface ModelFetchDeps {
  /** What detection works with now. */
  data(): Pick<DetectionThreadData, 'heads' | 'maps' | 'embeddings'>;
  /** Makes detection work with what was installed. */
  renew(): Promise<void>;
  readonly log: FetchLog;
  /** Hears what fetching a head of a generation ended with; null is that it is what it should be. */
  readonly onFetched?: (model: string, error: unknown) => void;
}

/** Fetches heads that are not installed when they are first needed. */
interface ModelFetcher {
  /** To be queried before detection. Never answers: detection has the head then, or the question fails with the reason. */
  readonly sources: Pick<SourceLayer, 'commodityShare' | 'plantationShare'>;
  close(): Promise<void>;
}

/** Part of a check's time that is waited for a head; the rest is for what it has to read. */
const WAIT_SHARE = 0.5;

/** Whether heads are fetched by themselves. */
export function areModelsFetched({ publicData, autoData, models, modelsUrl }: ModelFetchConfig): boolean {
  return autoData && models === 'auto' && (publicData || !isPublicAddress(modelsUrl));
}

/** Opens what fetches heads; nothing is looked at or requested before the first question that needs one. */
export function openModelFetcher(config: ModelFetchConfig, deps: ModelFetchDeps): ModelFetcher {
  const { data, renew, log, onFetched = () => {} } = deps;
  const fetches = createFetches(config, { waitMs: config.checkTimeoutMs * WAIT_SHARE, log });

  async function fetchHeads(commodities: readonly string[]): Promise<null> {
    const fetched = await Promise.allSettled(
      commodities.map((commodity) =>
        fetches.need({
          name: `model-${commodity}`,
          words: `the detection model of ${commodity}`,
          isThere: () => isInstalled(config, commodity),
          fetch: (signal) => installNewest(config, commodity, { log, onFetched }, signal),
        }),
      ),
    );
    if (fetched.some(({ status }) => status === 'fulfilled')) await renew();
    const failure = fetched.find(({ status }) => status === 'rejected');
    if (failure !== undefined) throw (failure as PromiseRejectedResult).reason;
    return null;
  }

  function fetchMissing(subject: string, at: LonLat): Promise<null> | null {
    const missing = missingHeads(data(), subject, at);
    return missing.length === 0 ? null : fetchHeads(missing);
  }

  return {
    sources: {
      commodityShare: (commodity, shape) => fetchMissing(commodity, shape.inside),
      plantationShare: (shape) => fetchMissing(PLANTATION, shape.inside),
    },
    close: fetches.close,
  };
}

/** Commodities of published heads that would answer at a place and are not installed. */
function missingHeads(
  { heads, maps, embeddings }: ReturnType<ModelFetchDeps['data']>,
  subject: string,
  at: LonLat,
): readonly string[] {
  const isMapped = subject !== PLANTATION && mapsAt(maps, subject, at).length > 0;
  if (isMapped || !embeddings.some(({ synthetic, coverage }) => !synthetic && covers(coverage, ...at))) return [];
  const near = PUBLISHED_MODELS.filter(({ latitude }) => Math.abs(at[1]) <= latitude);
  const commodities = new Set<string>(near.flatMap((model) => model.heads.map(({ commodity }) => commodity)));
  return [...commodities].filter(
    (commodity) => [commodity, PLANTATION].includes(subject) && headsFor(heads, commodity, at, false).length === 0,
  );
}

/** Installs the head of the newest generation that can be used. One that nobody could look at is not passed over. */
async function installNewest(
  config: ModelFetchConfig,
  commodity: string,
  { log, onFetched }: Required<Pick<ModelFetchDeps, 'log' | 'onFetched'>>,
  signal: AbortSignal,
): Promise<void> {
  let failure: unknown = null;
  for (const model of PUBLISHED_MODELS.toReversed()) {
    const published = model.heads.find((head) => head.commodity === commodity);
    if (published === undefined) continue;
    const place = publicPlace(model, published).replace(MODELS_URL, config.modelsUrl);
    try {
      const { archiveBytes, about } = await installHead(config, model, published, place, signal);
      const { licence, attribution, sha256 } = about;
      log.info(
        { model: model.id, commodity, bytes: archiveBytes, licence, attribution, sha256, from: place },
        'a detection model was installed',
      );
      onFetched(model.id, null);
      return;
    } catch (error) {
      signal.throwIfAborted();
      onFetched(model.id, error);
      if (isOutOfReach(error)) throw error;
      log.warn({ model: model.id, commodity, err: error }, 'a published detection model cannot be used');
      failure = error;
    }
  }
  throw failure;
}

async function isInstalled(config: ModelFetchConfig, commodity: string): Promise<boolean> {
  return (await installedHeads(config)).some(
    ({ about }) => about.commodity === commodity && PUBLISHED_MODELS.some(({ id }) => id === about.model),
  );
}
