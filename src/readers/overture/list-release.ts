import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ByteSourceError } from '../io/byte-error.ts';
import { requestUntil } from '../io/http/request-until.ts';
import { OvertureError } from './overture-types.ts';

/** Where a release is read from: a bucket that lists itself as S3 does, or a folder laid out like one. */
interface ReleasePlace {
  /** Names of the releases, oldest first. */
  releases(signal: AbortSignal): Promise<readonly string[]>;
  /** Addresses or paths of the Parquet files of a type, in order. */
  files(release: string, folder: string, signal: AbortSignal): Promise<readonly string[]>;
}

export function releasePlace(from: string): ReleasePlace {
  return /^https?:/.test(from) ? bucket(from.replace(/\/+$/, '')) : folderOf(from);
}

/** A folder that holds `release/NAME/theme=...`, or one release itself. */
function folderOf(root: string): ReleasePlace {
  const inRelease = (release: string, folder: string): string[] => [
    join(root, 'release', release, folder),
    join(root, release, folder),
    join(root, folder),
  ];
  return {
    async releases() {
      for (const place of [join(root, 'release'), root]) {
        const names = await namesIn(place);
        const releases = names.filter((name) => RELEASE.test(name)).sort();
        if (releases.length > 0) return releases;
        if (names.some((name) => name.startsWith('theme='))) return ['local'];
      }
      return [];
    },
    async files(release, folder) {
      for (const place of inRelease(release, folder)) {
        const names = (await namesIn(place)).filter((name) => name.endsWith('.parquet')).sort();
        if (names.length > 0) return names.map((name) => join(place, name));
      }
      return [];
    },
  };
}

/** Name of a release. */
export const RELEASE = /^\d{4}-\d{2}-\d{2}(-[a-z]+)?\.\d+$/;

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [];
    throw error;
  });
}

function bucket(base: string): ReleasePlace {
  return {
    async releases(signal) {
      const { prefixes } = await listAll(base, 'release/', '/', signal);
      return prefixes
        .map((prefix) => prefix.slice('release/'.length, -1))
        .filter((name) => RELEASE.test(name))
        .sort();
    },
    async files(release, folder, signal) {
      const { keys } = await listAll(base, `release/${release}/${folder}/`, null, signal);
      return keys
        .filter((key) => key.endsWith('.parquet'))
        .sort()
        .map((key) => `${base}/${key.split('/').map(encodeURIComponent).join('/')}`);
    },
  };
}

interface Listing {
  readonly keys: readonly string[];
  readonly prefixes: readonly string[];
}

/** Pages of a listing; each has up to 1,000 names. */
const MAX_PAGES = 100;
const TRIES = 4;
const DEADLINE_MS = 30_000;
const MAX_BYTES = 4_000_000;

async function listAll(base: string, prefix: string, delimiter: string | null, signal: AbortSignal): Promise<Listing> {
  const keys: string[] = [];
  const prefixes: string[] = [];
  let token: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const query = new URLSearchParams({ 'list-type': '2', prefix });
    if (delimiter !== null) query.set('delimiter', delimiter);
    if (token !== null) query.set('continuation-token', token);
    const xml = await fetchText(`${base}/?${query}`, signal);
    if (!xml.includes('<ListBucketResult'))
      throw new OvertureError(
        base,
        'wanted a listing as S3 gives it, got another answer; download the files and give their folder',
      );
    keys.push(...valuesOf(xml, 'Key'));
    for (const part of xml.matchAll(/<CommonPrefixes>([\s\S]*?)<\/CommonPrefixes>/g))
      prefixes.push(...valuesOf(part[1], 'Prefix'));
    [token = null] = valuesOf(xml, 'NextContinuationToken');
    if (token === null) return { keys, prefixes };
  }
  throw new OvertureError(base, `the listing of ${prefix} has more than ${MAX_PAGES} pages`);
}

async function fetchText(url: string, signal: AbortSignal): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetchOnce(url, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof OvertureError) throw error;
      if (attempt === TRIES)
        throw new OvertureError(url, `cannot be read (${(error as Error).message})`, { cause: unanswered(url, error) });
      await wait(500 * 2 ** attempt * Math.random(), undefined, { signal });
    }
  }
}

async function fetchOnce(url: string, signal: AbortSignal): Promise<string> {
  const { statusCode, body } = await requestUntil(url, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
  });
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BYTES) throw new OvertureError(url, `wanted a listing of at most ${MAX_BYTES} bytes`);
  }
  if (statusCode === 200) return text;
  const fault = new ByteSourceError('status', url, `HTTP status ${statusCode}`, { status: statusCode });
  if (statusCode === 429 || statusCode >= 500) throw fault;
  throw new OvertureError(url, `HTTP status ${statusCode}`, { cause: fault });
}

function unanswered(url: string, error: unknown): ByteSourceError {
  if (error instanceof ByteSourceError) return error;
  return new ByteSourceError('transport', url, (error as Error).message, { cause: error });
}

function valuesOf(xml: string, tag: string): string[] {
  return [...xml.matchAll(new RegExp(`<${tag}>([^<]*)</${tag}>`, 'g'))].map(([, value]) => unescapeXml(value));
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function unescapeXml(text: string): string {
  return text.replaceAll(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole);
}
