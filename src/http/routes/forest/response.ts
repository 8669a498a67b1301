import { FOREST_MEDIA_TYPE } from '../../../service/forest/task.ts';
import { ForestCollection } from './schemas.ts';

/** Media types of a collection of patches, the preferred one first. */
export const FOREST_MEDIA_TYPES = [FOREST_MEDIA_TYPE, 'application/json'];

/** The response schema of a collection of patches. */
export function collectionResponse(description: string): unknown {
  return {
    description,
    content: Object.fromEntries(FOREST_MEDIA_TYPES.map((type) => [type, { schema: ForestCollection }])),
  };
}
