import './style/tokens.css';
import './style/base.css';
import './style/parts.css';
import './style/pages.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { resumeSession } from './state/session.ts';
import { loadSettings } from './state/settings.ts';
import './state/theme.ts';
import { setLanguage, wantedLanguage } from './text/translate.ts';

// None of the three may keep the page from being shown.
await Promise.allSettled([setLanguage(wantedLanguage(), false), loadSettings(), resumeSession()]);
const root = document.getElementById('app');
if (root !== null) render(<App />, root);
