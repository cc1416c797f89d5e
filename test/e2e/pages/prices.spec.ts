import { openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";

// Its prices are no other test's.
test.use({ farmName: "prices" });

test("an administrator schedules a price, finds it in the history, and cancels it", async ({
  farm,
  page,
}) => {
  await signIn(page, farm);
  await openPage(page, "Models");
  await page.getByRole("button", { name: "Set a price" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Per 1,000 tokens out").fill("7");
  await dialog.getByLabel("Valid from").fill("2020-01-01T08:00");
  await expect(dialog.getByRole("alert")).toContainText("has not passed");
  const later = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
  await dialog.getByLabel("Valid from").fill(later);
  await dialog.getByLabel("Reason").fill("Dearer power");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toHaveCount(0);
  await page.getByRole("button", { name: "Price history" }).click();
  const first = dialog.getByRole("listitem").first();
  await expect(first).toContainText("Dearer power");
  await expect(first).toContainText("Scheduled");
  await first.getByRole("button", { name: "Cancel it: version 2" }).click();
  await expect(first).toContainText("Canceled");
});

test("an administrator gives a data class a price of its own", async ({ farm, page }) => {
  await signIn(page, farm);
  await openPage(page, "Policy");
  await page.getByRole("button", { name: "Add class" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("restricted");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toHaveCount(0);
  await openPage(page, "Models");
  await page.getByRole("button", { name: "Set a price" }).click();
  await dialog.getByLabel("Price of").selectOption({ label: "Percents of all models" });
  await dialog.getByLabel("Data class restricted").fill("150");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toHaveCount(0);
  await page.getByRole("button", { name: "Price history" }).click();
  await expect(dialog.getByRole("listitem").first()).toContainText("data class restricted 150%");
});

test("a key's statement has the credits that it was given, and is saved as CSV", async ({ farm, page }) => {
  await signIn(page, farm);
  await openPage(page, "API keys");
  await page
    .getByRole("button", { name: /^More actions for/ })
    .first()
    .click();
  await page.getByRole("menuitem", { name: "Statement", exact: true }).click();
  const statement = page.getByRole("region", { name: /^Statement of/ });
  await expect(statement.getByText("Credits given")).toBeVisible();
  await expect(statement.getByText("Balance after")).toBeVisible();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    statement.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^key-\d{4}-\d{2}\.csv$/);
});
