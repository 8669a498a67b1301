// Plain JavaScript that any Node can parse: its job is to refuse the wrong one with a sentence.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Sources need a Node that runs TypeScript as it is; the package holds JavaScript: docs/decisions/2026-11-23-installed-package.md. */
export const runsFromSources = existsSync(join(import.meta.dirname ?? '', '../src'));
const MINIMUM = runsFromSources ? '24' : '24.21';

export function nodeIsTooOld(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number);
  const [leastMajor, leastMinor = 0] = MINIMUM.split('.').map(Number);
  return major < leastMajor || (major === leastMajor && minor < leastMinor);
}

export function refusal() {
  return (
    `firstmile: needs Node ${MINIMUM} or newer, but this is Node ${process.versions.node} (${process.execPath}).\n` +
    (runsFromSources
      ? 'The right Node comes with `npm ci` for Linux, macOS and Windows: start with `npm start`, `npm test` or `npx firstmile`.\n' +
        'If `npm ci` ran with --omit=optional, run it again without.'
      : 'A newer Node comes with `npm install` for Linux, macOS and Windows: start with `npx firstmile` in the folder it ran in.\n' +
        'If it ran with --omit=optional or --global, install Node 24.21 or newer first.')
  );
}

if (nodeIsTooOld()) {
  console.error(refusal());
  process.exit(1);
}
