import type { CommandEntry } from './command.ts';
import { REVIEW_COMMANDS } from './reviews/commands.ts';
import { TRACES_COMMANDS } from './traces/commands.ts';

/**
 * Every command, in the order the help shows them. A command is loaded when it is called, so that `--version` and `--help`
 * load nothing of the program.
 */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'Starts the service: HTTP and the task runner.',
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'worker',
    summary: 'Runs queued tasks in a process of its own; needs DATABASE_URL.',
    load: async () => (await import('./serve.ts')).worker,
  },
  {
    name: 'doctor',
    summary:
      'Looks at what the service needs (settings, Node, memory, disk, database, data, port, address) and says what to do; exits with 1 when something keeps it from running.',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    name: 'backup',
    summary: 'Writes every row and the data folder into one file, and reads it back.',
    audit: 'backup_made',
    load: async () => (await import('./operate/backup.ts')).backup,
  },
  {
    name: 'restore',
    summary: 'Restores a backup into an empty data folder and an empty database; --check only reads it.',
    audit: 'backup_restored',
    load: async () => (await import('./operate/restore.ts')).restore,
  },
  {
    name: 'demo',
    summary:
      'Shows a whole batch on made-up plots: statistics, webhook, email, due diligence export. Needs no network.',
    load: async () => (await import('./demo/demo.ts')).demo,
  },
  {
    name: 'validate',
    summary:
      'Rates the facilities of a file, and checks the plots of it, without a running service; exits with 1 when any is invalid.',
    load: async () => (await import('./lookup/validate.ts')).validate,
  },
  {
    name: 'normalize',
    summary: 'Normalises the locations of any usual file of places, one per row; exits with 1 when a row has no place.',
    load: async () => (await import('./lookup/normalize.ts')).normalize,
  },
  {
    name: 'verdict',
    summary:
      'Evaluates the plots of a file by every layer of the catalogue, without a running service; exits with 1 when any is not low.',
    load: async () => (await import('./lookup/verdict.ts')).verdict,
  },
  {
    name: 'batch',
    summary: 'Keeps a file of locations as a collection and has the running service process it.',
    load: async () => (await import('./collections/batch.ts')).batch,
  },
  {
    name: 'collections list',
    summary: 'Lists the collections of a user, the newest first.',
    load: async () => (await import('./collections/collections.ts')).collectionsList,
  },
  {
    name: 'collections show',
    summary: 'Shows one collection: what it holds, what was requested, and how far its task is.',
    load: async () => (await import('./collections/collections.ts')).collectionsShow,
  },
  {
    name: 'collections delete',
    summary: 'Stops what works on a collection and deletes it with its file, locations, results and tasks, for good.',
    load: async () => (await import('./collections/collections.ts')).collectionsDelete,
  },
  {
    name: 'collections changes',
    summary: 'Compares the last two batches of a collection, plot by plot.',
    load: async () => (await import('./collections/changes.ts')).collectionsChanges,
  },
  {
    name: 'collections watch',
    summary: 'Has a collection measured again whenever data changes, and reports what is found differently, once.',
    load: async () => (await import('./collections/watch.ts')).collectionsWatch,
  },
  {
    name: 'collections watched',
    summary: 'Lists the watched collections, or the runs of one with what changed.',
    load: async () => (await import('./collections/watch.ts')).collectionsWatched,
  },
  {
    name: 'export eudr-dds',
    summary: 'Writes the due diligence export of completed collections as a ZIP archive; nothing is submitted.',
    load: async () => (await import('./collections/export-eudr-dds.ts')).exportEudrDds,
  },
  {
    name: 'export map',
    summary: 'Writes the vector tiles of a collection, a pack or parcels as a PMTiles archive.',
    load: async () => (await import('./collections/export-map.ts')).exportMap,
  },
  {
    name: 'verify',
    summary:
      'Checks the signature of a file or an answer without a running service: what was signed, when and by which key; exits with 1 when it does not hold.',
    load: async () => (await import('./verify.ts')).verify,
  },
  ...REVIEW_COMMANDS,
  ...TRACES_COMMANDS,
  {
    name: 'eudr scope',
    summary:
      'Says whether the EU deforestation regulation covers a product, since when, and what it requires of whom, from dated tables.',
    load: async () => (await import('./law/scope.ts')).eudrScope,
  },
  {
    name: 'eudr annex',
    summary: 'Lists the codes of Annex I in force on a day.',
    load: async () => (await import('./law/annex.ts')).eudrAnnex,
  },
  {
    name: 'eudr countries',
    summary: 'Lists the countries with their tier: low, standard or high.',
    load: async () => (await import('./law/countries.ts')).eudrCountries,
  },
  {
    name: 'plots split',
    summary:
      'Finds out of plots in a file whether they are clearly two things, and proposes a split, without a running service; exits with 1 when that is unknown of any.',
    load: async () => (await import('./plots/split.ts')).plotsSplit,
  },
  {
    name: 'forest lookup',
    summary:
      'Prints the forest patch that holds a point as GeoJSON, with or without a running service; exits with 3 when there is none.',
    load: async () => (await import('./lookup/forest-lookup.ts')).forestLookup,
  },
  {
    name: 'parcels search',
    summary:
      'Prints the parcel that holds a point as GeoJSON, without a running service; exits with 3 when there is none.',
    load: async () => (await import('./lookup/parcels-search.ts')).parcelsSearch,
  },
  {
    name: 'token create',
    summary: 'Creates an API token and prints it; it cannot be shown again.',
    load: async () => (await import('./users/tokens.ts')).tokenCreate,
  },
  {
    name: 'token list',
    summary: 'Lists API tokens; never their secrets.',
    load: async () => (await import('./users/tokens.ts')).tokenList,
  },
  {
    name: 'token revoke',
    summary: 'Revokes an API token; it stops working within a second.',
    load: async () => (await import('./users/tokens.ts')).tokenRevoke,
  },
  {
    name: 'user add',
    summary: 'Adds a user, with or without a password; for an existing user sets the password.',
    load: async () => (await import('./users/users.ts')).userAdd,
  },
  {
    name: 'user list',
    summary: 'Lists the local users with their tokens, collections and webhooks.',
    load: async () => (await import('./users/users.ts')).userList,
  },
  {
    name: 'user remove',
    summary: 'Removes a user with password, tokens and webhook; collections are kept unless it is said otherwise.',
    load: async () => (await import('./users/users.ts')).userRemove,
  },
  {
    name: 'user give',
    summary: 'Gives the collections and tasks of one owner to another, such as those from before a change of user ids.',
    load: async () => (await import('./users/users.ts')).userGive,
  },
  {
    name: 'audit list',
    summary: 'Lists administrative acts, the newest first: who changed what, when and from where.',
    load: async () => (await import('./users/audit-list.ts')).auditList,
  },
  {
    name: 'webhook listen',
    summary: 'Receives webhooks on this machine: verifies and prints them, and misbehaves on request.',
    load: async () => (await import('./webhooks/listen.ts')).webhookListen,
  },
  {
    name: 'webhook announce',
    summary: 'Sends the event of a batch that has no plots, so that a receiver can be tried without processing any.',
    load: async () => (await import('./webhooks/announce.ts')).webhookAnnounce,
  },
  {
    name: 'secrets rotate',
    summary: 'Seals all stored webhook secrets with the newest key; without SECRETS_KEY it makes that key.',
    audit: 'secrets_resealed',
    load: async () => (await import('./users/secrets-rotate.ts')).secretsRotate,
  },
  {
    name: 'signing-key list',
    summary: 'Lists the public keys that files and answers are signed with, those that are retired too.',
    load: async () => (await import('./users/signing-keys.ts')).signingKeyList,
  },
  {
    name: 'signing-key rotate',
    summary: 'Makes a new key that signs from now on; what was signed before verifies as it did.',
    load: async () => (await import('./users/signing-keys.ts')).signingKeyRotate,
  },
  {
    name: 'queue',
    summary: 'Shows the queue of tasks: what waits, what runs and by whom, what failed, and the oldest that waits.',
    load: async () => (await import('./queue/queue.ts')).queue,
  },
  {
    name: 'email list',
    summary: 'Lists the emails of the outbox, the newest first.',
    load: async () => (await import('./email/email.ts')).emailList,
  },
  {
    name: 'email show',
    summary: 'Shows one email of the outbox: its text, its state and every attempt to send it.',
    load: async () => (await import('./email/email.ts')).emailShow,
  },
  {
    name: 'email resend',
    summary: 'Has a failed, waiting or unknown email sent now, with the same content and Message-ID.',
    load: async () => (await import('./email/email.ts')).emailResend,
  },
  {
    name: 'data list',
    summary:
      'Lists the packs and datasets the answers come from: date, coverage (west, south, east, north), size, themes with their features and where they are mapped. Versions, licences and outlines are in the JSON.',
    load: async () => (await import('./datasets/installed.ts')).dataList,
  },
  {
    name: 'data import osm',
    changesData: true,
    summary:
      'Makes a regional pack of an extract of OpenStreetMap: roads, water, buildings, businesses, ports, settlements.',
    audit: 'dataset_imported',
    load: async () => (await import('./datasets/import-osm.ts')).dataImportOsm,
  },
  {
    name: 'data import overture',
    changesData: true,
    summary:
      'Makes a regional pack of a box of Overture Maps: places, buildings, transportation, water and infrastructure.',
    audit: 'dataset_imported',
    load: async () => (await import('./datasets/import-overture.ts')).dataImportOverture,
  },
  {
    name: 'data import parcels',
    changesData: true,
    summary: 'Makes a pack of the parcels of a jurisdiction, such as a county, for the parcel search.',
    audit: 'dataset_imported',
    load: async () => (await import('./datasets/import-parcels.ts')).dataImportParcels,
  },
  {
    name: 'data import producers',
    changesData: true,
    summary:
      'Makes a producer registry of a list of mills, plants or companies, by which names of facilities are verified.',
    audit: 'dataset_imported',
    load: async () => (await import('./datasets/import-producers.ts')).dataImportProducers,
  },
  {
    name: 'data get',
    changesData: true,
    summary:
      'Installs a public register of mills, cooperatives, silos or slaughterhouses as a producer registry; --list shows them with licence and size.',
    audit: 'dataset_imported',
    load: async () => (await import('./datasets/get.ts')).dataGet,
  },
  {
    name: 'data remove',
    changesData: true,
    summary: 'Removes a regional pack or a producer registry.',
    audit: 'dataset_removed',
    load: async () => (await import('./datasets/installed.ts')).dataRemove,
  },
  {
    name: 'data push',
    summary:
      'Shares packs, registries, models and label stores of DATA_DIR with every process through OBJECT_STORE_URL.',
    load: async () => (await import('./datasets/share.ts')).dataPush,
  },
  {
    name: 'data pull',
    summary: 'Brings DATA_DIR to what is shared through OBJECT_STORE_URL; services do so by themselves.',
    load: async () => (await import('./datasets/share.ts')).dataPull,
  },
  {
    name: 'data verify',
    summary:
      'Checks the files of regional packs (sizes, hashes, and that the index finds every feature) and of producer registries (checksums); exits with 1 when any is wrong.',
    load: async () => (await import('./datasets/installed.ts')).dataVerify,
  },
  {
    name: 'data doctor',
    summary:
      'Compares every dataset at an address with its contract: whether it answers, is what it should be, and whether a newer version is listed; exits with 1 when one is not.',
    load: async () => (await import('./datasets/doctor.ts')).dataDoctor,
  },
  {
    name: 'models install',
    changesData: true,
    summary: 'Installs the detection models by which facility checks measure palm, rubber, cocoa and coffee.',
    audit: 'model_installed',
    load: async () => (await import('./models/models.ts')).modelsInstall,
  },
  {
    name: 'models list',
    summary: 'Lists the installed detection heads with thresholds, licences and where they came from.',
    load: async () => (await import('./models/models.ts')).modelsList,
  },
  {
    name: 'models test',
    summary:
      'Checks the detection heads: their files, that both ways to evaluate them agree, and that they give what they gave when they were installed.',
    load: async () => (await import('./models/test.ts')).modelsTest,
  },
  {
    name: 'models train',
    changesData: true,
    summary: 'Fits a detection head of your own on labelled points over embeddings, and says how good it is.',
    audit: 'model_installed',
    load: async () => (await import('./models/train.ts')).modelsTrain,
  },
  {
    name: 'models remove',
    changesData: true,
    summary: 'Removes a detection head, or every head of a model.',
    audit: 'model_removed',
    load: async () => (await import('./models/models.ts')).modelsRemove,
  },
  {
    name: 'store build',
    summary: 'Labels the segments of a region beforehand, so that lookups there read them from a store.',
    load: async () => (await import('./store/build.ts')).storeBuild,
  },
  {
    name: 'store verify',
    summary:
      'Finds the segments of random cells again and compares them with a label store; exits with 1 when any differs.',
    load: async () => (await import('./store/verify.ts')).storeVerify,
  },
  {
    name: 'store info',
    summary:
      'Shows what a label store holds: years, area, states of its cells, segments, bytes, and what it was made from.',
    load: async () => (await import('./store/info.ts')).storeInfoCommand,
  },
  {
    name: 'store list',
    summary: 'Lists the label stores in the data folder, which lookups read without an entry in the catalogue.',
    load: async () => (await import('./store/info.ts')).storeList,
  },
  {
    name: 'mcp',
    summary: 'Serves the tools of a running service to an assistant over standard input and output (MCP).',
    load: async () => (await import('./mcp.ts')).mcp,
  },
  {
    name: 'docs',
    summary: 'Writes the documentation of this version as web pages, for any server of files.',
    load: async () => (await import('./docs.ts')).docs,
  },
  {
    name: 'completion',
    summary: 'Prints a script that completes commands and options in bash, zsh or fish.',
    load: async () => (await import('./completion/completion.ts')).completion,
  },
];
