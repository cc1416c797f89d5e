import type { Page } from "@playwright/test";
import type { Farm } from "../../../launch/demo/farm.ts";
import { askFor, expect, test } from "../support/farm-test.ts";

const question = "What is the capital of Greece?";

async function signIn(page: Page, farm: Farm): Promise<void> {
  const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
  await page.goto(`${farm.backend.siteUrl}/console/#signin=${token}`);
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
}

function openPage(page: Page, name: string): Promise<void> {
  return page.getByRole("navigation").getByRole("link", { name }).click();
}

test("a sign-in link works once, and leaves no token in the address", async ({ farm, page, browser }) => {
  const token = await farm.setup.makeSignInToken(farm.organization.organizationId);
  const link = `${farm.backend.siteUrl}/console/#signin=${token}`;
  await page.goto(link);
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();
  expect(page.url()).not.toContain(token);
  await page.reload();
  await expect(page.getByRole("heading", { name: "Overview" })).toBeVisible();

  const elsewhere = await (await browser.newContext()).newPage();
  await elsewhere.goto(link);
  await expect(elsewhere.getByText(/used/i).first()).toBeVisible();
});

test("devices and jobs appear live, with what they earned", async ({ farm, page }) => {
  await signIn(page, farm);
  const donor = await farm.startDonor("console-1");
  const devices = page.getByRole("table", { name: "Devices" });
  await expect(devices.getByRole("row", { name: /console-1/ })).toContainText("Donating now");
  await askFor(farm, question);
  await expect(
    page.getByRole("table", { name: /jobs/i }).getByRole("row", { name: /console-1/ }),
  ).toContainText("Done");
  await expect(page.getByText("Balanced")).toBeVisible();
  await donor.stop();
  await expect(devices.getByRole("row", { name: /console-1/ })).toContainText(/Offline/i);
});

test("a key that the console made works, and stops working once revoked", async ({ farm, page }) => {
  const donor = await farm.startDonor("console-2");
  await signIn(page, farm);
  await openPage(page, "API keys");
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name").fill("Nightly summaries");
  await page.getByRole("button", { name: "Make the key" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("sk-gleaner-");
  const key = /sk-gleaner-[\w-]{20,}/.exec(await dialog.innerText())?.[0] ?? "";
  expect(await askFor(farm, question, key)).toContain("Athens");
  await page.getByRole("button", { name: "I have copied it" }).click();
  await expect(page.getByText(key)).toHaveCount(0);

  await page.getByRole("button", { name: "Revoke Nightly summaries" }).click();
  await page
    .getByRole("dialog")
    .or(page.getByRole("alertdialog"))
    .getByRole("button", { name: "Revoke" })
    .click();
  await expect(page.getByRole("row", { name: /Nightly summaries/ })).toContainText("Revoked");
  await expect(askFor(farm, question, key)).rejects.toThrow(/401.*revoked/i);
  await donor.stop();
});

test("an enrolment code that the console made enrols a device; a retired device gets no more work", async ({
  farm,
  page,
}) => {
  await signIn(page, farm);
  await openPage(page, "Enrolment codes");
  await page.getByRole("button", { name: /New code/ }).click();
  await page.getByRole("dialog").getByRole("textbox").first().fill("Second floor");
  await page.getByRole("dialog").getByRole("button", { name: /Make/ }).click();
  await expect(page.getByRole("dialog")).toContainText(/GLN-\w{4}-\w{4}-\w{4}/);
  const code = /GLN-\w{4}-\w{4}-\w{4}/.exec(await page.getByRole("dialog").innerText())?.[0] ?? "";
  await page.keyboard.press("Escape");

  const donor = await farm.startDonor("console-3", { enrolmentCode: code });
  await openPage(page, "Devices");
  const row = page.getByRole("row", { name: /console-3/ });
  await expect(row).toContainText("Donating now");

  await row.getByRole("button", { name: /Retire/ }).click();
  await page
    .getByRole("dialog")
    .or(page.getByRole("alertdialog"))
    .getByRole("button", { name: /Retire/ })
    .click();
  await expect(row).toContainText(/Retired/i);
  let answered = false;
  void askFor(farm, question).then(
    () => (answered = true),
    () => undefined,
  );
  await page.waitForTimeout(2_000);
  expect(answered).toBe(false);
  await row.getByRole("button", { name: /Reinstate|Bring back/ }).click();
  await expect.poll(() => answered, { timeout: 30_000 }).toBe(true);
  await donor.stop();
});

test("signing out ends the session", async ({ farm, page }) => {
  await signIn(page, farm);
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Overview" })).toHaveCount(0);
  await page.reload();
  await expect(page.getByText(/sign-in link|link/i).first()).toBeVisible();
});
