// Compiles the program into lib/ and what else the package holds into dist/: `npm pack` runs it through `prepack`.
import { execFile } from 'node:child_process';
import { cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);
const COMPILER = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');

await compileProgram();
await Promise.all([
  compile('tsconfig.webhooks.json'),
  compileClient(),
  copyReference(),
  writeDocument(),
  writeManual(),
]);

async function compileProgram() {
  await rm(join(ROOT, 'lib'), { recursive: true, force: true });
  await compile('tsconfig.pack.json');
  for await (const name of glob('**/*.txt', { cwd: join(ROOT, 'src') }))
    await cp(join(ROOT, 'src', name), join(ROOT, 'lib', name));
  for await (const name of glob('**/*.js', { cwd: join(ROOT, 'lib') })) await renameEntries(join(ROOT, 'lib', name));
  const { clusterKey } = await import('../src/db/embedded/prepared-cluster.ts');
  await writeFile(join(ROOT, 'lib/db/embedded/cluster-key.txt'), clusterKey());
}

/** `firstmile/client`, whose types are made of the routes. */
async function compileClient() {
  await rm(join(ROOT, 'dist/client'), { recursive: true, force: true });
  await import('../tools/api-types/write-api-types.ts');
  await compile('tsconfig.client.json');
}

/** Threads and processes are started by the address of a file, which the compiler does not rename as it does imports. */
async function renameEntries(path) {
  const text = await readFile(path, 'utf8');
  const renamed = text.replaceAll(/(new URL\('[^']+)\.ts(', import\.meta\.url\))/g, '$1.js$2');
  if (renamed !== text) await writeFile(path, renamed);
}

/** The files of the reference, so that nobody has to install the package they come from, which installs another that reports home. */
async function copyReference() {
  const source = dirname(require.resolve('swagger-ui-dist/package.json'));
  const target = join(ROOT, 'dist/swagger-ui');
  await mkdir(target, { recursive: true });
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png', 'LICENSE', 'NOTICE'])
    await cp(join(source, name), join(target, name));
}

/** `firstmile/openapi.json`, made of the routes. Its type is short: an editor need not read half a megabyte of literals. */
async function writeDocument() {
  const { testServer } = await import('../test/memory/test-server.ts');
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  await using server = testServer({ version });
  await server.app.ready();
  await writeFile(join(ROOT, 'dist/openapi.json'), `${JSON.stringify(server.app.swagger())}\n`);
  const type = `/** The OpenAPI 3.1 document of the service. */
declare const document: {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
  readonly [member: string]: unknown;
};
export default document;
`;
  await writeFile(join(ROOT, 'dist/openapi.d.ts'), type);
}

async function writeManual() {
  const { manualPage } = await import('../docs/manual-page.ts');
  await writeFile(join(ROOT, 'dist/firstmile.1'), await manualPage());
}

async function compile(project) {
  await promisify(execFile)(process.execPath, [COMPILER, '-p', project], { cwd: ROOT }).catch((error) => {
    throw new Error(`tsc -p ${project} failed:\n${error.stdout}`);
  });
}
