import { Type } from 'typebox';
import { Problem } from '../../errors.ts';
import type { App } from '../server/app.ts';
import { etagMatches, etagOf } from '../guards/etag.ts';
import { docNames, readDoc } from './doc-files.ts';
import { htmlPage, markdownHtml } from './html-page.ts';

/** The pages of `docs/` at `/docs/NAME`, so that what an answer points to can be read where the answer came from. */
export function docPageRoutes(app: App): void {
  const pages = new Map<string, Promise<string>>();
  app.get(
    '/docs/:page',
    {
      config: { access: 'public', produces: ['text/html'] },
      schema: {
        operationId: 'getDocumentation',
        summary: 'A page of the documentation',
        description: '`about` of evidence points to a section of one: `/docs/detection-models#palm`.',
        tags: ['service'],
        params: Type.Object({
          page: Type.String({ description: 'Name of the page.', examples: ['detection-models'] }),
        }),
        response: {
          304: Type.Null({ description: 'You have it already.' }),
          200: { description: 'The page.', content: { 'text/html': { schema: Type.String() } } },
        },
      },
    },
    async (request, reply) => {
      const name = request.params.page;
      const names = await docNames();
      if (!names.includes(name))
        throw new Problem(
          'not_found',
          `There is no page ${JSON.stringify(name.slice(0, 100))}; there are ${names.join(', ')}.`,
        );
      const page = pages.get(name) ?? readPage(name, names);
      pages.set(name, page);
      page.catch(() => pages.delete(name));
      const html = await page;
      const etag = etagOf(Buffer.from(html));
      reply.headers({ etag, 'cache-control': 'public, max-age=3600' });
      if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send(null);
      return reply.type('text/html; charset=utf-8').send(html);
    },
  );
}

async function readPage(name: string, names: readonly string[]): Promise<string> {
  const text = (await readDoc(name)) ?? '';
  const title = /^# (.*)$/m.exec(text)?.[1] ?? name;
  return htmlPage(title, markdownHtml(text, { address: (target) => addressOf(target, names) }));
}

/** Other pages are next to this one; sources and pictures are not served. */
function addressOf(target: string, names: readonly string[]): string | null {
  if (/^(https?:\/\/|#)/.test(target)) return target;
  const [, page, anchor = ''] = /^([\w-]+)\.md(#.*)?$/.exec(target) ?? [];
  return page !== undefined && names.includes(page) ? `/docs/${page}${anchor}` : null;
}
