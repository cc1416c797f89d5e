import { openDevices, openPage, signIn } from "../support/console.ts";
import { askFor, expect, test } from "../support/farm-test.ts";
import { invite, join } from "../support/people.ts";

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

test("a device's page shows what it does, its week, its reliability and its jobs", async ({ farm, page }) => {
  const donor = await farm.startDonor("fleet-page");
  await askFor(farm, "What is the capital of Greece?");
  await signIn(page, farm);
  await openPage(page, /^Devices/);
  await page.getByRole("table", { name: "Devices" }).getByRole("link", { name: "fleet-page" }).click();
  await expect(page).toHaveURL(/#\/devices\/[a-z0-9]+$/);
  await expect(page.getByRole("heading", { name: "fleet-page" })).toBeVisible();
  await expect(page.getByText("Donating now", { exact: true })).toBeVisible();
  await expect(page.getByRole("img", { name: /: (donated|did not donate)/ }).first()).toBeVisible();
  await expect(page.getByText("Of its last 1 attempt.")).toBeVisible();
  await expect(page.getByRole("table", { name: "Last jobs" })).toContainText("Done");
  await page.getByText(/known facts, \d+ cannot be known/).click();
  await expect(page.getByText(/Gleaner never guesses/)).toBeVisible();
  const facts = page.locator("dl").filter({ hasText: "Memory for jobs" });
  await expect(facts).toContainText(/Signs its results\s*yes/);
  await expect(facts).toContainText(/Kinds of jobs\s*chat/);
  await expect(page.getByText("stays on the device")).toBeVisible();
  await donor.stop();
  await expect(page.getByText("Offline").first()).toBeVisible();
  await page.getByRole("button", { name: "Retire fleet-page" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Retire" }).click();
  await expect(page.getByRole("button", { name: "Reinstate fleet-page" })).toBeVisible();
});

test("a donor pauses and resumes their own device on a phone", async ({ farm, page, browser }) => {
  const donor = await farm.startDonor("fleet-phone");
  await signIn(page, farm);
  const link = await invite(page, "Phone Ada", ["Donor"]);
  await openPage(page, /^Devices/);
  await page.getByRole("link", { name: "fleet-phone" }).click();
  await page.getByRole("button", { name: "Hand over fleet-phone" }).click();
  const dialog = page.getByRole("dialog");
  const phone = await join(browser, link, "Phone Ada");
  await dialog.getByLabel("New owner").selectOption({ label: "Phone Ada" });
  await dialog.getByRole("button", { name: "Hand over" }).click();
  await phone.setViewportSize({ width: 390, height: 800 });
  await expect(phone.getByText("Donating now", { exact: true })).toBeVisible();
  await expect(phone.getByText("Earned")).toBeVisible();
  await phone.getByRole("button", { name: "Pause fleet-phone" }).click();
  await phone.getByRole("menuitem", { name: "For 1 hour" }).click();
  await expect(phone.getByText(/^Paused by Phone Ada until/)).toBeVisible();
  await expect(page.getByText(/^Paused by Phone Ada until/)).toBeVisible();
  const width = await phone.evaluate(() => document.documentElement.scrollWidth);
  expect(width).toBeLessThanOrEqual(390);
  await phone.getByRole("button", { name: "Resume fleet-phone" }).click();
  await expect(phone.getByText("Donating now", { exact: true })).toBeVisible();
  await donor.stop();
});

test("an operator pauses all devices that fit after a preview, and undoes it", async ({ farm, page }) => {
  const one = await farm.startDonor("bulk-one");
  const two = await farm.startDonor("bulk-two");
  await signIn(page, farm);
  await openDevices(page, "bulk");
  const devices = page.getByRole("table", { name: "Devices", exact: true });
  await expect(devices.getByRole("row", { name: /bulk-two/ })).toContainText("Donating now");
  await page.getByRole("checkbox", { name: "Select bulk-one" }).check();
  await expect(page.getByText("1 device selected")).toBeVisible();
  const bar = page.getByRole("toolbar", { name: "Selected devices" });
  await bar.getByRole("button", { name: "Clear selection" }).press("Enter");
  // The button is gone, and Tab goes on from where it was.
  await expect(bar).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(bar.getByRole("button", { name: "Select all that fit" })).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(bar).toBeFocused();
  await page.getByRole("button", { name: "Pause…", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("2 devices: 2 pause.")).toBeVisible();
  await dialog.getByRole("button", { name: "Change 2 devices" }).click();
  await expect(dialog.getByText("2 devices changed.")).toBeVisible();
  await expect(devices.getByText("Paused", { exact: true })).toHaveCount(2);
  await dialog.getByRole("button", { name: "Undo" }).click();
  await expect(dialog.getByText(/^2 devices restored/)).toBeVisible();
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(devices.getByText("Donating now")).toHaveCount(2);

  // The undo stays when the dialog is closed. All devices that fit are still selected.
  await page.getByRole("button", { name: "Pause…", exact: true }).click();
  await dialog.getByRole("button", { name: "Change 2 devices" }).click();
  await expect(dialog.getByText("2 devices changed.")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(devices.getByText("Donating now")).toHaveCount(2);
  await one.stop();
  await two.stop();
});

test("an operator asks devices for an update, their people read it, and the undo withdraws it", async ({
  farm,
  page,
}) => {
  const donor = await farm.startDonor("update-me");
  await signIn(page, farm);
  await openDevices(page, "update");
  const row = page
    .getByRole("table", { name: "Devices", exact: true })
    .getByRole("row", { name: /update-me/ });
  await row.getByRole("checkbox", { name: "Select update-me" }).check();
  await page.getByRole("button", { name: "Ask for an update…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Version").fill("newest");
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("Enter three numbers")).toBeVisible();
  await dialog.getByLabel("Version").fill("99.0.0");
  await page.keyboard.press("Enter");
  await expect(dialog.getByText("1 device: 1 will be asked for version 99.0.0.")).toBeVisible();
  await dialog.getByRole("button", { name: "Change 1 device" }).click();
  await expect(row).toContainText("asked for 99.0.0");
  await expect(row).toContainText("Donating now");
  const panel = await page.context().newPage();
  await panel.goto(String(donor.ready["panelUrl"]));
  await expect(panel.getByText("asks you to update Gleaner to 99.0.0.")).toBeVisible();
  await dialog.getByRole("button", { name: "Undo" }).click();
  await expect(row).not.toContainText("asked for");
  await expect(panel.getByText("asks you to update")).toHaveCount(0);
  await panel.close();
  await donor.stop();
});

test("a newer required version says how many devices it stops, and is undone", async ({ farm, page }) => {
  const donor = await farm.startDonor("too-old");
  await signIn(page, farm);
  await openDevices(page, "too-old");
  const row = page.getByRole("row", { name: /too-old/ });
  await expect(row).toContainText("Donating now");
  const counted = page.getByText(/\d+ devices? (has|have) an older version and will get no jobs\./);
  // Devices are counted once a minute.
  await expect(async () => {
    await page.getByRole("button", { name: "Change version" }).click();
    await page.getByRole("dialog").getByLabel("Version").fill("9.0.0");
    const isCounted = await counted.isVisible();
    if (!isCounted) await page.keyboard.press("Escape");
    expect(isCounted).toBe(true);
  }).toPass({ timeout: 80_000, intervals: [2_000] });
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await expect(row).toContainText("Update needed");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(row).toContainText("Donating now");
  await donor.stop();
});
