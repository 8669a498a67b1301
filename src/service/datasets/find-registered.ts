import type { Answer, BusinessesNearby, FacilitySources, MaybeAnswer } from '../../facilities/sources.ts';
import { BUSINESS_REACH_M } from '../../readers/themes/business-table.ts';
import type { Registry } from '../../readers/producers/open-registry.ts';

type Businesses = FacilitySources['businesses'];

/**
 * Businesses as `first` finds them, and where it finds none or cannot say, the records of installed registries close by: a mill that a
 * register lists is a business of its chain. A registry that finds nothing says nothing, since no register is complete.
 */
export function findRegistered(first: Businesses, registries: readonly Registry[]): Businesses {
  const located = registries.filter(({ meta }) => meta.located > 0);
  if (located.length === 0) return first;
  return (commodity, shape, withinM, signal): MaybeAnswer<BusinessesNearby> => {
    const registered = (): Answer<BusinessesNearby> | null => {
      const limitM = Math.min(withinM, BUSINESS_REACH_M.register);
      for (const registry of located) {
        if (!registry.covers(shape)) continue;
        const value = registry.near(commodity, shape, limitM);
        if (value.count > 0) return { dataset: registry.dataset, value };
      }
      return null;
    };
    const settle = (found: Answer<BusinessesNearby> | null): Answer<BusinessesNearby> | null =>
      found !== null && found.value.count > 0 ? found : (registered() ?? found);
    const instead = (error: unknown): Answer<BusinessesNearby> => {
      const found = registered();
      if (found === null) throw error;
      return found;
    };
    let answer: MaybeAnswer<BusinessesNearby>;
    try {
      answer = first(commodity, shape, withinM, signal);
    } catch (error) {
      return instead(error);
    }
    return answer instanceof Promise ? answer.then(settle, instead) : settle(answer);
  };
}
