import { counted } from '../../counted.ts';
import type { ResealReport } from '../../service/webhooks/reseal.ts';
import { openWebhookAdmin, type OpenedWebhookAdmin } from '../../app/webhooks-admin.ts';
import type { Command } from '../command.ts';

/** A user who rotates a secret at the wrong moment can leave an old one; the next pass finds it. */
const MAX_PASSES = 5;

export const secretsRotate: Command = {
  args: [],
  options: {
    'remove-unreadable': {
      type: 'boolean',
      doc: 'Removes webhooks whose secret no loaded key opens, when a key is lost for good; their users have to register again.',
    },
  },
  examples: ['npx firstmile secrets rotate'],
  async run({ options, config, err, signal }) {
    await using opened = await openWebhookAdmin(config);
    const removeUnreadable = options['remove-unreadable'] === true;
    const total = await sealAll(opened.webhooks, removeUnreadable, signal);
    err.write(summaryOf(total, removeUnreadable));
    return total.stopped || (total.unreadable > 0 && !removeUnreadable) ? 1 : 0;
  },
};

interface Total {
  readonly first: ResealReport;
  readonly seen: number;
  readonly changed: number;
  readonly unreadable: number;
  readonly stopped: boolean;
}

/** Page after page, and again until a pass changes nothing. */
async function sealAll(
  webhooks: OpenedWebhookAdmin['webhooks'],
  removeUnreadable: boolean,
  signal: AbortSignal,
): Promise<Total> {
  let first: ResealReport | null = null;
  let [seen, changed] = [0, 0];
  const unreadable = new Set<string>();
  for (let pass = 1; ; pass++) {
    let [looked, changedNow] = [0, 0];
    for (let after: string | null = ''; after !== null;) {
      const page: ResealReport = await webhooks.resealSecrets({ after, renew: first === null, removeUnreadable });
      first ??= page;
      looked += page.seen;
      changedNow += page.changed;
      for (const id of page.unreadable) unreadable.add(id);
      after = page.next;
      if (signal.aborted) break;
    }
    if (pass === 1) seen = looked;
    changed += changedNow;
    const stopped = signal.aborted;
    if (stopped || changedNow === 0 || pass === MAX_PASSES)
      return { first: first as ResealReport, seen, changed, unreadable: unreadable.size, stopped };
  }
}

function summaryOf({ first, seen, changed, unreadable, stopped }: Total, removeUnreadable: boolean): string {
  const lines = [
    first.renewed ? `The key ${first.key} is new and seals from now on.` : `The key ${first.key} seals.`,
    `${counted(seen, 'secret')}, ${changed} of them sealed again with it.`,
  ];
  if (stopped) lines.push('Stopped before the end; the same command goes on from here.');
  else if (unreadable > 0) lines.push(unreadableLine(unreadable, removeUnreadable));
  else lines.push(nextStep(first, changed));
  return `${lines.filter((line) => line !== '').join('\n')}\n`;
}

function unreadableLine(count: number, removed: boolean): string {
  if (removed)
    return `${counted(count, 'webhook is', 'webhooks are')} removed, because no key that is loaded opens their secret.`;
  return `firstmile secrets rotate: no key that is loaded opens the secret of ${counted(count, 'webhook')}; put the old key back, or give them up with --remove-unreadable`;
}

/** What is left to the operator. */
function nextStep({ renewed, fixed, others }: ResealReport, changed: number): string {
  if (!fixed) return renewed || changed === 0 ? '' : 'This finished an earlier rotation; run it again for a new key.';
  if (others.length > 0)
    return `No webhook secret needs ${others.join(', ')} any more: remove ${others.length > 1 ? 'them' : 'it'} from SECRETS_KEY of every process.`;
  return 'SECRETS_KEY holds one key. For a new one see "Keys of the operator" in docs/webhooks.md.';
}
