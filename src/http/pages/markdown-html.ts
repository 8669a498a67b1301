import { escapeHtml } from './html-page.ts';

interface MarkdownOptions {
  /** Where a link leads in the page, or null when it leads to nothing that is served: its text then stays. */
  readonly address: (target: string) => string | null;
}

/**
 * The part of Markdown that the pages of `docs/` are written in, as HTML: headings with the anchors GitHub gives them,
 * paragraphs, lists, tables, quotes, fenced code; links, code, strong and emphasised text. Everything else is text: no
 * HTML of the source passes.
 */
export function markdownHtml(text: string, options: MarkdownOptions): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const out: string[] = [];
  for (let i = 0; i < lines.length;) {
    const block = BLOCKS.find(({ begins }) => begins(lines, i)) ?? PARAGRAPH;
    let end = i + 1;
    while (end < lines.length && block.goesOn(lines, end, i)) end++;
    out.push(block.html(lines.slice(i, end), (words) => inline(words, options)));
    i = block.closes === true ? end + 1 : end;
  }
  return out.filter((html) => html !== '').join('\n');
}

/** The anchor of a heading: lower case, words joined by "-", other signs left out. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

type Inline = (words: string) => string;

interface BlockKind {
  begins(lines: readonly string[], at: number): boolean;
  /** Whether the line at `at` belongs to the block that began at `from`. */
  goesOn(lines: readonly string[], at: number, from: number): boolean;
  html(lines: readonly string[], inline: Inline): string;
  /** The line after the block ends it and belongs to nothing. */
  readonly closes?: true;
}

const startsWith =
  (pattern: RegExp) =>
  (lines: readonly string[], at: number): boolean =>
    pattern.test(lines[at]);
const HEADING = /^(#{1,6}) +(.*)$/;
const FENCE = /^```/;
const BULLET = /^- +/;
const NUMBER = /^\d+\. +/;
const ROW = /^\|.*\|\s*$/;
const QUOTE = /^> ?/;
const BLANK = /^\s*$/;

const list = (tag: 'ul' | 'ol', mark: RegExp): BlockKind => ({
  begins: startsWith(mark),
  goesOn: (lines, at) => mark.test(lines[at]) || /^ {2,}\S/.test(lines[at]),
  html(lines, write) {
    const items: string[] = [];
    for (const line of lines) {
      if (mark.test(line)) items.push(line.replace(mark, ''));
      else items[items.length - 1] += ` ${line.trim()}`;
    }
    return `<${tag}>\n${items.map((item) => `<li>${write(item)}</li>`).join('\n')}\n</${tag}>`;
  },
});

const BLOCKS: readonly BlockKind[] = [
  { begins: startsWith(BLANK), goesOn: () => false, html: () => '' },
  {
    begins: startsWith(FENCE),
    goesOn: (lines, at) => !FENCE.test(lines[at]),
    closes: true,
    // What scrolls has to be reached by the keyboard.
    html: (lines) => `<pre tabindex="0"><code>${escapeHtml(lines.slice(1).join('\n'))}</code></pre>`,
  },
  {
    begins: startsWith(HEADING),
    goesOn: () => false,
    html([line], write) {
      const [, marks, words] = HEADING.exec(line)!;
      return `<h${marks.length} id="${escapeHtml(anchorOf(words))}">${write(words)}</h${marks.length}>`;
    },
  },
  list('ul', BULLET),
  list('ol', NUMBER),
  {
    begins: (lines, at) => ROW.test(lines[at]) && /^\|[\s:|-]+\|\s*$/.test(lines[at + 1] ?? ''),
    goesOn: startsWith(ROW),
    html([head, , ...rows], write) {
      const row = (line: string, tag: string): string =>
        `<tr>${cellsOf(line)
          .map((cell) => `<${tag}>${write(cell)}</${tag}>`)
          .join('')}</tr>`;
      return `<table tabindex="0">\n<thead>${row(head, 'th')}</thead>\n<tbody>\n${rows.map((line) => row(line, 'td')).join('\n')}\n</tbody>\n</table>`;
    },
  },
  {
    begins: startsWith(QUOTE),
    goesOn: startsWith(QUOTE),
    html: (lines, write) => `<blockquote>${write(lines.map((line) => line.replace(QUOTE, '')).join(' '))}</blockquote>`,
  },
];

const PARAGRAPH: BlockKind = {
  begins: () => true,
  goesOn: (lines, at) => !BLOCKS.some(({ begins }) => begins(lines, at)),
  html: (lines, write) => `<p>${write(lines.join(' '))}</p>`,
};

function cellsOf(line: string): string[] {
  return line
    .trim()
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** Code is taken out first, because nothing inside it means anything; then come links, and strong and emphasised words. */
function inline(words: string, { address }: MarkdownOptions): string {
  const codes: string[] = [];
  const marked = words
    .replaceAll(MARK, '')
    .replaceAll(/`([^`]+)`/g, (_, code: string) => `${MARK}${codes.push(code) - 1}${MARK}`);
  const styled = (text: string): string => emphasised(text, codes);
  return marked
    .split(/(!?\[[^[\]]*\]\([^()\s]+\))/)
    .map((part) => {
      const [, picture, label, target] = /^(!?)\[([^[\]]*)\]\(([^()\s]+)\)$/.exec(part) ?? [];
      if (target === undefined) return styled(part);
      const to = picture === '' ? address(target) : null;
      return to === null ? styled(label) : `<a href="${escapeHtml(to)}">${styled(label)}</a>`;
    })
    .join('');
}

/** Stands around the number of a piece of code while the rest is read. */
const MARK = '\u0000';

function emphasised(text: string, codes: readonly string[]): string {
  return text
    .split(new RegExp(`${MARK}(\\d+)${MARK}`))
    .map((part, i) =>
      i % 2 === 1
        ? `<code>${escapeHtml(codes[Number(part)])}</code>`
        : escapeHtml(part)
            .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
            .replaceAll(/\*([^*]+)\*/g, '<em>$1</em>'),
    )
    .join('');
}
