import { Type } from 'typebox';
import { ERROR_DOCS, ERROR_STATUS, Problem, type ErrorCode } from '../../errors.ts';
import type { App } from '../server/app.ts';
import { escapeHtml, htmlPage } from '../pages/html-page.ts';
import { PROBLEM_TITLES } from './send-problem.ts';

const ProblemPage = Type.Object({
  code: Type.String(),
  status: Type.Integer(),
  title: Type.String(),
  when: Type.String(),
  remedy: Type.String(),
});

/** What `type` of a problem points to: when its code is used and what to do about it. */
export function problemPageRoutes(app: App): void {
  app.get(
    '/problems/:code',
    {
      config: { access: 'public', produces: ['application/json', 'text/html'] },
      schema: {
        operationId: 'getProblem',
        summary: 'What an error code means',
        description: '`type` of every problem points here.',
        tags: ['service'],
        params: Type.Object({ code: Type.String({ description: '`code` of a problem.', examples: ['rate_limited'] }) }),
        response: {
          200: {
            description: 'When the code is used and what to do about it.',
            content: { 'application/json': { schema: ProblemPage }, 'text/html': { schema: Type.String() } },
          },
        },
      },
    },
    async (request, reply) => {
      const { code } = request.params;
      if (!isCode(code))
        throw new Problem('not_found', `There is no error code ${JSON.stringify(code.slice(0, 100))}.`);
      const page = { code, status: ERROR_STATUS[code], title: PROBLEM_TITLES[code], ...ERROR_DOCS[code] };
      reply.header('cache-control', 'public, max-age=3600');
      if (request.accepted === 'application/json') return reply.send(page);
      const html = `<h1>${escapeHtml(page.title)}</h1>\n<p><code>${code}</code>, status ${page.status}</p>\n<p>${codeHtml(page.when)}</p>\n<p>${codeHtml(page.remedy)}</p>\n<p><a href="/docs/errors#${code}">All errors</a></p>`;
      return reply.type('text/html; charset=utf-8').send(htmlPage(page.title, html));
    },
  );
}

/** Words between backticks as code. */
function codeHtml(text: string): string {
  return escapeHtml(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function isCode(text: string): text is ErrorCode {
  return Object.hasOwn(ERROR_STATUS, text);
}
