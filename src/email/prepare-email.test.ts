import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import PostalMime from 'postal-mime';
import { anyCharacter } from '../../test/any-character.ts';
import { composeMessage } from './compose-message.ts';
import { deliveriesPausedEmail, deliveryFailedEmail } from './notice-emails.ts';
import { type EmailContent, MAX_ATTACHMENT_BYTES, parseMailbox } from './email.ts';
import { prepareEmail } from './prepare-email.ts';
import { reportEmail } from './report-email.ts';

const FROM = parseMailbox('Firstmile <firstmile@example.org>')!;
const CREATED = new Date('2026-11-21T10:00:00Z');
const FILE = {
  filename: 'statement.zip',
  contentType: 'application/zip',
  blobId: '0d9c2f7e-6f0e-4b3a-9f5d-2f4b8f1f7a10',
  size: 5,
  sha256: 'ab'.repeat(32),
};
const plain = (subject: string, text = 'text'): EmailContent => ({
  kind: 'report',
  subject,
  text,
  attachments: [],
  textWithoutAttachments: null,
});

function prepare(content: EmailContent, to = 'ana@example.org') {
  return prepareEmail({ key: 'k', userId: 'u', to, content });
}

async function compose(content: EmailContent, files: readonly { filename: string; bytes: Uint8Array }[] = []) {
  const prepared = prepare(content);
  const email = {
    id: '0d9c2f7e-6f0e-4b3a-9f5d-2f4b8f1f7a10',
    messageId: '<0d9c2f7e-6f0e-4b3a-9f5d-2f4b8f1f7a10@example.org>',
    to: prepared.to,
    subject: prepared.content.subject,
    createdAt: CREATED,
  };
  const parts = {
    text: prepared.content.text,
    files: prepared.content.attachments.map(({ filename, contentType }, i) => ({
      filename,
      contentType,
      bytes: files[i]?.bytes ?? Buffer.from('bytes'),
    })),
  };
  const { bytes } = await composeMessage(email, FROM, parts);
  return { bytes, parsed: await PostalMime.parse(bytes) };
}

describe('an email', () => {
  it('reads back as it was written, whatever is in the name of a collection', async () => {
    const names = [
      "Côte d'Ivoire – 森林🌳",
      'a"b\\c',
      'line\r\nBcc: eve@example.org\r\n\r\nbody',
      '=?utf-8?q?x?=',
      '',
      '\u2028',
    ];
    for (const name of names) {
      const content = {
        ...reportEmail({
          collectionName: name,
          file: { ...FILE, filename: `${name}.zip` },
          fetchUrl: 'https://x.example/a',
          digest: null,
        }),
      };
      const { parsed } = await compose(content, [{ filename: '', bytes: Buffer.from([0, 255, 10, 13, 46]) }]);
      const clean = name.replaceAll(/[\p{Cc}\u2028]+/gu, ' ').replaceAll('=?', '= ?');
      assert.equal(parsed.subject, `Draft of an EUDR due diligence statement: ${clean}`.trim());
      assert.equal(parsed.attachments[0]?.filename, `${clean.trimStart()}.zip`.replaceAll(/[/\\]/g, '_'));
      assert.deepEqual(Buffer.from(parsed.attachments[0].content as ArrayBuffer), Buffer.from([0, 255, 10, 13, 46]));
      assert.equal(parsed.to?.[0]?.address, 'ana@example.org');
      assert.equal(parsed.bcc, undefined);
    }
  });

  it('never gets a header from user text', async () => {
    const wanted = ['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'];
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), async (subject, text) => {
        const { bytes, parsed } = await compose(plain(`${subject}\r\nX-Evil: 1`, text));
        const names = parsed.headers.map(({ key }) => key).filter((key) => key !== 'content-transfer-encoding');
        assert.deepEqual(names.sort(), wanted);
        assert.ok(!/(^|[^\r])\n/.test(bytes.toString('latin1')), 'a bare line feed');
      }),
    );
  });

  it('has the same bytes every time it is composed', async () => {
    const content = reportEmail({ collectionName: 'lot', file: FILE, fetchUrl: 'https://x.example/a', digest: null });
    const [first, second] = [await compose(content), await compose(content)];
    assert.deepEqual(first.bytes, second.bytes);
    assert.equal(first.parsed.messageId, '<0d9c2f7e-6f0e-4b3a-9f5d-2f4b8f1f7a10@example.org>');
    assert.equal(first.parsed.date, '2026-11-21T10:00:00.000Z');
  });

  it('is kept as failed when its address cannot be used', () => {
    const bad = [
      '',
      'ana',
      'ana@',
      '@example.org',
      'a@b@c',
      'ana@example.org\r\nRCPT TO:<eve@example.org>',
      'a b@example.org',
    ];
    for (const to of [...bad, 'ana@exa..mple.org', '<ana@example.org', `${'x'.repeat(65)}@example.org`]) {
      const { fault, to: kept } = prepare(plain('s'), to);
      assert.match(fault ?? '', /is not an address/, to);
      assert.ok(!/[\r\n]/.test(kept));
    }
    for (const to of ['ana@example.org', 'dev@localhost', 'ana+tag@sub.example.org', 'añña@münchen.example']) {
      assert.equal(prepare(plain('s'), to).fault, null, to);
    }
  });

  it('goes without files that are too large together, or fails when it has no text for that', () => {
    const content = { ...plain('s', 'with'), attachments: [{ ...FILE, size: MAX_ATTACHMENT_BYTES }, FILE] };
    const without = prepare({ ...content, textWithoutAttachments: 'without' });
    assert.deepEqual([without.content.text, without.content.attachments, without.fault], ['without', [], null]);
    assert.match(prepare(content).fault ?? '', /10000005 bytes, more than the 10000000/);
    const large = reportEmail({
      collectionName: 'lot',
      file: { ...FILE, size: 12_000_000 },
      fetchUrl: 'https://x.example/a',
      digest: null,
    });
    assert.deepEqual(large.attachments, []);
    assert.match(large.text, /It has 12 MB.*GET https:\/\/x\.example\/a/s);
  });

  it('says of a report that it is a draft, its rows by group, what was left out, what is made up and what is missing', () => {
    const digest = {
      counts: { locations: 14, facilities: 1, exported: 10, leftOut: 3, areaHa: 41.2 },
      groups: [
        ['Signs of deforestation', 4] as const,
        ['No deforestation found', 6] as const,
        ['Facility', 1] as const,
      ],
      open: { 'producer-missing': 2, 'not-looked-at': 7 },
      synthetic: ['sample-losses'],
    };
    const { text, subject } = reportEmail({
      collectionName: 'lot',
      file: FILE,
      fetchUrl: 'https://x.example/a',
      digest,
    });
    assert.match(subject, /^Draft of/);
    assert.match(text, /draft: nothing was submitted to any authority/);
    assert.match(text, /SYNTHETIC DATA: sample-losses is made up/);
    assert.match(
      text,
      /Plots in the draft: 10, of 41\.2 ha\.\nPlots left out: 3, listed with their reasons in left-out\.csv\./,
    );
    const note = { overlapHa: 1.5, overlapsReason: 'Plots of different collections are not compared with each other.' };
    const shared = reportEmail({
      collectionName: 'lot',
      file: FILE,
      fetchUrl: 'https://x.example/a',
      digest: { ...digest, counts: { ...digest.counts, ...note } },
    });
    assert.match(
      shared.text,
      /of 41\.2 ha\. 1\.5 ha lie in more than one plot and are counted once\. Ground may be counted twice\. Plots of different/,
    );
    assert.match(
      text,
      /All 14 rows, each in one group .*:\n {2}Signs of deforestation: 4\n {2}No deforestation found: 6\n {2}Facility: 1\n/,
    );
    assert.match(text, /\n {2}not-looked-at: 7\n {2}producer-missing: 2\n/);
    assert.match(text, /Missing, for you to fill in: .*weight and heading/);
    const real = reportEmail({
      collectionName: 'lot',
      file: FILE,
      fetchUrl: 'https://x.example/a',
      digest: { ...digest, synthetic: [] },
    });
    assert.doesNotMatch(real.text, /SYNTHETIC/);
  });

  it('keeps what PostgreSQL cannot out of its text', () => {
    const { content } = prepare(plain('a\0b\ud800', 'a\0b\ud800'));
    assert.deepEqual([content.subject, content.text], ['a b\ufffd', 'ab\ufffd']);
  });
});

describe('the notices', () => {
  const url = 'https://user:pass@hooks.example.org:8443/path-token?key=secret';

  it('say what failed and how to have it sent again, and show no path of the receiver', () => {
    const { text, subject } = deliveryFailedEmail({
      reason: 'The receiver failed.',
      deliveryId: 'd1',
      eventId: 'evt_1',
      eventType: 'batch_zonal_stats_complete',
      url,
      failedAt: CREATED,
      serviceUrl: 'https://firstmile.example.org',
    });
    assert.match(subject, /Webhook not delivered: batch_zonal_stats_complete/);
    assert.match(text, /POST https:\/\/firstmile\.example\.org\/webhooks\/deliveries\/d1\/redeliver/);
    assert.match(text, /https:\/\/hooks\.example\.org:8443\n/);
    assert.match(text, /Reason: {4}The receiver failed\.\n/);
    assert.doesNotMatch(text, /path-token|secret|pass/);
  });

  it('say that deliveries are paused and how they go on', () => {
    const { text } = deliveriesPausedEmail({ url, failures: 10, probeEveryMinutes: 15, serviceUrl: null });
    assert.match(text, /10 events in a row.*Every 15 minutes.*POST \/webhooks\/test/s);
    assert.doesNotMatch(text, /path-token|secret|pass/);
  });
});
