import { t, tWord } from '../../../text/translate.ts';
import type { Doubt } from './doubts.ts';

/** A reason for the confidence of a collection in the present language, with how many locations it counts. */
export function doubtText({ kind, count, about }: Omit<Doubt, 'why'>): string {
  switch (kind) {
    case 'fail':
    case 'warn':
    case 'unknown':
      return t(`doubt.${kind}`, { count, check: tWord('plotCheck', about) });
    case 'facilityUnknown':
    case 'facilityLost':
      return t(`doubt.${kind}`, { count, check: tWord('indicator', about) });
    case 'location':
      return t('doubt.location', { count, state: tWord('confidence', about) });
    case 'setAside':
    case 'unread':
      return t('doubt.location', { count, state: t(`doubt.${kind}`) });
    default:
      return t(`doubt.${kind}`, { count });
  }
}
