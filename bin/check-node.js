// Plain JavaScript that any Node can parse: its job is to refuse the wrong one with a sentence.
const MINIMUM_MAJOR = 24;

export function nodeIsTooOld(version = process.versions.node) {
  return Number(version.split('.')[0]) < MINIMUM_MAJOR;
}

export function refusal() {
  return (
    `firstmile: needs Node ${MINIMUM_MAJOR} or newer, but this is Node ${process.versions.node} (${process.execPath}).\n` +
    'The right Node comes with `npm ci` for Linux, macOS and Windows: start with `npm start`, `npm test` or `npx firstmile`.\n' +
    'If `npm ci` ran with --omit=optional, run it again without.'
  );
}

if (nodeIsTooOld()) {
  console.error(refusal());
  process.exit(1);
}
