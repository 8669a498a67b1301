import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { testServer, type TestServer } from '../../../../test/memory/test-server.ts';
import { DOCS_FOLDER } from '../doc-files.ts';
import { readSite } from './read-site.ts';
import { writeSite } from './write-site.ts';

const get = (server: TestServer, url: string) => server.app.inject({ url, headers: { accept: 'text/html' } });

describe('the documentation at /docs', () => {
  it('leads from page to page, to sections and pictures that are there, and to nothing of others', async () => {
    await using server = testServer();
    const pages = new Map<string, string>();
    const waiting = ['/docs'];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (pages.has(path)) continue;
      const answer = await get(server, path);
      assert.equal(answer.statusCode, 200, path);
      assert.match(
        String(answer.headers['content-security-policy']),
        /^default-src 'none'; script-src 'self'; style-src 'self';/,
      );
      pages.set(path, answer.body);
      for (const target of pagesIn(answer.body)) waiting.push(target);
    }
    const { pages: all } = await readSite();
    assert.deepEqual(
      [...pages.keys()].toSorted(),
      all.map(({ path }) => (path === '' ? '/docs' : `/docs/${path}`)).toSorted(),
    );
    const broken: string[] = [];
    const files = new Set<string>();
    for (const [path, html] of pages) {
      for (const href of hrefs(html)) {
        const [target = '', anchor] = href.split('#');
        const page = pages.get(target === '' ? path : target);
        if (anchor !== undefined && page?.includes(`id="${anchor}"`) !== true) broken.push(`${path}: ${href}`);
      }
      for (const [, file] of html.matchAll(/(?:src|data-index|<link[^>]* href)="([^"]+)"/g)) files.add(file!);
      // In tags alone: what an example says is text.
      for (const [tag] of html.matchAll(/<[a-z][^>]*>/g))
        assert.doesNotMatch(tag, /<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|<(?:img|script|link)[^>]*https?:/, path);
    }
    assert.deepEqual(broken, []);
    assert.ok(files.size >= 10);
    for (const file of files) assert.equal((await get(server, file)).statusCode, 200, file);
  });

  it('lists every page of the folder in its groups', async () => {
    const { groups, pages } = await readSite();
    const listed = new Set(groups.flatMap(({ items }) => items.map(({ path }) => path)));
    const absent = pages.map(({ path }) => path).filter((path) => !listed.has(path) && !path.startsWith('decisions/'));
    assert.deepEqual(absent.toSorted(), ['', 'changelog']);
  });

  it('shows the version, is sent once, and refuses other files', async () => {
    await using server = testServer();
    const page = await get(server, '/docs/verdicts');
    assert.match(page.body, /0\.0\.0-test/);
    assert.match((await get(server, '/docs/verify')).body, /<a href="\/verify">A page<\/a>/);
    const headers = { 'if-none-match': String(page.headers['etag']) };
    assert.equal((await server.app.inject({ url: '/docs/verdicts', headers })).statusCode, 304);
    const markdown = await get(server, '/docs/verdicts.md');
    assert.match(String(markdown.headers['content-type']), /^text\/markdown/);
    assert.match(markdown.body, /^# Verdicts/);
    for (const path of [
      'nope',
      '../package',
      '..%2f..%2fpackage.json',
      'pictures/..%2f..%2fREADME.md',
      'decisions/nope',
      'generate.ts',
      'pictures/x.png',
    ])
      assert.ok([404, 400].includes((await get(server, `/docs/${path}`)).statusCode), path);
  });

  it('has an index that finds sections', async () => {
    await using server = testServer();
    const { default: MiniSearch } = await import('minisearch');
    const { SEARCH_OPTIONS, searchTerm, weightOf } = await import('./search-index.ts');
    const { fields, storeFields, searchOptions } = SEARCH_OPTIONS;
    const options = {
      fields: [...fields],
      storeFields: [...storeFields],
      processTerm: searchTerm,
      searchOptions: {
        ...searchOptions,
        boostDocument: (_id: unknown, _term: string, stored?: Record<string, unknown>) =>
          weightOf(String(stored?.['path'])),
      },
    };
    const text = (await get(server, '/docs/search.json')).body;
    assert.ok(text.length < 3_000_000, String(text.length));
    const engine = MiniSearch.loadJSON(text, options);
    assert.equal(engine.search('rotate webhook secret')[0]?.['path'], 'webhooks');
    const [first] = engine.search('rate_limited');
    assert.deepEqual([first?.['path'], first?.['anchor']], ['errors', 'rate_limited']);
    assert.deepEqual(engine.search('qqxyzzy'), []);
    // A reader looks for how it is, not for why it was decided; singular and plural are one word.
    const [retries] = engine.search('retry');
    assert.deepEqual([retries?.['path'], retries?.['anchor']], ['webhooks', 'retries']);
    const pathsOf = (words: string) => engine.search(words).map(({ path }) => String(path));
    for (const words of ['memory', 'postgres', 'cancel a task', 'token'])
      assert.doesNotMatch(pathsOf(words)[0] ?? '', /^(decisions|changelog|benchmarks|$)/, words);
    assert.deepEqual(pathsOf('label store'), pathsOf('label stores'));
    // The page has both functions as text.
    const script = (await get(server, '/docs/site.js')).body;
    const [, term, weight] =
      /processTerm = (function [\s\S]*?\n\});[\s\S]*?weightOf = (function [\s\S]*?\n\});/.exec(script) ?? [];
    const inPage = new Function(`return [${term}, ${weight}]`)() as [typeof searchTerm, typeof weightOf];
    assert.deepEqual(
      [inPage[0]('Retries'), inPage[0]('address'), inPage[1]('decisions/x'), inPage[1]('webhooks')],
      ['retry', 'address', 0.3, 1],
    );
  });

  it('is listed for programs at /llms.txt, with pages as Markdown', async () => {
    await using server = testServer();
    const { body, headers } = await get(server, '/llms.txt');
    assert.match(String(headers['content-type']), /^text\/plain/);
    assert.match(body, /^# Firstmile\n\n> /);
    const links = [...body.matchAll(/\]\((\/[^)]+)\)/g)].map(([, link]) => link!);
    assert.ok(links.length > 40);
    for (const link of links) assert.equal((await server.app.inject(link)).statusCode, 200, link);
  });
});

describe('the documentation as files', () => {
  it('is whole, below any address, without a request to anybody', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'firstmile-site-'));
    await using server = testServer();
    await server.app.ready();
    const openApi = JSON.stringify(server.app.swagger());
    try {
      const written = await writeSite(folder, '1.2.3', { openApi });
      const files = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((file) => file.isFile());
      assert.equal(files.length, written);
      const broken: string[] = [];
      for (const file of files.filter(({ name }) => name.endsWith('.html'))) {
        const path = join(file.parentPath, file.name);
        const html = readFileSync(path, 'utf8');
        assert.match(html, /http-equiv="content-security-policy"/);
        for (const [, target] of html.matchAll(/(?:href|src|data-index)="([^"#]+)/g)) {
          if (/^https?:/.test(target!)) continue;
          const found = resolve(dirname(path), target!);
          if (target!.startsWith('/') || !files.some((one) => join(one.parentPath, one.name) === found))
            broken.push(`${relative(folder, path)}: ${target}`);
        }
      }
      assert.deepEqual(broken, []);
      assert.match(readFileSync(join(folder, 'index.html'), 'utf8'), /href="api\/index\.html">API reference/);
      assert.match(readFileSync(join(folder, 'verify.html'), 'utf8'), /<a href="verify-a-file\.html">A page/);
      const start = readFileSync(join(folder, 'api/start.js'), 'utf8');
      const options: { spec?: unknown; url?: unknown }[] = [];
      runInNewContext(start, { SwaggerUIBundle: (given: object) => options.push(given) });
      assert.equal(JSON.stringify(options[0]?.spec), openApi);
      assert.equal(options[0]?.url, undefined);
      const pages = globSync('**/*.md', { cwd: DOCS_FOLDER });
      assert.ok(files.filter(({ name }) => name.endsWith('.html')).length > pages.length);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

/** Links of the text and the navigation. */
function hrefs(html: string): readonly string[] {
  return [...html.matchAll(/<a [^>]*href="([^"]+)"/g)]
    .map(([, href]) => href!)
    .filter((href) => !/^https?:/.test(href));
}

function pagesIn(html: string): readonly string[] {
  return hrefs(html)
    .map((href) => href.split('#')[0]!)
    .filter((href) => href !== '' && href !== '/docs/api' && href !== '/verify');
}
