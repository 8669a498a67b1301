import type { Page } from 'playwright-core';

interface ChosenFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

/** Chooses a file, waits until the service has looked at it, and says what its rows are where they do not. */
export async function chooseFile(page: Page, file: ChosenFile, commodity = 'none'): Promise<void> {
  await page.locator('input[type=file]').setInputFiles(file);
  await page.locator('.chosen-file').filter({ hasText: file.name }).waitFor();
  const settled = page.locator('.file-review-body[data-busy=false]');
  await settled.waitFor();
  const menu = page.locator('.commodity-choice[data-open=true] select');
  if ((await menu.count()) === 0) return;
  await menu.selectOption(commodity);
  await settled.waitFor();
}
