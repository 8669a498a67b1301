import { useEffect, useRef } from 'preact/hooks';
import { address, page, PAGES } from '../state/address.ts';
import { principal, signOut } from '../state/session.ts';
import { themeChoice, THEMES, type ThemeChoice } from '../state/theme.ts';
import { setLanguage } from '../text/set-language.ts';
import { language, LANGUAGE_CODES, LANGUAGES, t, type Language } from '../text/translate.ts';
import { followLink, PageLink } from './page-link.tsx';

/** Where one can go, who one is, and how the page looks. */
export function TopBar() {
  const nav = useRef<HTMLElement>(null);
  // On a narrow screen the pages are a strip, of which the present one is to be seen.
  useEffect(() => {
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    if (nav.current !== null) showMore(nav.current);
  }, [page.value, language.value]);
  useEffect(() => {
    const strip = nav.current;
    if (strip === null) return;
    const observer = new ResizeObserver(() => showMore(strip));
    observer.observe(strip);
    return () => observer.disconnect();
  }, []);
  return (
    <header class="top">
      <a class="brand" href="/console" onClick={(event) => followLink(event, 'home')}>
        <svg aria-hidden="true" viewBox="0 0 32 32">
          <rect width="32" height="32" rx="7" fill="var(--accent)" />
          <path d="M7 23c4-1 5-9 9-9s5 4 9 3" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" />
          <circle cx="7" cy="23" r="3" fill="#fff" />
          <circle cx="25" cy="10" r="4" fill="#ffd37a" />
        </svg>
        Firstmile
      </a>
      <nav ref={nav} aria-label={t('nav.label')} onScroll={(event) => showMore(event.currentTarget)}>
        {PAGES.map((name) => (
          <PageLink key={name} to={name} isCurrent={address.value.isKnown && page.value === name}>
            {t(`nav.${name}`)}
          </PageLink>
        ))}
      </nav>
      <div class="top-end">
        <select
          aria-label={t('language')}
          value={language.value}
          onChange={(event) => void setLanguage(event.currentTarget.value as Language)}
        >
          {LANGUAGE_CODES.map((code) => (
            <option key={code} value={code} lang={code}>
              {LANGUAGES[code]}
            </option>
          ))}
        </select>
        <select
          aria-label={t('theme.label')}
          value={themeChoice.value}
          onChange={(event) => (themeChoice.value = event.currentTarget.value as ThemeChoice)}
        >
          {THEMES.map((name) => (
            <option key={name} value={name}>
              {t(`theme.${name}`)}
            </option>
          ))}
        </select>
        <Who />
      </div>
    </header>
  );
}

/** Says of a strip which of its ends hide more, so that they are drawn faded. */
function showMore(strip: HTMLElement): void {
  const { scrollLeft, scrollWidth, clientWidth } = strip;
  strip.dataset['before'] = String(scrollLeft > 2);
  strip.dataset['after'] = String(scrollLeft + clientWidth < scrollWidth - 2);
}

function Who() {
  const who = principal.value;
  if (who === null) return null;
  const name = who.email ?? who.user_id;
  return (
    <details class="who">
      <summary aria-label={t('who.label', { name })}>{name}</summary>
      <div class="who-card">
        <p>
          <strong>{name}</strong>
        </p>
        <p class="muted small">{t(`who.${who.kind}`)}</p>
        <p class="small">{t('who.scopes', { scopes: who.scopes.map((scope) => t(`scope.${scope}`)).join(', ') })}</p>
        <button type="button" class="button wide" onClick={() => signOut()}>
          {t('signOut')}
        </button>
        <p class="small">
          <a href="/docs/api">{t('nav.reference')}</a>
        </p>
      </div>
    </details>
  );
}
