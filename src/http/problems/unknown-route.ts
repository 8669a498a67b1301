import { Problem } from '../../errors.ts';
import type { App } from '../server/app.ts';
import { nearestName } from '../../nearest-name.ts';
import { sendProblem } from './send-problem.ts';

/** Answers requests that no route takes: 405 with `Allow` when the address exists for another method, 404 otherwise. */
export function answerUnknownRoutes(app: App): void {
  const routes = app.knownRoutes;
  app.setNotFoundHandler((request, reply) => {
    const path = withoutTrailingSlash(request.url.split('?', 1)[0]!);
    const matching = routes.filter(({ url }) => matches(url, path));
    // An address that is written out is no id of another, so what could be done to that is not offered.
    const written = matching.filter(({ url }) => url === path);
    const methods = (written.length > 0 ? written : matching).map(({ method }) => method);
    if (methods.length > 0) {
      const allow = [...new Set(methods)].sort().join(', ');
      reply.header('allow', allow);
      return sendProblem(
        reply,
        new Problem('method_not_allowed', `${request.method} is not possible here; wanted ${allow}.`),
      );
    }
    const nearest = nearestRoute(
      path,
      routes.map(({ url }) => url),
    );
    const hint = nearest === null ? '/docs/api lists what there is.' : `Did you mean ${nearest}?`;
    return sendProblem(reply, new Problem('not_found', `There is nothing at ${path.slice(0, 200)}. ${hint}`));
  });
}

/** The nearest address; one of as many parts comes first: `/collections` is more like `/get_collections` than `/ogc/collections`. */
export function nearestRoute(path: string, routes: readonly string[]): string | null {
  const partsOf = (url: string): number => url.split('/').length;
  const alike = routes.filter((url) => partsOf(url) === partsOf(path));
  return nearestName(path, alike) ?? nearestName(path, routes);
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Whether a path fits a route such as `/tasks/:task_id/results`. */
function matches(route: string, path: string): boolean {
  const wanted = route.split('/');
  const got = path.split('/');
  return (
    wanted.length === got.length && wanted.every((part, i) => (part.startsWith(':') ? got[i] !== '' : part === got[i]))
  );
}
