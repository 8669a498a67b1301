import './style/tokens.css';
import './style/base.css';
import './style/parts.css';
import './style/pages.css';
import './style/print.css';
import { render } from 'preact';
import { useLanguage } from './api/client.ts';
import { App } from './app.tsx';
import { followPrinting } from './parts/print/follow-printing.ts';
import { resumeSession } from './state/session.ts';
import { loadSettings } from './state/settings.ts';
import './state/theme.ts';
import { setLanguage, wantedLanguage } from './text/set-language.ts';
import { language } from './text/translate.ts';

useLanguage(() => language.value);
// None of the three may keep the page from being shown.
await Promise.allSettled([setLanguage(wantedLanguage(), false), loadSettings(), resumeSession()]);
followPrinting();
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
