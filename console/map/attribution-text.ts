import { t } from '../text/translate.ts';

/** Whom data is owed to, in their own words; those of the sample district are ours. */
export function attributionText(text: string): string {
  return text.startsWith('Firstmile sample district:') ? t('sampleAttribution') : text;
}
