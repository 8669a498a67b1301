import { rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Config } from '../../config/settings.ts';
import { MILL_LIST, PUBLIC_REGISTERS, type PublicRegister } from '../../readers/producers/public-registers.ts';
import type { RecordsRead } from '../../readers/producers/read-records.ts';
import { ContractError } from '../../readers/contracts/contract-error.ts';
import { temporaryFolder } from '../files/temporary-folder.ts';
import { networkOf } from '../outside/open-outside.ts';
import { isPublicAddress } from '../outside/public-hosts.ts';
import { readPage } from '../outside/read-page.ts';
import { readWhole } from '../outside/read-whole.ts';
import { importRegistry, type ImportedRegistry } from './registries.ts';

interface FetchedRegister extends ImportedRegistry {
  /** The file it was made of. */
  readonly place: string;
}

/** Largest file of a register that is fetched; the largest one that was seen has 16 MB. */
const MOST_BYTES = 60_000_000;

export type RegisterPlaces = Pick<Config, 'millListUrl'>;

/** The public registers, each where the settings say. */
export function publicRegisters({ millListUrl }: RegisterPlaces): readonly PublicRegister[] {
  return PUBLIC_REGISTERS.map((register) =>
    register.id === MILL_LIST && register.page !== millListUrl
      ? { ...register, page: millListUrl, folder: millListUrl }
      : register,
  );
}

/** A public register by its id; throws a sentence that lists those there are. */
export function publicRegister(id: string, places: RegisterPlaces): PublicRegister {
  const register = publicRegisters(places).find((each) => each.id === id);
  if (register !== undefined) return register;
  throw new Error(`there is no register "${id}"; there are: ${PUBLIC_REGISTERS.map((each) => each.id).join(', ')}`);
}

/**
 * Installs a public register from the file that its page names now, or from a file or address. What is not as expected (another
 * page in its place, other columns, too few records) is refused, and what was installed before stays.
 *
 * @throws ContractError, ByteSourceError or Problem, each with the file and what is wrong with it
 */
export async function getRegister(
  config: Pick<Config, 'dataDir'>,
  register: PublicRegister,
  from: string | null,
  onProgress: (rows: number) => void,
  signal: AbortSignal,
): Promise<FetchedRegister> {
  const place = from ?? (await findRegisterFile(config, register, signal));
  if (!isAddress(place)) return { ...(await importFile(config, register, place, place, onProgress, signal)), place };
  const bytes = await readWhole(config, place, MOST_BYTES, signal);
  const folder = await temporaryFolder('register');
  try {
    const path = join(folder, basename(new URL(place).pathname).replace(/\.geo\.json$/i, '.geojson'));
    await writeFile(path, bytes);
    return { ...(await importFile(config, register, path, place, onProgress, signal)), place };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The file that the page of a register names, or the page where that is a file; else the file that was seen last. */
export async function findRegisterFile(
  config: Pick<Config, 'dataDir'>,
  { id, page, pattern, folder, known }: PublicRegister,
  signal: AbortSignal,
): Promise<string> {
  if (/\.(xlsx|csv)$/i.test(new URL(page).pathname)) return page;
  const read = (inner: AbortSignal): Promise<string> => readPage(page, inner);
  const text = await (isPublicAddress(page) ? networkOf(config.dataDir).run(page, signal, read) : read(signal)).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      if (known === null) throw error;
      return '';
    },
  );
  const name = text.match(pattern)?.at(-1);
  if (name !== undefined) {
    const file = URL.parse(name, folder);
    // Whoever can write into the page must not choose where this machine connects to.
    if (file !== null && [page, folder].some((place) => isOfSite(file, new URL(place)))) return file.href;
    throw new ContractError(
      `${id}: its page ${page} names ${file?.href ?? name}, which is on another site; look at it, and give the file with --from`,
    );
  }
  if (known !== null) return known;
  throw new ContractError(
    `${id}: its page ${page} names no file as wanted; read the page, and give the file with --from`,
  );
}

function importFile(
  config: Pick<Config, 'dataDir'>,
  register: PublicRegister,
  path: string,
  place: string,
  onProgress: (rows: number) => void,
  signal: AbortSignal,
): Promise<ImportedRegistry> {
  const { id, title, licence, attribution, commodity } = register;
  return importRegistry(
    config,
    {
      path,
      id,
      title,
      version: null,
      date: /\d{4}-\d\d-\d\d/.exec(basename(place))?.[0] ?? null,
      licence,
      attribution,
      commodities: [commodity],
      onProgress,
      expect: (read) => assertRegister(register, place, read),
    },
    signal,
  );
}

/** Throws a `ContractError` unless a file is the register that is expected. */
function assertRegister({ id, expect }: PublicRegister, place: string, { records, columns }: RecordsRead): void {
  const found = columns.names.map((header) => header.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ''));
  const missing = expect.names.filter((name) => !found.includes(name));
  const refuse = (wanted: string, got: string): never => {
    throw new ContractError(`${id}: ${place}: wanted ${wanted}, got ${got}`);
  };
  if (missing.length > 0) refuse(`columns of names like ${missing.join(', ')}`, columns.names.join(', '));
  if (records.length < expect.leastRecords) refuse(`at least ${expect.leastRecords} records`, String(records.length));
  const located = records.filter(({ at }) => at !== null).length;
  if (located < records.length / 2) refuse('records with places', `${located} places for ${records.length} records`);
  const { ids } = expect;
  if (ids !== null && !records.some((record) => ids.test(record.id)))
    refuse(`identifiers like ${ids.source}`, `"${records[0].id}" and others`);
}

/** Whether an address is on the host of another one or below it, and no less protected. */
function isOfSite(file: URL, { protocol, host }: URL): boolean {
  const site = host.replace(/^www\./, '');
  return [protocol, 'https:'].includes(file.protocol) && (file.host === site || file.host.endsWith(`.${site}`));
}

function isAddress(place: string): boolean {
  return /^https?:\/\//.test(place);
}
