import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import type { BatchOptions } from '../../src/collections/collection.ts';
import { createLog } from '../../src/log.ts';
import { createCollectionStore, type CollectionStore } from '../../src/db/collections/create-collections.ts';
import { queueEmail } from '../../src/db/email/queue-email.ts';
import { openStore, type Store } from '../../src/db/open-store.ts';
import { BATCH_OPTIONS } from '../memory/collections.ts';
import { testEngines, type TestDatabase } from './engines.ts';

const OPTIONS: BatchOptions = { ...BATCH_OPTIONS, cropType: null, validateLocations: false, eudrDds: true };

for (const engine of testEngines()) {
  describe(`the email of a report on ${engine.name}`, { skip: engine.skip }, () => {
    let database: TestDatabase;
    let store: Store;
    let collections: CollectionStore;
    let userId = '';
    before(async () => {
      database = await engine.create();
      const log = createLog({ level: 'silent', json: true });
      store = await openStore({ dataDir: database.dataDir, databaseUrl: database.databaseUrl, poolSize: 4, log });
      collections = createCollectionStore(store);
      userId = (await store.credentials.addUser('ana@example.org', null)).id;
    });
    after(async () => {
      await store?.close();
      await database?.drop();
    });

    /** A collection whose batch `run` was completed; null: none was. */
    async function made(run: string | null, change: Partial<BatchOptions> = {}, owner = userId) {
      const id = randomUUID();
      const file = { name: 'a.csv', size: 1, sha256: 'f'.repeat(64) };
      await collections.add(
        { id, userId: owner, name: 'lot', description: '', file, reading: {}, mapping: [], idempotency: null },
        async function* () {
          yield new Uint8Array([1]);
        },
      );
      const options = JSON.stringify({ ...OPTIONS, ...change });
      await store.db.updateTable('collections').set({ run, options }).where('id', '=', id).execute();
      return { id };
    }

    it('waits, then says when it was sent or why it was not', async () => {
      const run = randomUUID();
      const collection = await made(run);
      const content = {
        kind: 'report',
        subject: 's',
        text: 't',
        attachments: [],
        textWithoutAttachments: null,
      } as const;
      await store.db
        .transaction()
        .execute((trx) =>
          queueEmail(trx, { key: `report/${run}`, userId, to: 'ana@example.org', content, fault: null }),
        );
      const waiting = await collections.reportEmail(collection);
      assert.deepEqual([waiting?.state, waiting?.reason, waiting?.to], ['queued', null, 'ana@example.org']);
      const detail = '550 No such mailbox.';
      await store.db
        .updateTable('emails')
        .set({ state: 'failed', detail })
        .where('key', '=', `report/${run}`)
        .execute();
      const failed = await collections.reportEmail(collection);
      assert.deepEqual([failed?.state, failed?.reason], ['failed', detail]);
    });

    it('is nothing to speak of before a batch is completed, or when no report was requested', async () => {
      assert.equal(await collections.reportEmail(await made(null)), null);
      assert.equal(await collections.reportEmail(await made(randomUUID(), { eudrDds: false })), null);
    });

    it('says that there is none for a user without an address, or after it was forgotten', async () => {
      const unknownUser = await collections.reportEmail(await made(randomUUID(), {}, 'user of another issuer'));
      assert.equal(unknownUser?.state, 'none');
      assert.match(unknownUser?.reason ?? '', /No email address/);
      const forgotten = await collections.reportEmail(await made(randomUUID()));
      assert.match(forgotten?.reason ?? '', /no longer kept/);
    });
  });
}
