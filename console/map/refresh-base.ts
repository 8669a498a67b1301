import type { FeatureCollection } from 'geojson';
import type { GeoJSONSource } from 'maplibre-gl';
import { language } from '../text/translate.ts';
import { baseMapFor, worldMap, type View } from './base-map.ts';
import type { MapLibreMap } from './open-map.ts';
import { packFeaturesFor } from './pack-tiles.ts';

/** What lies in view is fetched as the map moves; what came for a view that is left again is not shown. */
export function createRefresh(map: MapLibreMap) {
  let baseKey = '';
  let packKey = '';
  let run = 0;
  const set = (id: string, data: FeatureCollection): void => {
    (map.getSource(id) as GeoJSONSource | undefined)?.setData(data);
  };
  return {
    forget() {
      baseKey = packKey = '';
      void nameCountries(set);
    },
    async run() {
      const mine = ++run;
      const view = viewOf(map);
      const [base, packs] = await Promise.allSettled([baseMapFor(view), packFeaturesFor(view)]);
      if (mine !== run) return;
      if (base.status === 'fulfilled' && base.value.key !== baseKey) {
        baseKey = base.value.key;
        for (const [id, data] of Object.entries(base.value.data)) set(id, data);
      }
      if (packs.status === 'fulfilled' && packs.value.key !== packKey) {
        packKey = packs.value.key;
        set('packs', packs.value.data);
      }
    },
  };
}

/** Countries by their names in the language of the page. */
async function nameCountries(set: (id: string, data: FeatureCollection) => void): Promise<void> {
  const { piece } = await worldMap();
  const names = new Intl.DisplayNames(language.peek(), { type: 'region', fallback: 'none' });
  set('countries', {
    type: 'FeatureCollection',
    features: piece.countries.flatMap(([code, lon, lat, people]) => {
      const name = names.of(code);
      return name === undefined
        ? []
        : [
            {
              type: 'Feature',
              properties: { name, people },
              geometry: { type: 'Point', coordinates: [lon, lat] },
            } as const,
          ];
    }),
  });
}

function viewOf(map: MapLibreMap): View {
  const bounds = map.getBounds();
  return {
    west: bounds.getWest(),
    south: bounds.getSouth(),
    east: bounds.getEast(),
    north: bounds.getNorth(),
    zoom: map.getZoom(),
  };
}
