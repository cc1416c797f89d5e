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
  await expect(menu.getByRole("menuitemcheckbox", { name: "Offers" })).toBeFocused();
  await page.keyboard.press("Enter");
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

test("an administrator saves a view, shares it, opens it from the palette, changes and deletes it", async ({
  farm,
  page,
}) => {
  const donor = await farm.startDonor("views-one");
  await signIn(page, farm);
  await openPage(page, /^Devices/);
  const devices = page.getByRole("table", { name: "Devices", exact: true });
  await page.getByRole("searchbox", { name: "Search devices by name" }).fill("views");
  await expect(page).toHaveURL(/q=views$/);
  await page.getByRole("button", { name: "Views", exact: true }).click();
  await page.getByRole("menuitem", { name: "Save as view…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Alpha devices");
  await dialog.getByRole("checkbox", { name: "Share it with the organization" }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("button", { name: "View: Alpha devices" })).toBeVisible();
  // The palette opens it from another page.
  await openPage(page, "Overview");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search" }).fill("Alpha dev");
  await page.getByRole("option", { name: /Alpha devices/ }).click();
  await expect(page).toHaveURL(/#\/devices\?q=views$/);
  await expect(devices.getByRole("row", { name: /views-one/ })).toBeVisible();
  // Overwrites it with other filters, and undoes that.
  await page.getByRole("combobox", { name: "State" }).selectOption("retired");
  const views = page.getByRole("button", { name: /^Views?(:|$)/ });
  const manage = async (act: string): Promise<void> => {
    await views.click();
    await page.getByRole("menuitem", { name: "Manage views…" }).click();
    await dialog.getByRole("button", { name: act }).click();
  };
  await manage("Overwrite Alpha devices with what the page shows");
  await expect(page.getByRole("button", { name: "View: Alpha devices" })).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(page.getByRole("button", { name: "Views", exact: true })).toBeVisible();
  await manage("Rename Alpha devices");
  await dialog.getByLabel("Name").fill("Beta devices");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await expect(dialog).toHaveCount(0);
  await manage("Delete Beta devices");
  await expect(page.getByText("The view Beta devices was deleted.")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).last().click();
  // An open menu keeps its entries.
  await expect(page.getByText("Beta devices is back.")).toBeVisible();
  await views.click();
  await page.getByRole("menuitem", { name: "Beta devices (shared)" }).click();
  await expect(page).toHaveURL(/#\/devices\?q=views$/);
  await manage("Delete Beta devices");
  await expect(page.getByRole("button", { name: "Views", exact: true })).toBeVisible();
  await views.click();
  await expect(page.getByRole("menuitem")).toHaveText(["Save as view…"]);
  await donor.stop();
});
