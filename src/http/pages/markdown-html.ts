import { Marked, type Tokens } from 'marked';
import { escapeHtml } from './html-page.ts';

interface MarkdownOptions {
  /** Where a link leads in the page, or null when it leads to nothing that is served: its text then stays. */
  readonly address: (target: string) => string | null;
}

/**
 * The Markdown of `docs/` as HTML, with the anchors that GitHub gives to headings. HTML in the source becomes text, and a
 * picture its label.
 */
export function markdownHtml(text: string, { address }: MarkdownOptions): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: words }: Tokens.Heading) {
        return `<h${depth} id="${escapeHtml(anchorOf(words))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      // What scrolls has to be reached by the keyboard.
      code: ({ text: code }: Tokens.Code) => `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>\n`,
      codespan: ({ text: code }: Tokens.Codespan) => `<code>${escapeHtml(code)}</code>`,
      table({ header, rows }: Tokens.Table) {
        const row = (cells: readonly Tokens.TableCell[], tag: string): string =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>`;
        const body = rows.map((cells) => row(cells, 'td')).join('\n');
        return `<table tabindex="0">\n<thead>${row(header, 'th')}</thead>\n<tbody>\n${body}\n</tbody>\n</table>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const [to, label] = [address(href), this.parser.parseInline(tokens)];
        return to === null ? label : `<a href="${escapeHtml(to)}">${label}</a>`;
      },
      image: ({ text: label }: Tokens.Image) => escapeHtml(label),
      html: ({ text: source }: Tokens.HTML | Tokens.Tag) => escapeHtml(source),
    },
  });
  return marked.parse(text, { async: false }).trimEnd();
}

/** The anchor of a heading: lower case, words joined by "-", other signs left out. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}
