/**
 * The menu of versions, in the browser. `versions.js` has been read before, as a script: a page that was opened from a disk may
 * fetch nothing. Where it could not be read, the link to the list of versions stays.
 */
export const VERSION_MENU_JS = `'use strict';
(() => {
  const { root, version, page } = document.currentScript.dataset;
  const known = globalThis.FIRSTMILE_VERSIONS;
  const link = document.querySelector('a.version');
  if (known === undefined || link === null) return;
  const element = (name, text) => Object.assign(document.createElement(name), { textContent: text });
  const linkTo = (one) =>
    Object.assign(element('a', one.version), {
      href: root + one.version + '/' + (one.pages.includes(page) ? page : 'index') + '.html',
    });

  const menu = element('details', '');
  menu.className = 'versions';
  const summary = element('summary', version);
  summary.setAttribute('aria-label', 'Version ' + version + ', choose another');
  const list = element('ul', '');
  for (const one of known.versions) {
    const item = element('li', '');
    const choice = linkTo(one);
    if (one.version === version) choice.setAttribute('aria-current', 'true');
    if (one.version === known.newest) choice.append(' (newest)');
    item.append(choice);
    list.append(item);
  }
  menu.append(summary, list);
  link.replaceWith(menu);
  document.addEventListener('click', (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape') return;
    menu.open = false;
    summary.focus();
  });

  const place = known.versions.findIndex((one) => one.version === version);
  const newest = known.versions.findIndex((one) => one.version === known.newest);
  if (place === newest || newest === -1) return;
  const isAhead = place !== -1 && place < newest;
  const banner = element('p', 'This is the documentation of version ' + version + (isAhead ? ', a pre-release' : ''));
  banner.className = 'banner';
  banner.append(isAhead ? '; the newest release is ' : '; the newest is ', linkTo(known.versions[newest]), '.');
  document.getElementById('content').prepend(banner);
})();
`;
