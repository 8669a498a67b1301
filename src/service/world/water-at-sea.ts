import type { Answer, FacilitySources, MaybeAnswer, Nearby } from '../../facilities/sources.ts';
import { whenReady } from '../../maybe-promise.ts';

type NearestWater = FacilitySources['nearestWater'];

/** Metres by which the built-in outline of the sea may be off. */
const OUTLINE_M = 250;

/**
 * The nearest water, 0 m away for a place in the sea. Packs of OpenStreetMap know the sea by its coast alone, so that out there they find it
 * far away or not at all; the built-in sea is an area, and answers where it holds a place that is farther from the coast than its outline is off.
 */
export function waterAtSea(nearest: NearestWater, builtIn: NearestWater): NearestWater {
  return (shape, withinM, signal) => {
    const checked = (answer: Answer<Nearby | null> | null): MaybeAnswer<Nearby | null> => {
      if (answer === null || !isFromCoast(answer.value)) return answer;
      try {
        const area = builtIn(shape, withinM, signal);
        if (!(area instanceof Promise)) return chosen(answer, area);
        return area.then(
          (later) => chosen(answer, later),
          () => answer,
        );
      } catch {
        return answer;
      }
    };
    const found = nearest(shape, withinM, signal);
    return whenReady(found, checked);
  };
}

/** Whether the place may lie in the sea although this was found. */
function isFromCoast(found: Nearby | null): boolean {
  return found === null || (found.kind === 'sea' && found.distanceM > OUTLINE_M);
}

function chosen(answer: Answer<Nearby | null>, area: Answer<Nearby | null> | null): Answer<Nearby | null> {
  return area?.value?.kind === 'sea' && area.value.distanceM === 0 ? area : answer;
}
