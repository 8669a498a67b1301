// Packs the fonts of the audit trail into dist/fonts.pack: `npm ci` runs it through `prepare`. The packages that they come from hold every
// weight and format, 41 MB, of which a half is set. What is up to date stays. Without --required it leaves an installation alone that
// cannot be given them.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { toolPackages } from './tool-packages.js';

const required = process.argv.includes('--required');
const packages = toolPackages('fonts', '@fontsource/noto-sans');

try {
  // The package holds what is made here, and nothing to make it of.
  if (existsSync(join(import.meta.dirname, '../src'))) await build();
} catch (error) {
  console.error(`The fonts of the audit trail were not packed: ${error.message}`);
  if (required) process.exitCode = 1;
}

async function build() {
  if (Number(process.versions.node.split('.')[0]) < 24)
    throw new Error(`Node ${process.versions.node} runs no TypeScript`);
  const { areFontsCurrent, packFonts } = await import('../tools/fonts/pack-fonts.ts');
  if (areFontsCurrent()) return;
  try {
    await packages.fetch();
    packFonts();
  } finally {
    await packages.drop();
  }
}
