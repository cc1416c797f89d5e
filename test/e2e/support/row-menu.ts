import type { Locator, Page } from "@playwright/test";

/** Chooses an action of the menu of one row. */
export async function chooseInRow(page: Page, row: string, action: string): Promise<void> {
  await rowMenu(page, row).click();
  await page.getByRole("menuitem", { name: action, exact: true }).click();
}

/** The button that opens a row's menu. */
export function rowMenu(page: Page, row: string): Locator {
  return page.getByRole("button", { name: `More actions for ${row}`, exact: true });
}
