import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { Problem } from '../../../errors.ts';
import type { AnyReply, AnyRequest, App } from '../../server/app.ts';
import { etagMatches, etagOf } from '../../guards/etag.ts';
import { serveKeptFile } from '../kept-file.ts';
import { llmsText } from './llms-text.ts';
import { type OpenedSite, openSite, SITE_FILES, SITE_POLICY } from './open-site.ts';
import { PICTURES_FOLDER } from './read-site.ts';
import type { SiteAddresses } from './page-html.ts';

const ADDRESSES: SiteAddresses = {
  page: (path, anchor) => `/docs${path === '' ? '' : `/${path}`}${anchor === '' ? '' : `#${anchor}`}`,
  file: (name) => `/docs/${name}`,
  verification: '/verify',
  reference: '/docs/api',
  versions: null,
};
const POLICY = `${SITE_POLICY}; frame-ancestors 'none'`;

/**
 * The documentation of this version at `/docs`, so that what an answer points to can be read where the answer came from; each
 * page as Markdown with `.md` at its end, and all of them listed in `/llms.txt`.
 */
export function siteRoutes({ version }: { readonly version: string }) {
  let opened: Promise<OpenedSite> | null = null;
  const open = (): Promise<OpenedSite> => {
    opened ??= openSite(version);
    opened.catch(() => (opened = null));
    return opened;
  };
  const pages = new Map<string, { readonly html: string; readonly etag: string }>();
  const answer = async (path: string, request: AnyRequest, reply: AnyReply): Promise<AnyReply> => {
    const { site, html } = await open();
    const isMarkdown = path.endsWith('.md');
    const name = isMarkdown ? path.slice(0, -'.md'.length) : path;
    const found = site.pages.find((page) => page.path === (name === 'index' || name === 'README' ? '' : name));
    if (found === undefined)
      throw unknownPage(
        name,
        site.pages.map((page) => page.path),
      );
    const kept = pages.get(path) ?? keep(isMarkdown ? found.text : html(found.path, ADDRESSES, null)!);
    pages.set(path, kept);
    reply.headers({
      etag: kept.etag,
      'cache-control': 'public, max-age=3600',
      ...(isMarkdown ? {} : { 'content-security-policy': POLICY }),
    });
    if (etagMatches(request.headers['if-none-match'], kept.etag)) return reply.code(304).send();
    return reply.type(`text/${isMarkdown ? 'markdown' : 'html'}; charset=utf-8`).send(kept.html);
  };
  return (app: App): void => {
    const hidden = { config: { access: 'public', produces: [] }, schema: { hide: true } } as const;
    for (const [name, load] of Object.entries(SITE_FILES))
      serveKeptFile(app, `/docs/${name}`, POLICY, () => load(async () => (await open()).site));
    app.get('/docs', hidden, (request, reply) => answer('', request, reply));
    app.get('/docs/decisions/:page', hidden, (request, reply) =>
      answer(`decisions/${(request.params as { readonly page: string }).page}`, request, reply),
    );
    app.get('/docs/pictures/:file', hidden, async (request, reply) => {
      const { file } = request.params as { readonly file: string };
      const bytes = /^[\w-]+\.png$/.test(file) ? await readFile(join(PICTURES_FOLDER, file)).catch(() => null) : null;
      if (bytes === null) throw new Problem('not_found', `There is no picture ${JSON.stringify(file.slice(0, 100))}.`);
      const etag = etagOf(bytes);
      reply.headers({ etag, 'cache-control': 'public, max-age=3600' });
      if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send();
      return reply.type('image/png').send(bytes);
    });
    app.get('/llms.txt', hidden, async (_request, reply) => {
      const { site } = await open();
      reply.header('cache-control', 'public, max-age=3600').type('text/plain; charset=utf-8');
      return reply.send(llmsText(site));
    });
    app.get(
      '/docs/:page',
      {
        config: { access: 'public', produces: [] },
        schema: {
          operationId: 'getDocumentation',
          summary: 'A page of the documentation',
          description:
            '`about` of evidence points to a section of one: `/docs/detection-models#palm`. With `.md` at the end the page as Markdown. `/llms.txt` lists all pages.',
          tags: ['service'],
          params: Type.Object({
            page: Type.String({ description: 'Name of the page.', examples: ['detection-models'] }),
          }),
          response: {
            304: Type.Null({ description: 'You have it already.' }),
            200: {
              description: 'The page.',
              content: { 'text/html': { schema: Type.String() }, 'text/markdown': { schema: Type.String() } },
            },
          },
        },
      },
      (request, reply) => answer(request.params.page, request, reply) as never,
    );
  };
}

function keep(html: string) {
  return { html, etag: etagOf(Buffer.from(html)) };
}

function unknownPage(name: string, paths: readonly string[]): Problem {
  const near = paths.filter((path) => path !== '' && !path.includes('/')).join(', ');
  return new Problem('not_found', `There is no page ${JSON.stringify(name.slice(0, 100))}; there are ${near}.`);
}
