import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { FirstmileError } from '../clients/typescript/problems.ts';
import { LostConnection } from './parts/lost-connection.tsx';
import { ErrorNotice, Loading } from './parts/notice.tsx';
import { SignInPage } from './pages/sign-in/sign-in-page.tsx';
import { TopBar } from './parts/top-bar.tsx';
import { useReturn } from './parts/use-return.ts';
import { address, page, type PageName } from './state/address.ts';
import { hasToken, principal, resumeSession, sessionError } from './state/session.ts';
import { language, t } from './text/translate.ts';

/** Each page is fetched when it is first shown. */
const PAGES: Readonly<Record<PageName, () => Promise<ComponentType>>> = {
  home: async () => (await import('./pages/home/home-page.tsx')).HomePage,
  facilities: async () => (await import('./pages/facilities/facilities-page.tsx')).FacilitiesPage,
  forest: async () => (await import('./pages/forest/forest-page.tsx')).ForestPage,
  collections: async () => (await import('./pages/collections/collections-page.tsx')).CollectionsPage,
  webhooks: async () => (await import('./pages/webhooks/webhooks-page.tsx')).WebhooksPage,
  tokens: async () => (await import('./pages/tokens/tokens-page.tsx')).TokensPage,
  datasets: async () => (await import('./pages/datasets/datasets-page.tsx')).DatasetsPage,
};

/** Shown to anybody. */
const PUBLIC: ReadonlySet<PageName> = new Set(['datasets']);

export function App() {
  const name = page.value;
  useEffect(() => {
    document.title = `${t(`nav.${name}`)} · Firstmile`;
  }, [name, language.value]);
  const isIn = principal.value !== null;
  return (
    <>
      <a class="skip" href="#main">
        {t('skip')}
      </a>
      <TopBar />
      <LostConnection />
      <main id="main" tabIndex={-1}>
        {!address.value.isKnown ? (
          <div class="page">
            <h1>{t('notFound.title')}</h1>
            <p>{t('notFound.hint')}</p>
          </div>
        ) : isIn || PUBLIC.has(name) ? (
          <Page key={name} name={name} />
        ) : hasToken.value ? (
          <Resuming />
        ) : (
          <SignInPage />
        )}
      </main>
    </>
  );
}

/** While it is found out who the kept token stands for. */
function Resuming() {
  useReturn(sessionError.value, () => void resumeSession(), true);
  if (sessionError.value === null) return <Loading />;
  return (
    <div class="page narrow">
      <ErrorNotice error={sessionError.value} onAgain={() => void resumeSession()} />
    </div>
  );
}

function Page({ name }: { readonly name: PageName }) {
  const [Shown, setShown] = useState<ComponentType | null>(null);
  const [error, setError] = useState<unknown>(null);
  useEffect(() => {
    PAGES[name]().then((component) => setShown(() => component), setError);
  }, [name]);
  // The service is away, or it is another one by now, with files of other names: a page that is loaded again has those.
  if (error !== null)
    return (
      <div class="page">
        <h1 class="visually-hidden">{t(`nav.${name}`)}</h1>
        <ErrorNotice
          error={new FirstmileError({ code: 'unreachable', detail: String(error) })}
          onAgain={() => location.reload()}
        />
      </div>
    );
  return Shown === null ? <Loading /> : <Shown />;
}
