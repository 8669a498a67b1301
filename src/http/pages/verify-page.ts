import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { App } from '../server/app.ts';
import { etagMatches, etagOf } from '../guards/etag.ts';

/** One file, so that a copy of it works from a disk. */
const FILE = resolve(import.meta.dirname, '../../../docs/verify.html');

interface Page {
  readonly html: string;
  readonly etag: string;
  /** As a header has it. */
  readonly policy: string;
}

/** The page at `/verify`, which checks signatures in the browser. */
export function verifyPageRoutes(app: App): void {
  let loaded: Promise<Page> | null = null;
  app.get('/verify', { config: { access: 'public', produces: [] }, schema: { hide: true } }, async (request, reply) => {
    loaded ??= readVerifyPage().catch((error: unknown) => {
      loaded = null;
      throw error;
    });
    const { html, etag, policy } = await loaded;
    reply.headers({ etag, 'cache-control': 'public, max-age=3600', 'content-security-policy': policy });
    if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send();
    return reply.type('text/html; charset=utf-8').send(html);
  });
}

/** Nothing but its own script and style runs, and nothing leaves the browser but the request for the keys. */
export async function readVerifyPage(): Promise<Page> {
  const html = await readFile(FILE, 'utf8');
  const hashOf = (tag: string): string => {
    const [, inner = ''] = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(html) ?? [];
    return `'sha256-${createHash('sha256').update(inner).digest('base64')}'`;
  };
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf('script')}`,
    `style-src ${hashOf('style')}`,
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { html, etag: etagOf(html), policy };
}
