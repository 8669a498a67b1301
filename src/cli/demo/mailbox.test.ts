import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import { openDemoMailbox } from './mailbox.ts';

const { signal } = new AbortController();

/** Sends one email the way RFC 5321 wants it, in pieces of any size, and ends the session. */
async function send(url: string, email: Buffer, piece: number): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const stuffed = email.toString('latin1').replaceAll(/^\./gm, '..');
  const text = `EHLO me\r\nMAIL FROM:<a@b>\r\nRCPT TO:<c@d>\r\nDATA\r\n${stuffed}.\r\nQUIT\r\n`;
  socket.on('data', () => {});
  const closed = once(socket, 'close');
  for (let at = 0; at < text.length; at += piece) socket.write(Buffer.from(text.slice(at, at + piece), 'latin1'));
  await closed;
}

describe('openDemoMailbox', () => {
  it('keeps the bytes of an email as they were sent, lines that begin with dots among them', async () => {
    await using mailbox = await openDemoMailbox();
    const line = fc.oneof(
      fc.constantFrom('', '.', '..', '.x', 'DATA', 'QUIT'),
      fc.uint8Array({ maxLength: 20 }).map((bytes) =>
        Buffer.from(bytes)
          .toString('latin1')
          .replaceAll(/[\r\n]/g, ''),
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1 }), fc.integer({ min: 1, max: 50 }), async (lines, piece) => {
        const email = Buffer.from(lines.map((text) => `${text}\r\n`).join(''), 'latin1');
        await send(mailbox.url, email, piece);
        assert.deepEqual(Buffer.from((await mailbox.next(signal)) ?? []), email);
      }),
      { numRuns: 60 },
    );
  });

  it('gives emails in their order, to who waits and to who comes later, and nothing when none comes', async () => {
    await using mailbox = await openDemoMailbox();
    const first = mailbox.next(signal);
    await send(mailbox.url, Buffer.from('1\r\n'), 99);
    await send(mailbox.url, Buffer.from('2\r\n'), 99);
    assert.equal(String(await first), '1\r\n');
    assert.equal(String(await mailbox.next(signal)), '2\r\n');
    const gone = new AbortController();
    const none = mailbox.next(gone.signal);
    gone.abort();
    assert.equal(await none, null);
  });
});
