import type { App } from '../../server/app.ts';
import { answerWithBadRequest } from './answers.ts';
import { type FeatureRouteDeps, addFeatureRoutes } from './features.ts';
import { addTileRoutes, type TileRouteDeps } from './tiles.ts';

/** OGC API - Features and vector tiles over everything that has a place on a map. */
export function mapRoutes(deps: FeatureRouteDeps & TileRouteDeps) {
  return (app: App): void => {
    answerWithBadRequest(app);
    addFeatureRoutes(app, deps);
    addTileRoutes(app, deps);
  };
}
