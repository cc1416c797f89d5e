import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { openDevices, openPage, signIn } from "../support/console.ts";
import { askFor, expect, test } from "../support/farm-test.ts";
import { invite, join } from "../support/people.ts";

// It counts the jobs of its farm.
test.use({ farmName: "usage" });

/** Jobs are counted each minute, and the newest half minute waits for the next count. */
const counted = { timeout: 150_000 };

const tableOf = (page: Page, name: string) => page.getByRole("table", { name, exact: true });

/** The cell of a row with exactly this number. */
const figure = (row: Locator, words: string) => row.getByRole("cell", { name: words, exact: true });

async function downloaded(page: Page, card: "Usage" | "Earnings" | "Budgets of this month"): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page
      .getByRole("region", { name: card, exact: true })
      .getByRole("button", { name: "Download CSV" })
      .click(),
  ]);
  return await readFile(await download.path(), "utf8");
}

test("an administrator sees usage by day, model and key, sets a budget, and compares with a cloud", async ({
  farm,
  page,
}) => {
  test.setTimeout(300_000);
  const donor = await farm.startDonor("usage-1");
  await askFor(farm, "What is the capital of Greece?");
  await askFor(farm, "What is the capital of France?");
  await signIn(page, farm);
  await openPage(page, "Usage");
  await page.getByRole("tab", { name: "Models" }).click();
  const models = tableOf(page, "Usage by Model");
  await expect(models.getByRole("row", { name: farm.modelId })).toContainText("100%", counted);
  await expect(figure(models.getByRole("row", { name: farm.modelId }), "2")).toBeVisible(counted);
  const [, line = ""] = (await downloaded(page, "Usage")).split("\r\n");
  expect(line).toMatch(new RegExp(`^${farm.modelId},2,2,1,`));

  // The address keeps the choice, and the keyboard goes on to the next grouping.
  await page.reload();
  await page.getByRole("tab", { name: "Models" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(tableOf(page, "Usage by API key").getByRole("row", { name: "First requester" })).toBeVisible();

  await page.getByRole("button", { name: "Enter numbers" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Power of a device that works on an answer").fill("40");
  await dialog.getByLabel("Carbon intensity of your grid").fill("350");
  await dialog.getByLabel("Prompt").fill("1000000");
  await expect(dialog.getByRole("alert")).toContainText("currency");
  await dialog.getByLabel("Currency of cloud prices").fill("EUR");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toHaveCount(0);
  const comparison = page.getByRole("region", { name: "Cloud, energy and carbon" });
  await expect(comparison).toContainText(/[\d,.]+ EUR/);
  await expect(comparison).toContainText(/Estimated from the hardware|Meters counted/);
  await expect(comparison).toContainText("350 g CO₂ per kWh of the grid (entered)");

  await page.getByRole("button", { name: "Set a budget" }).click();
  await dialog.getByLabel("API key").selectOption({ index: 1 });
  await dialog.getByLabel("Credits a month").fill("0.000001");
  await dialog.getByRole("button", { name: "Save" }).click();
  const budgets = tableOf(page, "Budgets");
  await expect(budgets.getByRole("row", { name: "First requester" })).toContainText("Used up");
  const [, budget = ""] = (await downloaded(page, "Budgets of this month")).split("\r\n");
  expect(budget).toMatch(/^key,\w+,First requester,/);
  await openPage(page, "Overview");
  await expect(page.getByText(/Budgets used up this month: First requester/)).toBeVisible();
  await page.getByRole("link", { name: "Show usage" }).click();
  await page.getByRole("button", { name: "Remove the budget of First requester" }).click();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("No budgets yet")).toBeVisible();

  // The API gives a key the same numbers.
  const { siteUrl } = farm.backend;
  const headers = { authorization: `Bearer ${farm.organization.apiKey}` };
  const table = (await (await fetch(`${siteUrl}/v1/usage?days=7`, { headers })).json()) as {
    data: { jobs: number }[];
  };
  expect(table.data.reduce((sum, day) => sum + day.jobs, 0)).toBe(2);
  await donor.stop();
});

test("a donor sees the earnings of their own devices by day, and no usage", async ({
  farm,
  page,
  browser,
}) => {
  test.setTimeout(300_000);
  const donor = await farm.startDonor("usage-2");
  await signIn(page, farm);
  const theirs = await join(browser, await invite(page, "Dora", ["Donor"]), "Dora");
  await openDevices(page, "usage");
  await page.getByRole("link", { name: "usage-2" }).click();
  await page.getByRole("button", { name: "Hand over" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox").selectOption({ label: "Dora" });
  await dialog.getByRole("button", { name: "Hand over" }).click();
  await expect(dialog).toHaveCount(0);
  await askFor(farm, "What is the capital of Spain?");

  await expect(theirs.getByRole("navigation").getByRole("link", { name: "Usage" })).toHaveCount(0);
  await openPage(theirs, "My earnings");
  const days = tableOf(theirs, "Earnings by Day");
  await expect(days.getByRole("row")).toHaveCount(2, counted);
  await expect(days).toContainText(/cr/);
  const comparison = theirs.getByRole("region", { name: "Cloud, energy and carbon" });
  await expect(comparison).toContainText(/Wh.*(Estimated from the hardware|Meters counted)/);
  await expect(comparison.getByRole("button")).toHaveCount(0);
  await theirs.getByRole("tab", { name: "Devices" }).click();
  const devices = tableOf(theirs, "Earnings by Device");
  await expect(devices.getByRole("row", { name: "usage-2" })).toBeVisible();
  await expect(devices.getByRole("row")).toHaveCount(2);
  const [header = ""] = (await downloaded(theirs, "Earnings")).split("\r\n");
  expect(header).toMatch(/^device,name,jobs,/);
  await donor.stop();
});

test("a requester sees their own usage only", async ({ farm, page, browser }) => {
  test.setTimeout(300_000);
  const donor = await farm.startDonor("usage-3");
  await signIn(page, farm);
  const theirs = await join(browser, await invite(page, "Rico", ["Requester"]), "Rico");
  await askFor(farm, "What is the capital of Italy?");
  await openPage(theirs, "Playground");
  await theirs.getByLabel("Message").fill("What is the capital of Greece?");
  await theirs.getByLabel("Message").press("Control+Enter");
  await expect(theirs.getByRole("log")).toContainText("Athens");
  await openPage(theirs, "My usage");
  await theirs.getByRole("tab", { name: "Keys" }).click();
  const keys = tableOf(theirs, "Usage by API key");
  await expect(keys.getByRole("row")).toHaveCount(2, counted);
  await expect(
    keys
      .getByRole("row", { name: /Playground/ })
      .getByRole("cell")
      .nth(1),
  ).toHaveText(/^(Jobs)?1$/);
  await expect(theirs.getByText("You have no budget")).toBeVisible();
  await expect(theirs.getByRole("tab", { name: "Members" })).toHaveCount(0);
  await expect(theirs.getByRole("button", { name: "Set a budget" })).toHaveCount(0);

  await openPage(page, "Usage");
  await page.getByRole("tab", { name: "Members" }).click();
  const members = tableOf(page, "Usage by Member");
  await expect(figure(members.getByRole("row", { name: "Rico" }), "1")).toBeVisible();
  await donor.stop();
});

test("the queue page shows the depth over time, and a job its tokens", async ({ farm, page }) => {
  test.setTimeout(240_000);
  const donor = await farm.startDonor("usage-4");
  await askFor(farm, "What is the capital of Norway?");
  await signIn(page, farm);
  await openPage(page, "Queue");
  await expect(page.getByRole("img", { name: "Queue depth" })).toBeVisible();
  await page.getByRole("region", { name: "Queue depth" }).getByText("As a table").click();
  const samples = page.getByLabel("Queue depth, as a table");
  await expect(samples.getByRole("row").nth(1)).toContainText("0", counted);
  await openPage(page, "Jobs");
  await page.getByRole("table").getByRole("link").first().click();
  await expect(page.getByRole("img", { name: "Tokens over time" })).toBeVisible();
  await donor.stop();
});
