import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32c } from '../../geo/crc32c.ts';
import { PAGE_BYTES } from './check-pages.ts';

/*
 * The write-ahead log, as PostgreSQL 18 writes it (`access/xlog_internal.h`, `access/xlogrecord.h`): files of one size, in
 * pages of 8 KiB, each with a header that says which place of the log it holds. Records follow each other at multiples of
 * 8 bytes and go on over pages. A place (LSN) is a byte offset from the beginning of the log.
 */
/** A page's header; the first page of a file has a longer one. */
const HEADER_BYTES = 24;
const LONG_HEADER_BYTES = 40;
/** Flag of a page that begins with the rest of a record. */
const CONTINUES = 0x1;
const RECORD_HEADER_BYTES = 24;
/** Where a record's header holds its checksum; everything before it is covered. */
const CHECKSUM_AT = 20;
/** PostgreSQL's own limit is just below 1 GiB; the service writes nothing near it. */
const MOST_RECORD_BYTES = 256 * 1024 * 1024;
/** A write of this many bytes reaches a disk whole or not at all. */
const SECTOR_BYTES = 512;
/** `pg_control`: the state of the cluster, and the place where recovery begins. */
const STATE_AT = 16;
const REDO_AT = 40;
const SHUT_DOWN = 1;

export interface WalCheck {
  /** Records that recovery replays. */
  readonly records: number;
  /** The place where recovery stops. */
  readonly end: number;
  /** The same, where what lies there was written and is damaged; null where the log simply ends. */
  readonly damagedAt: number | null;
}

/**
 * Reads the log that recovery is going to replay, before it does: recovery takes the first record it cannot read for the
 * end of the log, and rows that were committed after it would be gone without a word. The log is damaged where a sound
 * record lies after the unreadable one, or where the unreadable one is too small to have been cut by a crash. Damage in the
 * last record of the log, where that lies over two sectors of the disk, cannot be distinguished from a crash while it was written.
 *
 * Returns null when the cluster was shut down cleanly: nothing is replayed then.
 */
export async function checkWal(cluster: string): Promise<WalCheck | null> {
  const control = view(await readFile(join(cluster, 'global/pg_control')));
  if (control.byteLength < REDO_AT + 8) throw new Error(`global/pg_control has ${control.byteLength} bytes`);
  if (control.getUint32(STATE_AT, true) === SHUT_DOWN) return null;
  const log = await openLog(join(cluster, 'pg_wal'));
  let [at, previous, records] = [place(control, REDO_AT), 0, 0];
  for (;;) {
    const record = await readRecord(log, at);
    if (record === null || (records > 0 && record.previous !== previous)) break;
    [previous, at] = [skipHeader(at, log.fileBytes), record.next];
    records++;
  }
  const end = skipHeader(at, log.fileBytes);
  const isDamaged = (await isTooSmallToBeCut(log, end, previous)) || (await followsRecord(log, end, previous));
  return { records, end, damagedAt: isDamaged ? end : null };
}

interface Log {
  readonly fileBytes: number;
  /** Where the last file of the log ends. */
  readonly limit: number;
  /** The page that begins at `start`; null where the log has none or another one lies in its place. */
  page(start: number): Promise<DataView | null>;
}

async function openLog(folder: string): Promise<Log> {
  const names = (await readdir(folder)).filter((name) => /^[0-9A-F]{24}$/.test(name)).toSorted();
  const first = names[0];
  if (first === undefined) return { fileBytes: PAGE_BYTES, limit: 0, page: () => Promise.resolve(null) };
  let kept = { name: first, bytes: await readFile(join(folder, first)) };
  const fileBytes = kept.bytes.length;
  // The version of the log's format; damage of the very first page leaves the engine's own check of it.
  const magic = view(kept.bytes).getUint16(0, true);
  const filesInId = 2 ** 32 / fileBytes;
  const numberOf = (name: string) =>
    Number.parseInt(name.slice(8, 16), 16) * filesInId + Number.parseInt(name.slice(16), 16);
  const byNumber = new Map(names.map((name) => [numberOf(name), name]));
  return {
    fileBytes,
    limit: (Math.max(...byNumber.keys()) + 1) * fileBytes,
    async page(start) {
      const name = byNumber.get(Math.floor(start / fileBytes));
      if (name === undefined) return null;
      if (kept.name !== name) kept = { name, bytes: await readFile(join(folder, name)) };
      const from = start % fileBytes;
      if (from + PAGE_BYTES > kept.bytes.length) return null;
      const page = view(kept.bytes.subarray(from, from + PAGE_BYTES));
      return page.getUint16(0, true) === magic && place(page, 8) === start ? page : null;
    },
  };
}

interface WalRecord {
  /** Where the record before it begins, as it says itself. */
  readonly previous: number;
  /** Where the next one begins; may be the beginning of a page, before its header. */
  readonly next: number;
}

/** The record at a place, or null where none lies there whole and sound. */
async function readRecord(log: Log, at: number): Promise<WalRecord | null> {
  const start = skipHeader(at, log.fileBytes);
  const first = await log.page(pageOf(start));
  const length = first?.getUint32(start % PAGE_BYTES, true) ?? 0;
  if (length < RECORD_HEADER_BYTES || length > MOST_RECORD_BYTES) return null;
  const bytes = new Uint8Array(length);
  let [done, from] = [0, start];
  while (done < length) {
    const page = await log.page(pageOf(from));
    if (page === null || (done > 0 && !continues(page, length - done))) return null;
    const part = Math.min(length - done, PAGE_BYTES - (from % PAGE_BYTES));
    bytes.set(new Uint8Array(page.buffer, page.byteOffset + (from % PAGE_BYTES), part), done);
    done += part;
    from = done < length ? skipHeader(from + part, log.fileBytes) : from + part;
  }
  const head = view(bytes);
  const covered = new Uint8Array(length - 4);
  covered.set(bytes.subarray(RECORD_HEADER_BYTES));
  covered.set(bytes.subarray(0, CHECKSUM_AT), length - RECORD_HEADER_BYTES);
  if (crc32c(covered) !== head.getUint32(CHECKSUM_AT, true)) return null;
  const next = isSwitch(head) ? log.fileBytes * Math.ceil(from / log.fileBytes) : 8 * Math.ceil(from / 8);
  return { previous: place(head, 8), next };
}

/** Whether a page begins with the rest of a record, `left` bytes of it. */
function continues(page: DataView, left: number): boolean {
  return (page.getUint16(2, true) & CONTINUES) !== 0 && page.getUint32(16, true) === left;
}

/** A record after which the rest of the file is unused (`XLOG_SWITCH` of resource manager 0). */
function isSwitch(head: DataView): boolean {
  return head.getUint8(17) === 0 && (head.getUint8(16) & 0xf0) === 0x40;
}

/** Whether a record was begun at a place inside one sector, so that no crash can have cut it: it was whole once. */
async function isTooSmallToBeCut(log: Log, at: number, previous: number): Promise<boolean> {
  const page = await log.page(pageOf(at));
  const offset = at % PAGE_BYTES;
  if (page === null || offset + RECORD_HEADER_BYTES > PAGE_BYTES) return false;
  const rest = SECTOR_BYTES - (at % SECTOR_BYTES);
  const length = page.getUint32(offset, true);
  if (length === 0 && place(page, offset + 8) !== previous) return false;
  return length <= rest || (rest >= RECORD_HEADER_BYTES && length > MOST_RECORD_BYTES);
}

/** Whether a sound record that belongs to this log begins anywhere after a place. */
async function followsRecord(log: Log, end: number, previous: number): Promise<boolean> {
  for (let start = pageOf(end); start < log.limit; start += PAGE_BYTES) {
    const page = await log.page(start);
    if (page === null) continue;
    const from = Math.max(end + 8, start + HEADER_BYTES);
    for (let at = from; at + RECORD_HEADER_BYTES <= start + PAGE_BYTES; at += 8) {
      const offset = at - start;
      const length = page.getUint32(offset, true);
      if (length < RECORD_HEADER_BYTES || length > MOST_RECORD_BYTES) continue;
      const before = place(page, offset + 8);
      if (before < previous || before >= at || before % 8 !== 0) continue;
      if ((await readRecord(log, at)) !== null) return true;
    }
  }
  return false;
}

/** The first byte of a record that begins at `at`, where a page's header may stand first. */
function skipHeader(at: number, fileBytes: number): number {
  if (at % PAGE_BYTES !== 0) return at;
  return at + (at % fileBytes === 0 ? LONG_HEADER_BYTES : HEADER_BYTES);
}

function pageOf(at: number): number {
  return at - (at % PAGE_BYTES);
}

/** A place in the log, 64 bits, little-endian. Exact up to 8 PiB of log. */
function place(bytes: DataView, at: number): number {
  return bytes.getUint32(at, true) + bytes.getUint32(at + 4, true) * 2 ** 32;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
