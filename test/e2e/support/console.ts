import type { Locator, Page } from "@playwright/test";
import type { Farm } from "../../../launch/farm/farm.ts";
import { expect } from "./farm-test.ts";

/** Opens the console as the organization's administrator. */
export async function signIn(page: Page, farm: Farm): Promise<void> {
  const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
  await page.goto(`${farm.backend.siteUrl}/console/#signin=${token}`);
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
}

export function openPage(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole("navigation").getByRole("link", { name }).click();
}

/** Opens the page Devices with those whose name has such a word. Without a search it shows the first ones only. */
export async function openDevices(page: Page, named: string): Promise<void> {
  await openPage(page, /^Devices/);
  await page.getByRole("searchbox", { name: "Search devices by name" }).fill(named);
  await expect(page).toHaveURL(new RegExp(`q=${named}$`));
}

/** The name of the lane of the demo model's chat jobs. Other kinds of jobs have lanes of their own. */
export const chatLane = "gleaner-demo · chat";

/** The row of that lane on the page Queue. */
export function chatLaneRow(page: Page): Locator {
  return page.getByRole("table", { name: "Lanes" }).getByRole("row", { name: chatLane });
}

/** Fills the form of a new model from an entry, as an administrator who chooses it as a file. */
export async function chooseEntry(dialog: Locator, entry: object): Promise<void> {
  await dialog.getByRole("tab", { name: "From your own file" }).click();
  await dialog.getByLabel("Or choose a file with it").setInputFiles({
    name: "entry.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify(entry)),
  });
}
