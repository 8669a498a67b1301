import { Problem } from '../../../errors.ts';
import { escapeHtml, htmlPage } from '../../pages/html-page.ts';
import type { AnyReply, AnyRequest, App } from '../../server/app.ts';
import { FORMATS, type Link } from './schemas.ts';

/** Where clients reach the service: as it is set, or else as the request says. */
export function baseOf(request: AnyRequest, publicUrl: string | null): string {
  return publicUrl ?? `${request.protocol}://${request.host}`;
}

/** OGC API wants 400 for a parameter that is wrong, where the service says 422 elsewhere. */
export function answerWithBadRequest(app: App): void {
  app.setErrorHandler((error) => {
    if (!(error instanceof Problem) || error.code !== 'invalid_parameter') throw error;
    throw new Problem('malformed_query', error.message, { errors: error.errors, cause: error });
  });
}

/** A parameter that is wrong, in the words of `detail`. */
export function wrongParameter(name: string, detail: string): Problem {
  return new Problem('malformed_query', `${name}: ${detail}.`, {
    errors: [{ pointer: `/query/${name}`, code: 'invalid', detail }],
  });
}

interface Described {
  readonly title?: string;
  readonly description?: string;
  readonly links?: readonly Link[];
}

/** Answers as JSON, or as a page for a person who follows links in a browser. */
export function sendDescription(
  request: AnyRequest,
  reply: AnyReply,
  body: Described & Readonly<Record<string, unknown>>,
  { title = body.title ?? 'OGC API', mediaType = FORMATS.json as string }: { title?: string; mediaType?: string } = {},
): AnyReply {
  const { f } = request.query as { f?: 'json' | 'html' };
  const isPage = f === undefined ? request.accepted === FORMATS.html : f === 'html';
  if (!isPage) return reply.type(mediaType).send(JSON.stringify(body));
  return reply.type(FORMATS.html).send(pageOf(title, body));
}

function pageOf(title: string, body: Described): string {
  // The title is the heading.
  const { title: _, description, links = [], ...rest } = body;
  const items = links
    .filter(({ templated }) => templated !== true)
    .map((link) => `<li><a href="${escapeHtml(link.href)}">${escapeHtml(link.title ?? link.rel)}</a></li>`);
  return htmlPage(
    title,
    [
      `<h1>${escapeHtml(title)}</h1>`,
      description === undefined ? '' : `<p>${escapeHtml(description)}</p>`,
      `<ul>${items.join('')}</ul>`,
      Object.keys(rest).length === 0 ? '' : `<pre tabindex="0">${escapeHtml(JSON.stringify(rest, null, 2))}</pre>`,
    ].join('\n'),
  );
}
