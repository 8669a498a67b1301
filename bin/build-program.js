// Joins the sources and the packages that every start loads into a few files, dist/program: 3,000 modules take half of the time and
// of the memory of a start. `npm ci` runs it through `prepare`. What is up to date stays. Without --required it leaves an installation
// alone that lacks what it takes: the program then runs from its sources, as it does once one of them has changed.
import { globSync, readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { builtProgram, PROGRAM, sourcesNow, STAMP } from './built-program.js';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'src');
const required = process.argv.includes('--required');
/** Packages that read files of their own, or that few starts load. */
const APART =
  /^(@electric-sql\/|@ai-sdk\/|ai$|zod$|geos-wasm|harfbuzzjs$|pdfkit$|swagger-ui-dist|unpdf$|write-excel-file)/;
/** The address of a thread, which becomes a file of its own. */
const THREAD = /new URL\('[^']*?([\w-]+-thread)\.ts', import\.meta\.url\)/g;

async function build() {
  if (builtProgram() !== null) return;
  const { rolldown } = await import('rolldown');
  const dependencies = Object.keys(JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')).dependencies);
  const before = sourcesNow();
  await rm(PROGRAM, { recursive: true, force: true });
  const bundle = await rolldown({
    cwd: ROOT,
    input: { main: 'src/cli/main.ts', ...threads() },
    platform: 'node',
    external: (name, importer) => isPackage(name) && fromSources(importer) && !isJoined(name, dependencies),
    plugins: [{ name: 'addresses', transform: keepAddresses }],
    logLevel: 'warn',
  });
  await bundle.write({
    dir: PROGRAM,
    format: 'esm',
    chunkFileNames: '[name]-[hash].js',
    charset: 'ascii',
    comments: false,
  });
  await bundle.close();
  // Last, so that a build that was interrupted is not taken for a program; of sources that changed meanwhile nothing is known.
  if (sourcesNow() === before) await writeFile(STAMP, before);
}

/** Every thread that a source starts, by the name of its file. */
function threads() {
  const files = globSync('src/**/*.ts', { cwd: ROOT });
  const started = new Set(
    files.flatMap((file) => [...readFileSync(join(ROOT, file), 'utf8').matchAll(THREAD)].map(([, name]) => name)),
  );
  return Object.fromEntries(
    files.filter((file) => started.has(basename(file, '.ts'))).map((file) => [basename(file, '.ts'), file]),
  );
}

function isPackage(name) {
  return !/^[./]/.test(name) && !name.startsWith('node:');
}

function fromSources(importer) {
  return importer === undefined || importer.startsWith(SOURCES);
}

function isJoined(name, dependencies) {
  return !APART.test(name) && dependencies.some((one) => name === one || name.startsWith(`${one}/`));
}

/** A source finds files by where it is: that stays its own place, and threads are those of the built program. */
function keepAddresses(code, id) {
  if (!id.startsWith(SOURCES) || !code.includes('import.meta.')) return null;
  const file = relative(PROGRAM, id).replaceAll('\\', '/');
  return code
    .replaceAll(THREAD, "new URL('./$1.js', import.meta['url'])")
    .replaceAll('import.meta.url', `new URL('${file}', import.meta['url']).href`)
    .replaceAll('import.meta.filename', `(import.meta['dirname'] + '/${file}')`)
    .replaceAll('import.meta.dirname', `(import.meta['dirname'] + '/${dirname(file)}')`);
}

try {
  await build();
} catch (error) {
  console.error(`The program was not joined into one: ${error.message}`);
  if (required) process.exitCode = 1;
}
