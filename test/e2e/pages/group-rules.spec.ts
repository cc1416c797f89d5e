import { openPage, signIn } from "../support/console.ts";
import { expect, test } from "../support/farm-test.ts";
import { chooseInRow } from "../support/row-menu.ts";

test.use({ farmName: "group-rules" });

test("a rule places devices after a preview, leaves those placed by hand, and is undone", async ({
  farm,
  page,
}) => {
  const one = await farm.startDonor("rules-lab-one");
  const two = await farm.startDonor("rules-lab-two");
  await signIn(page, farm);
  await openPage(page, /^Devices/);
  const devices = page.getByRole("table", { name: "Devices", exact: true });
  const dialog = page.getByRole("dialog");
  // A hand puts one of them into a group.
  await chooseInRow(page, "rules-lab-two", "Edit groups");
  await dialog.getByLabel("Groups").fill("Night");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(devices.getByRole("row", { name: /rules-lab-two/ })).toContainText("Night");
  await page.getByRole("button", { name: "Add rule…" }).click();
  await dialog.getByLabel("Group", { exact: true }).fill("Laboratory");
  await expect(dialog.getByText("The preview appears")).toBeVisible();
  await dialog.getByLabel("Name contains").fill("RULES-LAB");
  await expect(dialog.getByText("1 device will move.")).toBeVisible();
  await expect(dialog.getByText("Of those that fit, 1 stays where somebody put it by hand.")).toBeVisible();
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(devices.getByRole("row", { name: /rules-lab-one/ })).toContainText("Laboratory");
  await expect(devices.getByRole("row", { name: /rules-lab-two/ })).not.toContainText("Laboratory");
  // A device that joins later is placed at once.
  const three = await farm.startDonor("rules-lab-three");
  await expect(devices.getByRole("row", { name: /rules-lab-three/ })).toContainText("Laboratory");
  // The device's page tells the rule, and leaves a device to the rules.
  await page.getByRole("link", { name: "rules-lab-one" }).click();
  await expect(page.getByText("By the rule: name with “RULES-LAB”")).toBeVisible();
  await page.getByRole("link", { name: "← All devices" }).click();
  await page.getByRole("link", { name: "rules-lab-two" }).click();
  await expect(page.getByText("Placed by hand")).toBeVisible();
  await page.getByRole("button", { name: "Leave it to the rules for rules-lab-two" }).click();
  await expect(page.getByText("By the rule: name with “RULES-LAB”")).toBeVisible();
  await page.getByRole("link", { name: "← All devices" }).click();
  await page.getByRole("button", { name: "Remove the rule of Laboratory, 1" }).click();
  await expect(dialog.getByText("3 devices will move.")).toBeVisible();
  await dialog.getByRole("button", { name: "Remove" }).click();
  await expect(devices.getByText("Laboratory", { exact: true })).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(devices.getByText("Laboratory", { exact: true })).toHaveCount(3);
  for (const donor of [one, two, three]) await donor.stop();
});

test("the first of two rules counts, and their order is changed with the keyboard", async ({
  farm,
  page,
}) => {
  const donor = await farm.startDonor("order-one");
  await signIn(page, farm);
  await openPage(page, /^Devices/);
  const row = page
    .getByRole("table", { name: "Devices", exact: true })
    .getByRole("row", { name: /order-one/ });
  const dialog = page.getByRole("dialog");
  const add = async (group: string): Promise<void> => {
    await page.getByRole("button", { name: "Add rule…" }).click();
    await dialog.getByLabel("Group", { exact: true }).fill(group);
    await dialog.getByLabel("Name contains").fill("order");
    await dialog.getByRole("button", { name: "Save" }).click();
    await expect(dialog).toHaveCount(0);
  };
  await add("First");
  await expect(row).toContainText("First");
  await add("Second");
  const up = page.getByRole("button", { name: /^Move the rule of Second, \d+ up$/ });
  await up.press("Enter");
  await expect(row).toContainText("Second");
  // The moved rule keeps the focus, since somebody may move it further.
  const focused = page.locator(":focus");
  await expect(focused).toHaveAccessibleName(/^Move the rule of Second, \d+ (up|down)$/);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(row).toContainText("First");
  await page.getByRole("button", { name: /^Move the rule of First, \d+ down$/ }).press("Enter");
  await expect(row).toContainText("Second");
  await expect(focused).toHaveAccessibleName(/^Move the rule of First, \d+ (up|down)$/);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(row).toContainText("First");
  await page.getByRole("link", { name: "Show all that fit the rule of Second" }).click();
  await expect(page).toHaveURL(/named=order/);
  await page.getByRole("button", { name: "Remove the filter name with “order”" }).click();
  await expect(page).toHaveURL(/#\/devices$/);
  await expect(page.getByRole("searchbox", { name: "Search devices by name" })).toBeFocused();
  await donor.stop();
});
