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
