import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { testServer } from '../../../test/memory/test-server.ts';
import { anchorOf, markdownHtml } from './html-page.ts';
import { runs } from '../../../test/property-runs.ts';

const DOCS = join(import.meta.dirname, '../../../docs');
const plain = (text: string): string => markdownHtml(text, { address: (target) => target });

test('headings, lists, tables, code, quotes and paragraphs become what they are', () => {
  assert.equal(plain('# A `b` title: 2.0'), '<h1 id="a-b-title-20">A <code>b</code> title: 2.0</h1>');
  assert.equal(plain('one\ntwo\n\nthree'), '<p>one\ntwo</p>\n<p>three</p>');
  assert.equal(
    plain('- a\n  b\n- **c**\n\n1. d'),
    '<ul>\n<li>a\nb</li>\n<li><strong>c</strong></li>\n</ul>\n<ol>\n<li>d</li>\n</ol>',
  );
  assert.equal(
    plain('| a | b |\n| --- | ---: |\n| `x` | 1 |'),
    '<table tabindex="0">\n<thead><tr><th>a</th><th>b</th></tr></thead>\n<tbody>\n<tr><td><code>x</code></td><td>1</td></tr>\n</tbody>\n</table>',
  );
  assert.equal(
    plain('```sh\n# <b> *x*\n```\nafter'),
    '<pre tabindex="0"><code># &lt;b&gt; *x*</code></pre>\n<p>after</p>',
  );
  assert.equal(plain('> said\n> so'), '<blockquote>\n<p>said\nso</p>\n</blockquote>');
  assert.equal(anchorOf('What is checked today, and with what'), 'what-is-checked-today-and-with-what');
});

test('links lead where they may, code in them stays code, and a link to what is not served stays text', () => {
  assert.equal(plain('[a `b`](c.md)'), '<p><a href="c.md">a <code>b</code></a></p>');
  assert.equal(markdownHtml('[a](../src/x.ts), `[b](c)`', { address: () => null }), '<p>a, <code>[b](c)</code></p>');
  assert.equal(plain('![picture](a.png)'), '<p>picture</p>');
});

test('comments of a source are left out, and columns with sentences are marked', () => {
  assert.equal(plain('a <!-- who made it --> b\n\n<!-- measured -->\n\nc'), '<p>a  b</p>\n<p>c</p>');
  assert.match(plain('a <!-- open'), /&lt;!-- open/);
  const sentence = 'One that takes more than forty characters to say.';
  const table = plain(`| a | b |\n| --- | --- |\n| x | y |\n| z | ${sentence} |`);
  assert.equal(table.match(/class="prose"/g)?.length, 3);
  assert.match(table, /<th>a<\/th><th class="prose">b<\/th>/);
  assert.match(plain(`| a |\n| --- |\n| ${sentence.repeat(5)} |`), /<td class="prose long">/);
  const codes = plain('| `more_information_needed` | `short_code` |\n| --- | --- |');
  assert.match(codes, /<code>more_<wbr>information_<wbr>needed<\/code>.*<code>short_code<\/code>/);
});

test('no HTML of a source passes, whatever is written', () => {
  const pieces = fc.constantFrom(
    '<script>',
    '<!--',
    '-->',
    '"',
    '`',
    '[',
    ']',
    '(',
    ')',
    '*',
    '|',
    '\n',
    '# ',
    '- ',
    '```',
    '> ',
    'x',
    '&',
    "'",
    '\u0000',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const html = markdownHtml(parts.join(''), { address: (target) => target });
      assert.doesNotMatch(html, /<script/);
      for (const [, tag] of html.matchAll(/<\/?([^\s>]*)/g)) assert.ok(KNOWN.has(tag), html);
    }),
    { numRuns: runs(2000) },
  );
});

test('every page is served with its headings and without loose ends', async () => {
  await using server = testServer();
  for (const file of readdirSync(DOCS).filter((name) => name.endsWith('.md'))) {
    const response = await server.app.inject({ method: 'GET', url: `/docs/${file.slice(0, -3)}` });
    assert.equal(response.statusCode, 200, file);
    const headings = readFileSync(join(DOCS, file), 'utf8')
      .replaceAll(/^```[\s\S]*?^```/gm, '')
      .match(/^#+ /gm)?.length;
    assert.equal(response.body.match(/<h\d id=/g)?.length, headings, file);
    assert.doesNotMatch(response.body, /href="(?!https?:|#|\/)/, file);
  }
  const again = await server.app.inject({ method: 'GET', url: '/docs/detection-models' });
  const { etag } = again.headers;
  const known = await server.app.inject({
    method: 'GET',
    url: '/docs/detection-models',
    headers: { 'if-none-match': etag },
  });
  assert.equal(known.statusCode, 304);
  const missing = await server.app.inject({ method: 'GET', url: '/docs/..%2Fpackage' });
  assert.equal(missing.statusCode, 404);
  assert.match(missing.body, /there are .*detection-models/);
});

const KNOWN = new Set(
  'h1 h2 h3 h4 h5 h6 hr br input p ul ol li table thead tbody tr th td pre code blockquote a strong em'.split(' '),
);
