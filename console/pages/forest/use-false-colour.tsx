import { useEffect, useMemo, useState } from 'preact/hooks';
import type { MapPicture } from '../../map/map-picture.ts';
import { useLoad } from '../../parts/use-load.ts';
import { param } from '../../state/address.ts';
import { comparison, falseColourAt, readYears } from './false-colour.ts';
import { FalseColourPanel } from './false-colour-panel.tsx';
import type { Place } from './lookup.ts';

/** Embeddings in false colour around a place, while they are wanted, and what is chosen of them. */
export function useFalseColour(centre: Place | null) {
  const isOn = param('colours') === '1' && centre !== null;
  const text = param('years');
  const years = useMemo(() => readYears(text), [text]);
  const [share, setShare] = useState(0.5);
  const [picture, setPicture] = useState<MapPicture | null>(null);
  const key = isOn ? `colours ${centre.lon} ${centre.lat} ${text ?? ''}` : null;
  const [loaded, again] = useLoad(key, (signal) => falseColourAt(centre as Place, years, signal));
  const found = isOn && loaded.state === 'ready' ? loaded.value : null;
  useEffect(() => {
    let isCurrent = true;
    if (found === null) setPicture(null);
    else void comparison(found, years, share).then((made) => isCurrent && setPicture(made));
    return () => {
      isCurrent = false;
    };
  }, [found, years, share]);
  return {
    picture,
    panel: <FalseColourPanel loaded={loaded} onAgain={again} years={years} share={share} onShare={setShare} />,
  };
}
