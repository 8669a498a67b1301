import type { Commodity } from '../../facilities/commodity/commodities.ts';
import { THRESHOLDS } from '../../facilities/thresholds.ts';
import type { Geometry } from '../../geo/geometry.ts';
import type { Bbox, Shape } from '../../geo/shapes/shape.ts';
import type { LayerRole } from '../../readers/packs/layer/layer-plan.ts';
import type { PackLayer } from '../../readers/packs/layer/pack-layer.ts';
import { featuresAround, featuresInBox, type DrawnFeature } from '../../readers/packs/layer/read-features.ts';

/** Most features of one theme in one answer of `/map_features`. */
export const MAX_MAP_FEATURES = 20_000;
/** Degrees that a box may measure each way. */
export const MAX_MAP_DEGREES = 0.5;
/** Most features of one theme around a facility, the nearest. */
const MAX_SURROUNDINGS = 1_000;

/** What features of each theme are looked at for, and how far from the facility: the thresholds that the checks decide by. */
const THEMES = {
  roads: { role: 'roads', indicator: 'road_access', withinM: THRESHOLDS.roadM },
  water: { role: 'water', indicator: 'water_access', withinM: THRESHOLDS.waterM },
  buildings: { role: 'buildings', indicator: 'building_presence', withinM: THRESHOLDS.buildingM },
  industrial: { role: 'industrial-land', indicator: 'building_presence', withinM: THRESHOLDS.buildingM },
  businesses: { role: 'businesses', indicator: 'poi_presence', withinM: THRESHOLDS.businessM },
  ports: { role: 'ports', indicator: 'port_proximity', withinM: THRESHOLDS.portM },
} as const satisfies Record<string, { role: LayerRole; indicator: string; withinM: number }>;

export type MapTheme = keyof typeof THEMES;
export const MAP_THEMES = Object.keys(THEMES) as readonly MapTheme[];

/** A feature of a regional pack as GeoJSON. */
interface MapFeature {
  readonly type: 'Feature';
  readonly geometry: Geometry;
  readonly properties: {
    readonly theme: MapTheme;
    readonly class: string;
    readonly kind: string;
    readonly name: string | null;
    readonly dataset: string;
    readonly dataset_version: string;
    readonly synthetic: boolean;
    /** The indicator it counts for; only around a facility. */
    readonly indicator?: string;
    readonly distance_m?: number;
  };
}

interface MapFeatures {
  readonly features: readonly MapFeature[];
  /** Themes with more features than were requested. */
  readonly truncated: readonly MapTheme[];
  /** Packs that could not be read: what they hold is not known. */
  readonly failed: readonly { readonly theme: MapTheme; readonly dataset: string; readonly detail: string }[];
}

export interface MapFeatureService {
  /** What packs know inside a box. */
  inBox(box: Bbox, themes: readonly MapTheme[], limit: number, signal: AbortSignal): Promise<MapFeatures>;
  /** What counted for a facility: by each theme, the first pack that knows the place. */
  around(shape: Shape, commodity: Commodity | null, signal: AbortSignal): Promise<MapFeatures>;
}

/** Reads what regional packs hold, to be drawn; `layers` are those of the time of a question. */
export function createMapFeatures(layers: () => readonly PackLayer[]): MapFeatureService {
  const ofTheme = (theme: MapTheme): readonly PackLayer[] => layers().filter(({ role }) => role === THEMES[theme].role);
  return {
    async inBox(box, themes, limit, signal) {
      const answers = themes.flatMap((theme) =>
        ofTheme(theme).map((layer) =>
          read(theme, layer, signal, async () => {
            const { features, truncated } = await featuresInBox(layer, box, limit, signal);
            return { theme, truncated, features: features.map((feature) => asFeature(theme, layer, feature)) };
          }),
        ),
      );
      return joined(await Promise.all(answers));
    },
    async around(shape, commodity, signal) {
      const [lon, lat] = shape.inside;
      const answers = MAP_THEMES.map(async (theme) => {
        const layer = ofTheme(theme).find(({ ground }) => ground.holds(lon, lat));
        if (layer === undefined) return { theme, truncated: false, features: [] };
        return read(theme, layer, signal, async () => {
          const { indicator, withinM } = THEMES[theme];
          const found = await featuresAround(layer, shape, { withinM, commodity, limit: MAX_SURROUNDINGS }, signal);
          const features = found.features.map((feature) => asFeature(theme, layer, feature, indicator));
          return { theme, truncated: found.truncated, features };
        });
      });
      return joined(await Promise.all(answers));
    },
  };
}

interface Part {
  readonly theme: MapTheme;
  readonly truncated: boolean;
  readonly features: readonly MapFeature[];
  readonly failed?: MapFeatures['failed'][number];
}

/** What a layer holds, or that it could not be read: one damaged pack leaves the others to be drawn. */
async function read(
  theme: MapTheme,
  { ref }: PackLayer,
  signal: AbortSignal,
  work: () => Promise<Part>,
): Promise<Part> {
  try {
    return await work();
  } catch {
    signal.throwIfAborted();
    const detail = 'The file of the dataset cannot be read; firstmile data verify says why.';
    return { theme, truncated: false, features: [], failed: { theme, dataset: ref.id, detail } };
  }
}

function joined(parts: readonly Part[]): MapFeatures {
  return {
    features: parts.flatMap(({ features }) => features),
    truncated: [...new Set(parts.filter(({ truncated }) => truncated).map(({ theme }) => theme))],
    failed: parts.flatMap(({ failed }) => failed ?? []),
  };
}

function asFeature(
  theme: MapTheme,
  { ref }: PackLayer,
  { geometry, distanceM, ...labels }: DrawnFeature,
  indicator?: string,
): MapFeature {
  return {
    type: 'Feature',
    geometry,
    properties: {
      theme,
      ...labels,
      dataset: ref.id,
      dataset_version: ref.version,
      synthetic: ref.synthetic,
      ...(indicator === undefined ? {} : { indicator }),
      ...(distanceM === undefined ? {} : { distance_m: Math.round(distanceM) }),
    },
  };
}
