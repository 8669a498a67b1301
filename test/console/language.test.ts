import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import de from '../../console/text/de.json' with { type: 'json' };
import en from '../../console/text/en.json' with { type: 'json' };
import th from '../../console/text/th.json' with { type: 'json' };
import { isLongRun } from '../property-runs.ts';
import { browserSkip, type ConsoleBrowser, type ConsoleWindow } from './browser.ts';
import type { RunningProcess } from '../end-to-end/run-service.ts';
import { prepareViews, runTourService, showView, signInAnyhow, type View } from './tour.ts';
import { withConsole } from './with-console.ts';

/** Words of which nearly every English sentence has one, and that are none in any of the languages. */
const ENGLISH = /\b(the|is|were|are|of|and|not|with|has|have|which|could|by|its|from|that)\b/i;

/** The languages looked at, with the texts of the console in each. */
const LOCALES = { 'de-DE': de, 'th-TH': th } as const;

/** Names, and words of others: of data and whom it is owed to, of places, of files, and of the API. */
const NAMES = [
  /^Synthetic /,
  /Dynamic World|AlphaEarth|GeoNames|geonames|OpenStreetMap|Natural Earth|CC-BY|CC BY|Overture|Hansen|European/,
  /\bNot readable\b|\bWithout a place\b|\bAt sea\b|\bFar away\b|^Too large$/,
  /suppliers of palm\.csv/,
  /^\/|Authorization: Bearer|\bAPI\b/,
  /the receiver says so/,
  // The bytes that a receiver got.
  /^\{"created_at":/,
];

/** Texts of the console in English that a language has in other words. */
function englishTexts(texts: Readonly<Record<string, string>>): ReadonlySet<string> {
  return new Set(
    Object.entries(en)
      .filter(([key, text]) => text.includes(' ') && !text.includes('{') && texts[key] !== text)
      .map(([, text]) => text),
  );
}

/** The lines of a page that are in English, of those that people see. */
async function englishLines({ page }: ConsoleWindow, known: ReadonlySet<string>): Promise<readonly string[]> {
  const text = await page.evaluate<string>(`(() => {
    const copy = [];
    const walk = (node) => {
      if (node.nodeType === 3) { copy.push(node.data); return; }
      if (node.nodeType !== 1) return;
      // The details of errors are for whoever runs the service.
      if (node.matches('.error-details [lang=en]') || /^(SCRIPT|STYLE|NOSCRIPT)$/.test(node.tagName)) return;
      const style = getComputedStyle(node);
      if (style.display === 'none' || style.visibility === 'hidden') return;
      for (const child of node.childNodes) walk(child);
      if (style.display !== 'inline') copy.push('\\n');
    };
    walk(document.body);
    return copy.join('');
  })()`);
  const lines = text.split('\n').map((line) => line.trim());
  return [
    ...new Set(
      lines.filter((line) => (ENGLISH.test(line) || known.has(line)) && !NAMES.some((name) => name.test(line))),
    ),
  ];
}

describe('the views of a session that is not in English', { skip: browserSkip() }, () => {
  let service: RunningProcess;
  let browser: ConsoleBrowser;
  let views: readonly View[] = [];
  withConsole((opened) => ({ service, browser } = opened), { start: runTourService });

  it('show work of every kind', async () => {
    views = await prepareViews(service);
    assert.ok(views.length > 20);
  });

  // The catalogues have the same texts in all languages: every day one is enough.
  for (const [locale, texts] of Object.entries(LOCALES).slice(isLongRun ? 0 : -1))
    it(`have no English sentence of ours in ${locale}, in any view`, async () => {
      await using window = await browser.open({ locale });
      await signInAnyhow(window, service.token);
      const known = englishTexts(texts);
      const found: Record<string, readonly string[]> = {};
      for (const view of views) {
        await showView(window, view);
        const lines = await englishLines(window, known);
        if (lines.length > 0) found[view.name] = lines;
      }
      assert.deepEqual(found, {});
      assert.deepEqual(window.faults, []);
    });
});
