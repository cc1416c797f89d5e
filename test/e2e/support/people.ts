import type { Browser, Page } from "@playwright/test";
import { openPage } from "./console.ts";
import { expect } from "./farm-test.ts";

/** Invites somebody from the People page. Returns the link that is shown once. */
export async function invite(page: Page, name: string, roles: readonly string[]): Promise<string> {
  await openPage(page, "People");
  await page.getByRole("button", { name: "Invite somebody" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill(name);
  for (const role of roles) await dialog.getByRole("checkbox", { name: role }).check();
  await dialog.getByRole("button", { name: "Create invitation" }).click();
  await expect(dialog).toContainText("#invite=");
  const link = /https?:\S+#invite=[\w-]+/.exec(await dialog.innerText())?.[0] ?? "";
  await dialog.getByRole("button", { name: "Done" }).click();
  return link;
}

/** Opens a link in another browser. */
export async function elsewhere(browser: Browser, link: string): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(link);
  return page;
}

/** Accepts an invitation in another browser. */
export async function join(browser: Browser, link: string, name: string): Promise<Page> {
  const page = await elsewhere(browser, link);
  await page.getByLabel("Your name").fill(name);
  await page.getByRole("button", { name: "Join" }).click();
  await expect(page.getByRole("navigation")).toBeVisible();
  return page;
}
