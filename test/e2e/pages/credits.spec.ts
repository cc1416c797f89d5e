import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { openDevices, openPage, signIn } from "../support/console.ts";
import { askFor, expect, test } from "../support/farm-test.ts";
import { invite, join } from "../support/people.ts";

// It counts the credits of its farm.
test.use({ farmName: "credits" });

/** The ledger is added up each minute. */
const projected = { timeout: 150_000 };

async function downloaded(page: Page, card: string): Promise<readonly string[]> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("region", { name: card }).getByRole("button", { name: "Download CSV" }).click(),
  ]);
  return (await readFile(await download.path(), "utf8")).trimEnd().split("\r\n");
}

test("a donor gives earned credits away and has others paid out, which an owner approves", async ({
  farm,
  page,
  browser,
}) => {
  test.setTimeout(360_000);
  const donor = await farm.startDonor("credits-1");
  await signIn(page, farm);
  const dora = await join(browser, await invite(page, "Dora", ["Donor"]), "Dora");
  const dialog = page.getByRole("dialog");
  await page.getByRole("button", { name: "New team" }).click();
  await dialog.getByLabel("Name").fill("Lab");
  await dialog.getByRole("button", { name: "Create team" }).click();
  await page.getByRole("button", { name: "Members of Lab" }).click();
  await dialog.getByLabel("Add somebody").fill("dora");
  await dialog.getByRole("button", { name: "Add Dora" }).click();
  await dialog.getByRole("button", { name: "Done" }).click();
  await openDevices(page, "credits");
  await page.getByRole("link", { name: "credits-1" }).click();
  await page.getByRole("button", { name: "Hand over" }).click();
  await dialog.getByRole("combobox").selectOption({ label: "Dora" });
  await dialog.getByRole("button", { name: "Hand over" }).click();
  await expect(dialog).toHaveCount(0);

  await openPage(page, "Earnings");
  await page
    .getByRole("region", { name: "Rules for earned credits" })
    .getByRole("button", { name: "Change" })
    .click();
  await dialog.getByLabel("Months until credits expire").fill("12");
  await dialog.getByLabel("Money for a credit").fill("100000");
  await expect(dialog.getByRole("alert")).toContainText("currency");
  await dialog.getByLabel("Currency").fill("EUR");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByText("Credits expire 12 months after")).toBeVisible();

  await askFor(farm, "What is the capital of Norway?");
  await openPage(dora, "My credits");
  const give = dora.getByRole("button", { name: "Give to a colleague or team" });
  await expect(give).toBeEnabled(projected);
  await expect(dora.getByText(/expire on .* \(UTC\)/)).toBeVisible();
  await give.click();
  const theirs = dora.getByRole("dialog");
  await theirs.getByLabel("Colleague or team").selectOption({ label: "Lab (team)" });
  await theirs.getByLabel("Credits").fill("1000000");
  await expect(theirs.getByRole("alert")).toContainText("more than what is available");
  await theirs.getByLabel("Credits").fill("0.000001");
  await theirs.getByLabel("Note").fill("Thanks for the help");
  await theirs.getByRole("button", { name: "Give" }).click();
  await expect(theirs).toHaveCount(0);
  const changes = dora.getByRole("table", { name: "Changes" });
  await expect(changes.getByRole("row", { name: "Thanks for the help" })).toBeVisible();

  // The team gets its first key.
  const teams = dora.getByRole("table", { name: "Credits of my teams" });
  await expect(teams).toContainText("The team has no API key.");
  await openPage(page, "API keys");
  const key = page.getByRole("row").filter({ hasText: "sk-gleaner-" }).first();
  await key.getByRole("button", { name: /^More actions/ }).click();
  await page.getByRole("menuitem", { name: "Hand over" }).click();
  await dialog.getByRole("combobox").selectOption({ label: "Lab (team)" });
  await dialog.getByRole("button", { name: "Hand over" }).click();
  await dora.getByRole("button", { name: "Use the credits of Lab" }).click();
  await theirs.getByLabel("Credits").fill("0.000001");
  await theirs.getByRole("button", { name: "Move" }).click();
  await expect(theirs).toHaveCount(0);
  await expect(dora.getByRole("button", { name: "Use the credits of Lab" })).toHaveCount(0);

  await dora.getByRole("button", { name: "Ask for a payout" }).click();
  await theirs.getByLabel("Credits").fill("0.00001");
  await expect(theirs).toContainText("You get 1.00 EUR");
  await theirs.getByRole("button", { name: "Ask" }).click();
  await expect(theirs).toHaveCount(0);
  await expect(dora.getByText("Waits for a decision")).toBeVisible();

  await openPage(page, "Earnings");
  const asked = page.getByRole("table", { name: "Payouts to decide" });
  await asked.getByRole("button", { name: "Approve the payout of Dora" }).click();
  await dialog.getByRole("button", { name: "Approve" }).click();
  await expect(page.getByText("No payout waits")).toBeVisible();
  await expect(dora.getByText("Approved", { exact: true })).toBeVisible();
  const [, payroll = ""] = await downloaded(page, "Approved payouts");
  expect(payroll).toMatch(/,Dora,.*,0\.000010,100000\.000000,1\.00,EUR$/);

  const statement = await downloaded(dora, "Statement of");
  const amounts = statement.slice(1).map((line) => line.split(","));
  const micro = (text: string | undefined): number => Math.round(Number(text ?? 0) * 1e6);
  const sum = amounts.reduce((total, line) => total + micro(line[5]), 0);
  expect(micro(amounts.at(0)?.[6]) + sum).toBe(micro(amounts.at(-1)?.[6]));

  await openPage(page, "People");
  await page.getByRole("button", { name: "More actions for Dora" }).click();
  await page.getByRole("menuitem", { name: "Statement" }).click();
  await expect(page.getByRole("heading", { name: "Dora" })).toBeVisible();
  expect(await downloaded(page, "Statement of")).toEqual(statement);
  await page.getByRole("link", { name: "All people" }).click();
  await page.getByRole("button", { name: "More actions for Lab" }).click();
  await page.getByRole("menuitem", { name: "Statement" }).click();
  await expect(page.getByRole("heading", { name: "Lab" })).toBeVisible();
  await expect(page.getByRole("table", { name: "Statement" })).toContainText("Thanks for the help");

  // On paper there is only the statement.
  await dora.emulateMedia({ media: "print" });
  await expect(dora.getByRole("table", { name: "Statement" })).toBeVisible();
  await expect(dora.getByRole("navigation")).toBeHidden();
  await expect(changes).toBeHidden();
  const pdf = await dora.pdf();
  expect(pdf.subarray(0, 5).toString()).toBe("%PDF-");
  await donor.stop();
});
