import type { Config } from '../config/settings.ts';
import type { FacilityOptions } from '../facilities/options.ts';
import type { WrittenPatch } from '../forest/feature-text.ts';
import { findCrs } from '../geo/crs/find-crs.ts';
import type { LonLat } from '../geo/shapes/shape.ts';
import type { FeatureFormat } from '../locations/formats/feature-text.ts';
import type { FacilityService } from '../service/facilities/facilities.ts';
import { rateFile, type RatedFile } from '../service/facilities/rate-file.ts';
import type { ForestService } from '../service/forest/forest.ts';

/** Lookups of one place, which a running service answers in a fraction of the time that opening its data takes. */
export interface PlaceLookups {
  lookUpForest(request: { readonly point: LonLat; readonly crs: string }): Promise<WrittenPatch>;
  /** Rates a small file; throws where it is no file of facilities. */
  rateFacilities(request: {
    readonly bytes: Uint8Array;
    readonly options: FacilityOptions;
    readonly format: FeatureFormat;
  }): Promise<RatedFile & { readonly text: string }>;
  /** The catalogue that it answers from; null where it has none of its own. */
  catalogueInUse(): Promise<string | null>;
}

/** Whoever may open the socket is one caller: their lookups take turns with those of users. */
const CALLER = 'command line';

export function createPlaceLookups(
  facilities: FacilityService,
  forest: ForestService,
  { catalogue }: Pick<Config, 'catalogue'>,
  closing: AbortSignal,
): PlaceLookups {
  return {
    async lookUpForest({ point, crs: name }) {
      const crs = findCrs(name);
      if ('refused' in crs) throw new Error(crs.refused);
      const feature = { type: 'Feature', geometry: { type: 'Point', coordinates: point }, properties: {} };
      const [patch] = await forest.lookUp(CALLER, [feature], crs, closing);
      return patch!;
    },
    async rateFacilities({ bytes, options, format }) {
      await facilities.inspect(only(bytes));
      let text = '';
      const write = async (pieces: AsyncIterable<string>): Promise<void> => {
        for await (const piece of pieces) text += piece;
      };
      const ignore = (): void => {};
      const rated = await rateFile(
        { facilities, bytes: only(bytes), options, format, write, onRated: ignore, onFetch: ignore },
        closing,
      );
      return { text, ...rated };
    },
    catalogueInUse: async () => catalogue,
  };
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
