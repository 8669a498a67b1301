import assert from 'node:assert/strict';
import { type AsyncHook, createHook } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import { globSync } from 'node:fs';
import { createRequire, enableCompileCache } from 'node:module';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { memoryFlags } from '../bin/memory-flags.js';
import { isWholeRun } from './property-runs.ts';

const ROOT = join(import.meta.dirname, '..');

// Sources are stripped of types and compiled once, not by each group in each run.
enableCompileCache(join(ROOT, 'node_modules/.cache/tests'));

// As `firstmile` starts: the embedded database of a test ends before it is worth optimising, which takes a quarter of its time.
for (const flag of memoryFlags(process.versions.node)) if (flag.startsWith('--wasm-')) setFlagsFromString(flag);

// The runner follows every promise back to the test that made it, which takes a fifth of the processor time of tests that start
// services. It needs that to name the test whose error nobody caught, and to know whose a test is that is described after something
// was waited for. Here nothing is: files are loaded at once. An error that nobody caught fails the process, and `node --test FILE`
// names the test.
const hooks = Object.getPrototypeOf(createHook({})) as Pick<AsyncHook, 'enable'>;
const { enable } = hooks;
const noPromises = Object.getOwnPropertySymbols(createHook({})).find(
  ({ description }) => description === 'kNoPromiseHook',
);
hooks.enable = function (this: AsyncHook) {
  if (noPromises !== undefined) Object.assign(this, { [noPromises]: true });
  return enable.call(this);
};

const require = createRequire(import.meta.url);

/**
 * Tests next to the sources, by the process that runs them. A process for each file would load the same modules nearly 300
 * times, which takes as long as the tests themselves. The file of a group in `units` runs its unit tests, the one in
 * `integration` the others.
 */
export const GROUPS: Readonly<Record<string, readonly string[]>> = {
  geo: ['src/geo/**/*.test.ts'],
  http: ['src/http/**/*.test.ts'],
  formats: ['src/readers/formats/**/*.test.ts'],
  readers: ['src/readers/!(formats)/**/*.test.ts'],
  database: ['src/db/*/*.test.ts'],
  // What answers from is opened in one, what is answered in the other: together they would be the longest of all.
  data: [
    'src/service/{auto-data,datasets,detection,installation,models,outside,sample-district,shared-data,world}/**/*.test.ts',
  ],
  service: [
    'src/service/!(auto-data|datasets|detection|installation|models|outside|sample-district|shared-data|world)/**/*.test.ts',
    'src/service/*.test.ts',
  ],
  domains: [
    'src/{app,auth,cli,collections,config,email,facilities,forest,gis,jobs,law,locations,messages,parcels,plots,signatures,traces,webhooks}/**/*.test.ts',
    'src/*.test.ts',
    'src/db/*.test.ts',
  ],
  console: ['console/**/*.test.ts', 'clients/typescript/*.test.ts', 'tools/**/*.test.ts'],
};

/** Tests that start a server, a database, a process or threads, or write the whole documentation. `npm run test:unit` leaves them out. */
export const INTEGRATION: readonly string[] = [
  'clients/typescript/failures.test.ts',
  'src/app/{control,doctor/examine}.test.ts',
  'src/auth/jwt.test.ts',
  'src/cli/completion/completion.test.ts',
  'src/cli/{commands,demo/mailbox,webhooks/listen}.test.ts',
  'src/collections/due-diligence/audit/audit-pdf.test.ts',
  'src/db/{embedded,object-store,postgres}/*.test.ts',
  'src/email/open-smtp.test.ts',
  'src/http/access.test.ts',
  'src/http/client-habits.test.ts',
  'src/http/guards/{allow-origins,compress-answers,drain,observe-requests,speak-language}.test.ts',
  'src/http/mcp/mcp.test.ts',
  'src/http/pages/site/{site,write-versions}.test.ts',
  'src/http/pages/{console,html-page}.test.ts',
  'src/http/routes/{fetch/collections-fetch,forest/forest,parcels/parcels,service/map-features,tasks/tasks,tokens/refresh-token,tokens/tokens}.test.ts',
  'src/http/server/{send-features,server}.test.ts',
  'src/http/uploads/upload.test.ts',
  'src/http/{operation-ids,rate-limits,response-examples,service-routes,sockets}.test.ts',
  'src/log.test.ts',
  'src/readers/built-in/{built-in,disputed-territories}.test.ts',
  'src/readers/embeddings/cog/{tiff-blocks,tiff-blocks-file}.test.ts',
  'src/readers/embeddings/decode/{decode-inputs,decoder}.test.ts',
  'src/readers/embeddings/index/{bake,cache}.test.ts',
  'src/readers/embeddings/mosaic/{mosaic-blocks,mosaic-source}.test.ts',
  'src/readers/formats/flatgeobuf/flatgeobuf.test.ts',
  'src/readers/formats/tables/files-fuzz.test.ts',
  'src/readers/geocoders/geocoders.test.ts',
  'src/readers/io/doors.test.ts',
  'src/readers/io/http/landing.test.ts',
  'src/readers/io/http/request-until.test.ts',
  'src/readers/language-model/{comment-source,propose-columns}.test.ts',
  'src/readers/live/{google-places,live-fuzz,upstream,overpass/overpass-source}.test.ts',
  'src/readers/parcels/wfs-parcels.test.ts',
  'src/service/auto-data/shared-cells.test.ts',
  'src/service/datasets/{fetch-registers,find-producer,get-register,import-parcels}.test.ts',
  'src/service/detection/{detection,maps,tiles,union}.test.ts',
  'src/service/facilities/rate-in-parts.test.ts',
  'src/service/files/{file-work,temporary-folder,thread-failures}.test.ts',
  'src/service/forest/{check,pool}.test.ts',
  'src/service/law/law.test.ts',
  'src/service/locations/normalize-in-parts.test.ts',
  'src/service/models/{fetch-models,train-head}.test.ts',
  'src/service/outside/contracts.test.ts',
  'src/service/plot-statistics-remote.test.ts',
  'src/service/plots/{alerts,head-votes,map-pixels}.test.ts',
  'src/service/shared-data/shared-data.test.ts',
  'src/service/world/live-sources.test.ts',
  'src/traces/client/open-client.test.ts',
  'src/webhooks/sign.test.ts',
  'tools/kernels/compile-kernels.test.ts',
];

/**
 * Tests that are not next to a source, by the processes that run them, each of which takes every n-th file: so many files load the
 * same modules and the same browser once. What runs at the same time differs little in size.
 */
export const SHARES: Readonly<Record<string, { readonly files: string; readonly processes: number }>> = {
  console: { files: 'test/console/*.test.ts', processes: 4 },
  contracts: { files: 'test/contracts/**/*.test.ts', processes: 2 },
  'end-to-end': { files: 'test/end-to-end/*.test.ts', processes: 8 },
  oracles: { files: 'test/{messages,oracles}/**/*.test.ts', processes: 1 },
  webhooks: { files: 'test/end-to-end/webhooks/*.test.ts', processes: 2 },
};

/**
 * Tests that `npm test` leaves to `npm run test:all`, which is for a release and for whoever changes what they are about. Each takes
 * many processes, programs of others or a long row of crashes to show, in one piece, what smaller tests show in parts every day. A
 * suite of over ten minutes is not run before each commit.
 */
export const IN_ALL_ONLY: readonly string[] = [
  'src/db/embedded/{damage,prepared-cluster}.test.ts',
  'src/service/models/{fetch-models,train-head}.test.ts',
  'test/console/{again,base-map,doc-versions,estate,false-colour,fetch-region,language,live,own-columns,plot-split,plots-map,print,traces}.test.ts',
  // Crashes at every step; `crash` and the contracts have a few every day.
  'test/end-to-end/{collection-crash,collection-cut,traces-crash,watch-crash}.test.ts',
  'test/end-to-end/webhooks/{scenarios-f-backup,scenarios-f-kills,scenarios-g,scenarios-h,webhooks-whole-run}.test.ts',
  // Programs and runtimes of others.
  'test/end-to-end/{cattle-recipe,client-runtimes,mcp-inspector,ordinary-clients,qgis,receiver-kit,recipes}.test.ts',
  // What was installed from the package, and several hosts.
  'test/end-to-end/{backup-service,demo,package,store-parts,two-hosts}.test.ts',
  // Every route, file or tile once more.
  'test/end-to-end/{auto-data,eudr-fixtures,false-colour,hostile-files,label-store,languages,models-train}.test.ts',
  'test/end-to-end/{packs-mapped,segment-maps,traces-of-requests}.test.ts',
  // `kernels` compares checksums.
  'tools/kernels/compile-kernels.test.ts',
];

/** How Node reports servers and processes. */
const STARTS = ['tracing:net.server.listen:asyncStart', 'child_process'];

/** Paths from the root of the repository, in order. */
export function filesOf(patterns: readonly string[]): readonly string[] {
  return globSync([...patterns], { cwd: ROOT, exclude: ['**/node_modules/**'] }).toSorted();
}

const starting = new Set(filesOf(INTEGRATION));
/** Files that this run leaves out. */
export const leftOut: ReadonlySet<string> = new Set(isWholeRun ? [] : filesOf(IN_ALL_ONLY));

/** The files of a group that start nothing, or those that do, of this run. */
export function filesOfGroup(name: string, kind: 'unit' | 'integration'): readonly string[] {
  return filesOf(GROUPS[name] ?? []).filter(
    (file) => starting.has(file) === (kind === 'integration') && !leftOut.has(file),
  );
}

/** Runs the unit tests of a group, and fails where one starts what a unit test does not start. */
export function describeUnits(name: string): void {
  const started: string[] = [];
  for (const channel of STARTS) subscribe(channel, () => started.push(channel));
  for (const file of filesOfGroup(name, 'unit'))
    describeFile(file, () => {
      assert.deepEqual(started.splice(0), [], `${file} belongs to INTEGRATION in test/groups.ts`);
    });
}

/** Runs the other tests of a group. */
export function describeIntegration(name: string): void {
  for (const file of filesOfGroup(name, 'integration')) describeFile(file, () => {});
}

/** Runs the files of one process of `SHARES`, one after the other. Processes are counted from 1. */
export function describeShare(name: string, process: number): void {
  for (const file of filesOfShare(name, process)) describeFile(file, () => {});
}

export function filesOfShare(name: string, process: number): readonly string[] {
  const { files, processes } = SHARES[name]!;
  return filesOf([files])
    .filter((file) => !leftOut.has(file))
    .filter((_, index) => index % processes === process - 1);
}

/** A file as a block of its own, whose hooks are not those of the others. */
function describeFile(file: string, end: () => void): void {
  describe(file, () => {
    after(end);
    require(join(ROOT, file));
  });
}
