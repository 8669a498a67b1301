import type { FeatureCollection, Geometry } from 'geojson';
import { call, type Answer } from '../../api/client.ts';
import { WhenLoaded, type WhenLoadedProps } from '../../parts/when-loaded.tsx';
import { formatNumber, t, tWord } from '../../text/translate.ts';
import type { Place } from './lookup.ts';

type Parcel = Answer<'searchParcels'>['features'][number];

/** The cadastral parcel that holds a place. */
export async function parcelAt({ lon, lat }: Place, signal: AbortSignal): Promise<Parcel | null> {
  const { features } = await call('searchParcels', {
    body: { features: [{ type: 'Feature', geometry: { type: 'Point', coordinates: [lon, lat] } }] },
    accept: 'application/geo+json, application/json;q=0.9',
    signal,
  });
  return features[0] ?? null;
}

export function parcelData(parcel: Parcel | null): FeatureCollection {
  const geometry = parcel?.geometry as Geometry | null | undefined;
  return {
    type: 'FeatureCollection',
    features: geometry ? [{ type: 'Feature', properties: {}, geometry }] : [],
  };
}

/** What the cadastre says of the place, or why it says nothing. */
export function ParcelNote(props: Pick<WhenLoadedProps<Parcel | null>, 'loaded' | 'onAgain'>) {
  return <WhenLoaded {...props}>{(parcel) => parcel !== null && <Shown parcel={parcel} />}</WhenLoaded>;
}

function Shown({ parcel: { properties: p } }: { readonly parcel: Parcel }) {
  return (
    <section>
      <h2>{t('forest.parcel')}</h2>
      {p.parcel_id && (
        <p>
          <span class="mono">{p.parcel_id}</span> {p.jurisdiction}{' '}
          {p.area_ha !== null && `${formatNumber(p.area_ha)} ha`}
        </p>
      )}
      {p.warnings.map(({ code, message }) => (
        <p key={code} class="notice">
          <strong>{tWord('warning', code)}</strong> {message}
        </p>
      ))}
    </section>
  );
}
