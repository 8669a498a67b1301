import { SEARCH_OPTIONS, searchTerm, weightOf } from './search-index.ts';

/** Styles of the documentation site. */
export const SITE_CSS = `:root{color-scheme:light dark;--ground:#fff;--text:#1f2623;--muted:#59635e;--line:#dde3df;--soft:#f4f7f5;--accent:#17643f}
@media (prefers-color-scheme:dark){:root{--ground:#131816;--text:#e3e9e5;--muted:#9aa8a0;--line:#2b3531;--soft:#1a211e;--accent:#7fd0a3}}
*{box-sizing:border-box}
html{scroll-padding-top:4.5rem}
body{margin:0;background:var(--ground);color:var(--text);font:16px/1.6 system-ui,sans-serif;overflow-wrap:break-word}
a{color:var(--accent)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:1rem;z-index:3;background:var(--ground);padding:.3rem .6rem}
header{position:sticky;top:0;z-index:2;display:flex;align-items:center;gap:.75rem;padding:.6rem 1.25rem;background:var(--ground);border-bottom:1px solid var(--line)}
.brand{font-weight:650;text-decoration:none;color:var(--text)}
.version{color:var(--muted);font-size:.85rem}
.versions{position:relative;font-size:.85rem}
.versions summary{cursor:pointer;color:var(--muted);padding:.2rem .5rem;border:1px solid var(--line);border-radius:6px}
.versions ul{position:absolute;z-index:1;left:0;margin:.3rem 0 0;padding:.3rem;list-style:none;background:var(--ground);border:1px solid var(--line);border-radius:8px;box-shadow:0 8px 24px #0003;max-height:70vh;overflow:auto}
.versions li a{display:block;padding:.35rem .7rem;border-radius:6px;white-space:nowrap;text-decoration:none;color:inherit}
.versions li a:hover,.versions [aria-current]{background:var(--soft)}
.versions [aria-current]{color:var(--accent);font-weight:600}
.banner{margin:.5rem 0 0;padding:.6rem .9rem;background:var(--soft);border:1px solid var(--line);border-left:3px solid var(--accent);border-radius:6px}
.alone{grid-column:1/-1}
.search{position:relative;flex:1;max-width:28rem;margin-left:auto}
header>a:last-child{white-space:nowrap}
input{width:100%;font:inherit;font-size:.95rem;padding:.3rem .7rem;color:inherit;background:var(--soft);border:1px solid var(--line);border-radius:6px}
#found{position:absolute;right:0;left:0;margin:.3rem 0 0;padding:.3rem;list-style:none;background:var(--ground);border:1px solid var(--line);border-radius:8px;box-shadow:0 8px 24px #0003;max-height:70vh;overflow:auto}
#found a{display:block;padding:.4rem .6rem;border-radius:6px;color:inherit;text-decoration:none}
#found [aria-selected=true] a,#found a:hover{background:var(--soft)}
#found strong{display:block;font-weight:600;font-size:.95rem}
#found span,#found p{color:var(--muted);font-size:.85rem;margin:0;display:block}
#found p{padding:.4rem .6rem}
.columns{display:grid;grid-template-columns:15rem minmax(0,46rem) 13rem;gap:2.5rem;max-width:84rem;margin:0 auto;padding:0 1.25rem}
.menu,.contents{position:sticky;top:3.6rem;align-self:start;max-height:calc(100vh - 3.6rem);overflow:auto;padding:1.5rem 0;font-size:.9rem}
.menu summary{display:none}
nav h2{font-size:.8rem;font-weight:600;margin:1.1rem 0 .3rem;color:var(--muted)}
nav h2:first-child{margin-top:0}
nav ul{list-style:none;margin:0;padding:0}
nav li{margin:.15rem 0}
nav a{color:inherit;text-decoration:none;display:block;padding:.1rem .5rem;border-radius:4px}
nav a:hover{background:var(--soft)}
nav [aria-current]{background:var(--soft);color:var(--accent);font-weight:600}
main{padding:1rem 0 5rem;min-width:0}
h1{font-size:1.75rem;line-height:1.25;font-weight:650}
h2,h3,h4{line-height:1.3;font-weight:600;margin-top:2.2rem}
main h2{font-size:1.3rem}
main h3{font-size:1.08rem}
main h4{font-size:1rem}
code{font:.88em/1.5 ui-monospace,SFMono-Regular,Menlo,monospace;background:var(--soft);border-radius:4px;padding:.1em .3em}
pre{overflow-x:auto;padding:.8rem 1rem;background:var(--soft);border:1px solid var(--line);border-radius:8px}
pre code{background:none;padding:0}
table{display:block;overflow-x:auto;border-collapse:collapse;font-size:.92rem;line-height:1.5}
th,td{text-align:left;vertical-align:top;padding:.45rem 1rem .45rem 0;border-bottom:1px solid var(--line)}
th{font-weight:600}
td{min-width:4.5rem}
.prose{min-width:9rem}
.long{min-width:20rem}
img{max-width:100%;height:auto;border:1px solid var(--line);border-radius:8px}
blockquote{margin-left:0;padding-left:1rem;border-left:3px solid var(--line);color:var(--muted)}
@media (max-width:75rem){.columns{grid-template-columns:14rem minmax(0,1fr)}.contents{display:none}}
@media (max-width:50rem){.columns{display:block}.menu{position:static;max-height:none;padding:.75rem 0 0}.menu summary{display:block;cursor:pointer;padding:.4rem .7rem;background:var(--soft);border-radius:6px}.menu nav{padding-top:.75rem}header{flex-wrap:wrap}.search{order:3;flex-basis:100%;max-width:none}header>a:last-child{margin-left:auto}.prose{min-width:15rem}.long{min-width:19rem}}
@media print{header,.menu,.contents{display:none}.columns{display:block}}
`;

/** The letter F. */
export const SITE_ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#17643f"/><path d="M9 23V9h14M9 16h10" fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round"/></svg>
`;

/** The search, in the browser: the index is fetched when somebody begins to search. Texts of pages are set as text, never as HTML. */
export const SITE_JS = `'use strict';
(() => {
  const { index, page, home } = document.currentScript.dataset;
  const menu = document.querySelector('.menu');
  if (matchMedia('(max-width: 50rem)').matches) menu.open = false;
  else {
    // Where the page is in the list, which is longer than the window. The page itself stays where it is.
    const here = menu.querySelector('[aria-current]')?.getBoundingClientRect();
    const list = menu.getBoundingClientRect();
    if (here && here.bottom > list.bottom) menu.scrollTop += here.top - list.top - list.height / 2;
  }
  const box = document.querySelector('.search');
  const input = document.getElementById('search');
  const found = document.getElementById('found');
  const options = ${JSON.stringify(SEARCH_OPTIONS)};
  options.processTerm = ${searchTerm};
  const weightOf = ${weightOf};
  options.searchOptions.boostDocument = (id, term, { path }) => weightOf(path);
  const most = 12;
  let loading = null;
  let chosen = -1;
  box.hidden = false;

  const load = () => {
    loading ??= fetch(index)
      .then((response) => {
        if (!response.ok) throw new Error(response.statusText);
        return response.text();
      })
      .then((text) => MiniSearch.loadJSON(text, options));
    loading.catch(() => (loading = null));
    return loading;
  };
  const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });
  const addressOf = ({ path, anchor }) =>
    (path === '' ? home : page.replace('PAGE', path)) + (anchor === '' ? '' : '#' + anchor);
  const close = () => {
    found.hidden = true;
    chosen = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const choose = (i) => {
    const items = [...found.querySelectorAll('[role=option]')];
    if (items.length === 0) return;
    chosen = (i + items.length) % items.length;
    items.forEach((item, n) => item.setAttribute('aria-selected', String(n === chosen)));
    items[chosen].scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', items[chosen].id);
  };
  const show = (results) => {
    const items = results.slice(0, most).map((result, i) => {
      const item = element('li', '');
      const link = element('a', '');
      link.href = addressOf(result);
      link.tabIndex = -1;
      link.append(element('strong', result.heading === '' ? result.title : result.heading));
      if (result.heading !== '') link.append(element('span', result.title));
      link.append(element('span', result.begin));
      item.append(link);
      item.id = 'found-' + i;
      item.setAttribute('role', 'option');
      return item;
    });
    found.replaceChildren(...(items.length === 0 ? [element('p', 'Nothing found.')] : items));
    found.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    choose(0);
  };
  const search = async () => {
    const words = input.value.trim();
    if (words === '') return close();
    try {
      const engine = await load();
      if (input.value.trim() === words) show(engine.search(words));
    } catch {
      found.replaceChildren(element('p', 'The search could not be loaded.'));
      found.hidden = false;
    }
  };
  input.addEventListener('focus', () => void load().catch(() => {}));
  input.addEventListener('input', () => void search());
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      choose(chosen + (event.key === 'ArrowDown' ? 1 : -1));
    } else if (event.key === 'Enter') found.querySelector('[aria-selected=true] a')?.click();
    else if (event.key === 'Escape') close();
  });
  document.addEventListener('click', (event) => {
    if (!box.contains(event.target)) close();
  });
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    input.focus();
  });
})();
`;
