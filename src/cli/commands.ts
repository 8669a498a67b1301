import { batch } from './batch.ts';
import { collectionsDelete } from './collections-delete.ts';
import { collectionsList } from './collections-list.ts';
import { collectionsShow } from './collections-show.ts';
import type { Command } from './command.ts';
import { dataImportOsm } from './data-import-osm.ts';
import { dataImportOverture } from './data-import-overture.ts';
import { dataImportParcels } from './data-import-parcels.ts';
import { dataImportProducers } from './data-import-producers.ts';
import { dataList } from './data-list.ts';
import { dataRemove } from './data-remove.ts';
import { dataVerify } from './data-verify.ts';
import { demo } from './demo.ts';
import { exportEudrDds } from './export-eudr-dds.ts';
import { forestLookup } from './forest-lookup.ts';
import { emailList } from './email-list.ts';
import { emailResend } from './email-resend.ts';
import { emailShow } from './email-show.ts';
import { secretsRotate } from './secrets-rotate.ts';
import { modelsInstall } from './models-install.ts';
import { modelsList } from './models-list.ts';
import { modelsRemove } from './models-remove.ts';
import { modelsTest } from './models-test.ts';
import { modelsTrain } from './models-train.ts';
import { normalize } from './normalize.ts';
import { parcelsSearch } from './parcels-search.ts';
import { serve } from './serve.ts';
import { storeBuild } from './store-build.ts';
import { storeInfoCommand } from './store-info.ts';
import { storeList } from './store-list.ts';
import { storeVerify } from './store-verify.ts';
import { tokenCreate } from './token-create.ts';
import { tokenList } from './token-list.ts';
import { tokenRevoke } from './token-revoke.ts';
import { userAdd } from './user-add.ts';
import { validate } from './validate.ts';
import { webhookAnnounce } from './webhook-announce.ts';
import { webhookListen } from './webhook-listen.ts';
import { worker } from './worker.ts';

/** Every command, in the order the help shows them. */
export const COMMANDS: readonly Command[] = [
  serve,
  worker,
  demo,
  validate,
  normalize,
  batch,
  collectionsList,
  collectionsShow,
  collectionsDelete,
  exportEudrDds,
  forestLookup,
  parcelsSearch,
  tokenCreate,
  tokenList,
  tokenRevoke,
  userAdd,
  webhookListen,
  webhookAnnounce,
  secretsRotate,
  emailList,
  emailShow,
  emailResend,
  dataList,
  dataImportOsm,
  dataImportOverture,
  dataImportParcels,
  dataImportProducers,
  dataRemove,
  dataVerify,
  modelsInstall,
  modelsList,
  modelsTest,
  modelsTrain,
  modelsRemove,
  storeBuild,
  storeVerify,
  storeInfoCommand,
  storeList,
];
