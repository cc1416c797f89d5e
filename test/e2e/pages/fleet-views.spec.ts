import { openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";

test("an administrator chooses the columns, and the address keeps them on a phone, too", async ({
  farm,
  page,
}) => {
  const donor = await farm.startDonor("columns-one");
  await signIn(page, farm);
  await openPage(page, /^Devices/);
  const devices = page.getByRole("table", { name: "Devices", exact: true });
  await expect(devices.getByRole("columnheader", { name: "Offers" })).toBeVisible();
  // Only with the keyboard.
  await page.getByRole("button", { name: "Columns", exact: true }).press("Enter");
  const menu = page.getByRole("menu", { name: "Columns" });
  await expect(menu.getByRole("menuitemcheckbox", { name: "Offers" })).toBeChecked();
  await page.keyboard.type("offers");
  await page.keyboard.press("Space");
  await expect(menu.getByRole("menuitemcheckbox", { name: "Offers" })).not.toBeChecked();
  await menu.getByRole("menuitemcheckbox", { name: "Version" }).click();
  await page.keyboard.press("Escape");
  await expect(devices.getByRole("columnheader", { name: "Offers" })).toHaveCount(0);
  await expect(devices.getByRole("columnheader", { name: "Version" })).toBeVisible();
  await expect(page).toHaveURL(/columns=name%2C.*version/);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.reload();
  await expect(devices.getByText("Version", { exact: true }).last()).toBeVisible();
  await page.getByRole("button", { name: "Columns", exact: true }).click();
  await menu.getByRole("menuitem", { name: "Reset" }).click();
  await page.keyboard.press("Escape");
  await expect(devices.getByText("Offers", { exact: true }).last()).toBeVisible();
  await expect(page).toHaveURL(/#\/devices$/);
  await donor.stop();
});
