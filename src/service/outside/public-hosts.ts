import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { PUBLIC_EMBEDDINGS } from '../../readers/embeddings/public-datasets.ts';
import { PUBLIC_REGISTERS } from '../../readers/producers/public-registers.ts';
import { MODELS_URL } from '../../readers/models/published-models.ts';
import {
  OVERTURE_INDEX_MIRROR,
  OVERTURE_INDEX_URL,
  OVERTURE_MIRROR,
  OVERTURE_URL,
} from '../../readers/overture/overture-types.ts';
import { PUBLIC_RASTERS } from '../../readers/rasters/public-rasters.ts';

/**
 * Hosts that the service names by itself. They are out of reach when the public internet is; an operator's own hosts may be
 * on a network of theirs.
 */
const PUBLIC_HOSTS: ReadonlySet<string> = new Set(
  [
    OVERTURE_URL,
    ...PUBLIC_REGISTERS.flatMap(({ page, folder }) => [page, folder]),
    OVERTURE_MIRROR,
    OVERTURE_INDEX_URL,
    OVERTURE_INDEX_MIRROR,
    MODELS_URL,
    ...([...PUBLIC_EMBEDDINGS, ...PUBLIC_RASTERS] as readonly Dataset[]).flatMap(({ url = '', contract, options }) => [
      url,
      ...(contract?.mirrors ?? []),
      ...(typeof options['baseUrl'] === 'string' ? [options['baseUrl']] : []),
      ...(typeof contract?.newest === 'object' ? [contract.newest.listing] : []),
    ]),
  ].map(hostOf),
);

export function isPublicAddress(url: string): boolean {
  return PUBLIC_HOSTS.has(hostOf(url));
}

function hostOf(url: string): string {
  return URL.parse(url.replaceAll(/[{}]/g, ''))?.host ?? '';
}
