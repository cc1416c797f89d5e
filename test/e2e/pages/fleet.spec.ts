import { openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";

test("an administrator finds a device by its name and its state, and the address keeps the search", async ({
  farm,
  page,
}) => {
  const one = await farm.startDonor("fleet-alpha");
  const two = await farm.startDonor("fleet-beta");
  await signIn(page, farm);
  await openPage(page, /^Devices/);
  const devices = page.getByRole("table", { name: "Devices", exact: true });
  await expect(devices.getByRole("row", { name: /fleet-beta/ })).toContainText("Donating now");
  await page.getByRole("searchbox", { name: "Search devices by name" }).fill("alpha");
  await expect(devices.getByRole("row", { name: /fleet-beta/ })).toHaveCount(0);
  await expect(devices.getByRole("row", { name: /fleet-alpha/ })).toBeVisible();
  await expect(page).toHaveURL(/#\/devices\?q=alpha$/);
  await page.getByRole("combobox", { name: "State" }).selectOption("retired");
  await expect(page.getByText("No device fits")).toBeVisible();
  await page.reload();
  await expect(page.getByText("No device fits")).toBeVisible();
  await expect(page.getByRole("searchbox", { name: "Search devices by name" })).toHaveValue("alpha");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(devices.getByRole("row", { name: /fleet-beta/ })).toBeVisible();
  await one.stop();
  await two.stop();
});
