import { Type } from 'typebox';
import type { App } from './app.ts';
import { escapeHtml, htmlPage, PAGE_CSS } from './html-page.ts';

const LINKS = [
  ['/docs', 'Reference'],
  ['/openapi.json', 'OpenAPI 3.1'],
  ['/limits', 'Limits'],
  ['/datasets', 'Datasets'],
] as const;

const Index = Type.Object({
  name: Type.String(),
  version: Type.String(),
  links: Type.Record(Type.String(), Type.String()),
});

/** What answers at `/`: where to go from here, as JSON or as a page. */
export function indexRoutes(version: string) {
  const json = {
    name: 'firstmile',
    version,
    links: Object.fromEntries(LINKS.map(([href]) => [href.slice(1).split('.')[0]!, href])),
  };
  const items = LINKS.map(([href, text]) => `<li><a href="${href}">${text}</a></li>`).join('\n');
  const html = htmlPage('Firstmile', `<h1>Firstmile ${escapeHtml(version)}</h1>\n<ul>\n${items}\n</ul>`);

  return (app: App): void => {
    app.get(
      '/',
      {
        config: { access: 'public', produces: ['application/json', 'text/html'] },
        schema: {
          operationId: 'getIndex',
          summary: 'Name, version and links',
          description: 'JSON, or a small page for browsers.',
          tags: ['service'],
          response: {
            200: {
              description: 'Where to go from here.',
              content: { 'application/json': { schema: Index }, 'text/html': { schema: Type.String() } },
            },
          },
        },
      },
      async (request, reply) => {
        reply.header('cache-control', 'public, max-age=60');
        if (request.accepted === 'application/json') return reply.send(json);
        return reply.type('text/html; charset=utf-8').send(html);
      },
    );
    app.get(
      '/page.css',
      { config: { access: 'public', produces: [] }, schema: { hide: true } },
      async (_request, reply) =>
        reply.header('cache-control', 'public, max-age=3600').type('text/css; charset=utf-8').send(PAGE_CSS),
    );
  };
}
