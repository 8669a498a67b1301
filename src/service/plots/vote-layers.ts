import { INDICATORS, type Indicator } from '../../plots/indicators.ts';
import type { ContractWord, EvidenceSource } from '../../plots/evidence.ts';
import { CatalogueError } from '../../readers/catalogue/catalogue.ts';
import type { Dataset } from '../../readers/catalogue/dataset.ts';
import { encodeVotes } from '../../readers/rasters/encode-row.ts';
import type { RasterMap } from '../../readers/rasters/raster-map.ts';
import { voteRaster, type VoteSpec } from '../../readers/rasters/vote-spec.ts';
import { oneMap } from './rasters.ts';

/** A dataset that votes on plots, ready to be measured. */
export interface VoteLayer {
  readonly spec: VoteSpec;
  readonly map: RasterMap<Uint8Array>;
  /** Its entry in the catalogue. */
  readonly entry: Dataset;
  /** Layers of the same host are read together: one that does not answer must not keep the others waiting. */
  readonly origin: string;
}

/** The datasets of a catalogue that vote, in its order. @throws CatalogueError that names entry and option. */
export function voteLayers(datasets: readonly Dataset[]): readonly VoteLayer[] {
  return datasets.flatMap((entry) => {
    const spec = voteRaster(entry);
    if (spec === null || spec.rules.length === 0) return [];
    for (const { indicator } of spec.rules)
      if (!isIndicator(indicator))
        throw new CatalogueError(
          `${entry.id}: options.votes: indicator: wanted one of ${INDICATORS.join(', ')}, got ${JSON.stringify(indicator)}`,
        );
    const origin = entry.url === undefined ? '' : (URL.parse(entry.url)?.host ?? entry.url);
    return [{ ...oneMap(spec, encodeVotes), entry, origin }];
  });
}

/** Which questions a layer answers. */
export function sourcesOf({ spec, entry }: VoteLayer, contract: ContractWord): readonly EvidenceSource[] {
  const { id, version, date, synthetic } = entry;
  return spec.rules.map(({ indicator, commodity }) => ({
    indicator: indicator as Indicator,
    dataset: id,
    version,
    date,
    synthetic,
    contract,
    ...(commodity === undefined ? {} : { commodity }),
    ...(spec.years === null ? {} : { years: spec.years }),
  }));
}

function isIndicator(name: string): name is Indicator {
  return (INDICATORS as readonly string[]).includes(name);
}
