import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SMTP_USER, startScriptedServer, startSmtpServer, type SmtpFaults } from '../../test/smtp-fault-server.ts';
import { openSmtp, type SmtpOutcome, type SmtpSettings } from './open-smtp.ts';

const MESSAGE = {
  from: 'firstmile@example.org',
  to: 'ana@example.org',
  bytes: Buffer.from('Subject: hello\r\n\r\n.dots\r\n.\r\nstay\r\n'),
};
const never = new AbortController().signal;
const settings = (given: Partial<SmtpSettings> & { port: number }): SmtpSettings => ({
  host: 'localhost',
  tls: 'upgrade',
  user: null,
  password: null,
  ...given,
});

async function sendOnce(given: SmtpSettings, signal = never): Promise<SmtpOutcome & { ended: boolean }> {
  const smtp = openSmtp(given);
  let ended = false;
  const outcome = await smtp.send(MESSAGE, async () => (ended = true), signal);
  smtp.close();
  return { ...outcome, ended };
}

describe('SMTP', () => {
  it('sends over STARTTLS with a login, and the message arrives unchanged', async () => {
    await using server = await startSmtpServer();
    const { result, detail } = await sendOnce(settings({ port: server.port, ca: server.ca, ...SMTP_USER }));
    assert.equal(result, 'sent', detail);
    assert.deepEqual(server.received, [{ from: MESSAGE.from, to: [MESSAGE.to], bytes: MESSAGE.bytes }]);
  });

  it('sends over TLS from the first byte, and without TLS only where the settings say so', async () => {
    await using secure = await startSmtpServer({}, { secure: true });
    assert.equal((await sendOnce(settings({ port: secure.port, ca: secure.ca, tls: 'start' }))).result, 'sent');
    await using plain = await startSmtpServer({ noStartTls: true });
    assert.equal((await sendOnce(settings({ port: plain.port, tls: 'off' }))).result, 'sent');
    const { result, detail } = await sendOnce(settings({ port: plain.port }));
    assert.equal(result, 'again');
    assert.match(detail, /STARTTLS/);
    assert.equal(plain.received.length, 1);
  });

  it('sends nothing to a server whose certificate it does not trust or is for another name', async () => {
    await using server = await startSmtpServer();
    const untrusted = await sendOnce(settings({ port: server.port, ...SMTP_USER }));
    assert.equal(untrusted.result, 'again');
    assert.match(untrusted.detail, /self.signed/i);
    await using other = await startSmtpServer({}, { hostname: 'mail.example.org' });
    const { result, detail } = await sendOnce(settings({ port: other.port, ca: other.ca }));
    assert.equal(result, 'again');
    assert.match(detail, /localhost/);
    assert.equal(server.received.length + other.received.length, 0);
  });

  const faults: readonly (readonly [string, SmtpFaults, SmtpOutcome['result'], RegExp])[] = [
    ['421 as greeting', { connect: 421 }, 'again', /421/],
    ['554 as greeting', { connect: 554 }, 'again', /554/],
    ['454 at AUTH', { auth: 454 }, 'again', /AUTH.*454/],
    ['535 at AUTH, which is about the account', { auth: 535 }, 'again', /AUTH.*535/],
    ['451 at MAIL', { mail: 451 }, 'again', /MAIL FROM.*451/],
    ['530 at MAIL, which asks for a login', { mail: 530 }, 'again', /530/],
    ['550 at MAIL', { mail: 550 }, 'refused', /MAIL FROM.*550/],
    ['421 at RCPT', { rcpt: 421 }, 'again', /421/],
    ['450 at RCPT, greylisting', { rcpt: 450 }, 'again', /RCPT TO.*450/],
    ['550 at RCPT, no such mailbox', { rcpt: 550 }, 'refused', /RCPT TO.*550/],
    ['451 after the message', { end: 451 }, 'again', /DATA.*451/],
    ['421 after the message', { end: 421 }, 'again', /421/],
    ['554 after the message', { end: 554 }, 'refused', /DATA.*554/],
    ['a connection dropped after the message', { end: 'drop' }, 'unknown', /after the message was handed over/],
    ['no answer to the message before the deadline', { end: 'hang' }, 'unknown', /after the message was handed over/],
  ];
  for (const [name, fault, result, detail] of faults) {
    it(`takes ${name} for "${result}"`, async () => {
      await using server = await startSmtpServer(fault);
      const outcome = await sendOnce(
        settings({ port: server.port, ca: server.ca, ...SMTP_USER, timeouts: { attempt: 1_500 } }),
      );
      assert.equal(outcome.result, result, outcome.detail);
      assert.match(outcome.detail, detail);
      assert.equal(outcome.ended, 'end' in fault);
    });
  }

  const HAPPY: Readonly<Record<string, string>> = {
    CONNECT: '220 ready',
    EHLO: '250 here',
    HELO: '250 here',
    MAIL: '250 ok',
    RCPT: '250 ok',
    DATA: '354 go on',
    END: '250 taken',
    QUIT: '221 bye',
    RSET: '250 ok',
  };
  const scripts: readonly (readonly [string, Readonly<Record<string, string>>, SmtpOutcome['result'], boolean])[] = [
    ['every reply as it should be', {}, 'sent', true],
    ['a connection closed instead of a greeting', { CONNECT: 'drop' }, 'again', false],
    ['a silent server', { CONNECT: 'hang' }, 'again', false],
    ['a greeting that is no SMTP', { CONNECT: 'HTTP/1.1 400 Bad Request' }, 'again', false],
    ['EHLO and HELO refused', { EHLO: '502 no', HELO: '502 no' }, 'again', false],
    ['a connection dropped at EHLO', { EHLO: 'drop' }, 'again', false],
    ['a connection dropped at MAIL', { MAIL: 'drop' }, 'again', false],
    ['a connection dropped at RCPT', { RCPT: 'drop' }, 'again', false],
    ['silence at RCPT', { RCPT: 'hang' }, 'again', false],
    ['451 at DATA', { DATA: '451 later' }, 'again', false],
    ['554 at DATA', { DATA: '554 no' }, 'refused', false],
    ['a connection dropped at DATA', { DATA: 'drop' }, 'again', false],
    ['a reply to the message that is no SMTP', { END: 'what?' }, 'unknown', true],
    ['354 as the reply to the message', { END: '354 more' }, 'unknown', true],
    ['552 after the message', { END: '552 too large' }, 'refused', true],
  ];
  for (const [name, script, result, ended] of scripts) {
    it(`takes ${name} for "${result}"`, async () => {
      await using server = await startScriptedServer((command) => script[command] ?? HAPPY[command] ?? '250 ok');
      const timeouts = { attempt: 1_500, connect: 700 };
      const outcome = await sendOnce(settings({ port: server.port, tls: 'off', timeouts }));
      assert.equal(outcome.result, result, outcome.detail);
      assert.equal(outcome.ended, ended);
    });
  }

  it('takes a refused connection and a name that does not exist for "again"', async () => {
    const { port } = await startSmtpServer().then(async (server) => {
      await server[Symbol.asyncDispose]();
      return server;
    });
    assert.match((await sendOnce(settings({ port }))).detail, /ECONNREFUSED/);
    const nowhere = settings({ port, host: 'mail.firstmile.invalid', timeouts: { attempt: 5_000 } });
    assert.equal((await sendOnce(nowhere)).result, 'again');
  });

  it('says that a message is too large before it is sent and when the server says so', async () => {
    await using server = await startSmtpServer({ maxBytes: 10 });
    const before = await sendOnce(settings({ port: server.port, ca: server.ca }));
    assert.deepEqual([before.result, before.tooLarge, before.ended], ['refused', true, false], before.detail);
    server.faults = { rcpt: 552 };
    await using other = await startSmtpServer({ end: 552 });
    const after = await sendOnce(settings({ port: other.port, ca: other.ca }));
    assert.deepEqual([after.result, after.tooLarge], ['refused', true]);
  });

  it('does not let the end leave when the email is no longer its own', async () => {
    await using server = await startSmtpServer();
    const smtp = openSmtp(settings({ port: server.port, ca: server.ca }));
    const { result } = await smtp.send(MESSAGE, async () => false, never);
    assert.equal(result, 'again');
    assert.deepEqual(server.received, []);
  });

  it('takes a connection lost in the middle of a large message for "again": its end had not left', async () => {
    await using server = await startScriptedServer((command) => HAPPY[command] ?? '250 ok');
    const smtp = openSmtp(settings({ port: server.port, tls: 'off' }));
    const stop = new AbortController();
    const bytes = Buffer.alloc(1_000_000, 'line\r\n');
    let asked = 0;
    const beforeEnd = async (): Promise<boolean> => {
      asked++;
      stop.abort(new Error('told to stop'));
      await new Promise((done) => setTimeout(done, 50));
      return true;
    };
    const outcome = await smtp.send({ ...MESSAGE, bytes }, beforeEnd, stop.signal);
    assert.deepEqual([outcome.result, asked], ['again', 1], outcome.detail);
  });

  it('keeps the connection for the next message and opens a new one when it was closed meanwhile', async () => {
    await using server = await startSmtpServer();
    const smtp = openSmtp(settings({ port: server.port, ca: server.ca, timeouts: { idle: 60_000 } }));
    for (let i = 0; i < 3; i++) assert.equal((await smtp.send(MESSAGE, async () => true, never)).result, 'sent');
    assert.equal(server.connections(), 1);
    server.faults = { mail: 450 };
    assert.equal((await smtp.send(MESSAGE, async () => true, never)).result, 'again');
    server.faults = {};
    assert.equal((await smtp.send(MESSAGE, async () => true, never)).result, 'sent');
    assert.equal(server.connections(), 2);
    server.faults = { end: 'drop' };
    assert.equal((await smtp.send(MESSAGE, async () => true, never)).result, 'unknown');
    smtp.close();
    assert.equal(server.received.length, 5);
  });
});
