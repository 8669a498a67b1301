import { Marked, type Tokens } from 'marked';

/** Styles of the few pages the service writes itself: a file of their own, because the policy allows none inside a page. */
export const PAGE_CSS = `:root{color-scheme:light dark}
body{font:16px/1.6 system-ui,sans-serif;max-width:42rem;margin:4rem auto;padding:0 1.25rem}
h1{font-size:1.4rem;font-weight:600}
code{font-size:.95em}
a{color:inherit}
li{margin:.3rem 0}
h2,h3{font-size:1.1rem;font-weight:600;margin-top:2.5rem}
h3{font-size:1rem}
pre,table{display:block;overflow-x:auto}
pre{font-size:.85rem;line-height:1.45;padding:.75rem 1rem;border:1px solid;border-color:color-mix(in srgb,currentColor 20%,transparent);border-radius:6px}
table{border-collapse:collapse;font-size:.9rem;line-height:1.45}
th,td{text-align:left;vertical-align:top;padding:.4rem .9rem .4rem 0;border-bottom:1px solid;border-color:color-mix(in srgb,currentColor 20%,transparent)}
blockquote{margin-left:0;padding-left:1rem;border-left:3px solid;border-color:color-mix(in srgb,currentColor 20%,transparent)}
`;

/** A small page; `title` and the texts in `html` made by `escapeHtml`. It needs nothing but `/page.css`. */
export function htmlPage(title: string, html: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="/page.css">
<body>
<main>
${html}
</main>
</body>
</html>
`;
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

interface MarkdownOptions {
  /** Where a link leads in the page, or null when it leads to nothing that is served: its text then stays. */
  readonly address: (target: string) => string | null;
  /** Where a picture is, or null when it is not served: its label then stays. Default: none is. */
  readonly picture?: (target: string) => string | null;
}

/**
 * The Markdown of `docs/` as HTML, with the anchors that GitHub gives to headings. HTML in the source becomes text, but
 * for comments, which are left out, and a picture its label.
 */
export function markdownHtml(text: string, { address, picture = () => null }: MarkdownOptions): string {
  const anchors = new Map<string, number>();
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: words }: Tokens.Heading) {
        const anchor = anchorOf(words);
        const before = anchors.get(anchor) ?? 0;
        anchors.set(anchor, before + 1);
        const id = before === 0 ? anchor : `${anchor}-${before}`;
        return `<h${depth} id="${escapeHtml(id)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      // What scrolls has to be reached by the keyboard.
      code: ({ text: code }: Tokens.Code) => `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>\n`,
      codespan: ({ text: code }: Tokens.Codespan) => `<code>${escapeHtml(code)}</code>`,
      table({ header, rows }: Tokens.Table) {
        const kinds = header.map((_, column) => kindOf(rows.map((cells) => cells[column])));
        const row = (cells: readonly Tokens.TableCell[], tag: string): string =>
          `<tr>${cells.map(({ tokens }, i) => `<${tag}${kinds[i]}>${breakable(this.parser.parseInline(tokens))}</${tag}>`).join('')}</tr>`;
        const body = rows.map((cells) => row(cells, 'td')).join('\n');
        return `<table tabindex="0">\n<thead>${row(header, 'th')}</thead>\n<tbody>\n${body}\n</tbody>\n</table>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const [to, label] = [address(href), this.parser.parseInline(tokens)];
        return to === null ? label : `<a href="${escapeHtml(to)}">${label}</a>`;
      },
      image({ href, text: label }: Tokens.Image) {
        const from = picture(href);
        const words = escapeHtml(label);
        return from === null ? words : `<img src="${escapeHtml(from)}" alt="${words}" loading="lazy">`;
      },
      // What follows a tag of a script is taken for what a browser would not read as HTML, and is not escaped.
      text: (token: Tokens.Text | Tokens.Escape) =>
        'escaped' in token && token.escaped === true ? escapeHtml(token.text) : false,
      html: ({ text: source }: Tokens.HTML | Tokens.Tag) => escapeHtml(source.replaceAll(/<!--.*?-->\s*/gs, '')),
    },
  });
  return marked.parse(text, { async: false }).trimEnd();
}

/** Cells of more characters need width to be read. */
const PROSE_CHARACTERS = 40;
/** Characters from which a column is made wide, so that its rows do not grow tall. */
const LONG_CHARACTERS = 200;

/** Codes of as many characters may be broken at their joints in a table, which would else be wider than the page. */
const BROKEN_CHARACTERS = 22;

function breakable(html: string): string {
  return html.replaceAll(/<code>([^<]*)<\/code>/g, (whole, code: string) =>
    code.length < BROKEN_CHARACTERS ? whole : `<code>${code.replaceAll(/(?<=\w[_./-])(?=\w)/g, '<wbr>')}</code>`,
  );
}

function kindOf(cells: readonly (Tokens.TableCell | undefined)[]): string {
  const longest = Math.max(0, ...cells.map((cell) => (cell?.text ?? '').replaceAll(/\]\([^)]*\)/g, '').length));
  if (longest > LONG_CHARACTERS) return ' class="prose long"';
  return longest > PROSE_CHARACTERS ? ' class="prose"' : '';
}

/** The anchor of a heading: lower case, words joined by "-", other signs left out. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}
