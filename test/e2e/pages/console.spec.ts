import { chatLane, chatLaneRow, openDevices, openPage, signIn } from "../support/console.ts";
import { askFor, expect, test } from "../support/farm-test.ts";
import { chooseInRow, rowMenu } from "../support/row-menu.ts";

const question = "What is the capital of Greece?";

test("a sign-in link works once and leaves no token in the address", async ({ farm, page, browser }) => {
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

test("devices and jobs appear without a reload", async ({ farm, page }) => {
  await signIn(page, farm);
  const donor = await farm.startDonor("console-1");
  const devices = page.getByRole("table", { name: "Devices" });
  await expect(devices.getByRole("row", { name: /console-1/ })).toContainText("Donating now");
  await askFor(farm, question);
  // A job that an earlier test left behind may run beside it.
  const ran = page.getByRole("table", { name: /jobs/i }).getByRole("row", { name: /console-1/ });
  await expect(ran.filter({ hasText: "Done" }).first()).toBeVisible();
  await expect(page.getByText("Balanced")).toBeVisible();
  await donor.stop();
  await expect(devices.getByRole("row", { name: /console-1/ })).toContainText(/Offline/i);
});

test("a key that the console created works until it is revoked", async ({ farm, page }) => {
  const donor = await farm.startDonor("console-2");
  await signIn(page, farm);
  await openPage(page, "API keys");
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name").fill("Nightly summaries");
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("sk-gleaner-");
  const key = /sk-gleaner-[\w-]{20,}/.exec(await dialog.innerText())?.[0] ?? "";
  expect(await askFor(farm, question, key)).toContain("Athens");
  await page.getByRole("button", { name: "Done" }).click();
  await expect(page.getByText(key)).toHaveCount(0);

  await chooseInRow(page, "Nightly summaries", "Revoke");
  await page
    .getByRole("dialog")
    .or(page.getByRole("alertdialog"))
    .getByRole("button", { name: "Revoke" })
    .click();
  await expect(page.getByRole("row", { name: /Nightly summaries/ })).toContainText("Revoked");
  await expect(askFor(farm, question, key)).rejects.toThrow(/401.*revoked/i);
  await donor.stop();
});

test("a code from the console enrolls a device, and a retired device gets no more jobs", async ({
  farm,
  page,
}) => {
  await signIn(page, farm);
  await openPage(page, "Enrollment codes");
  await page.getByRole("button", { name: /New code/ }).click();
  await page.getByRole("dialog").getByRole("textbox").first().fill("Second floor");
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /Create/ })
    .click();
  await expect(page.getByRole("dialog")).toContainText(/GLN-\w{4}-\w{4}-\w{4}/);
  const code = /GLN-\w{4}-\w{4}-\w{4}/.exec(await page.getByRole("dialog").innerText())?.[0] ?? "";
  await page.keyboard.press("Escape");

  const donor = await farm.startDonor("console-3", { enrollmentCode: code });
  await openDevices(page, "console");
  const row = page.getByRole("row", { name: /console-3/ });
  await expect(row).toContainText("Donating now");

  await chooseInRow(page, "console-3", "Retire");
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
  await row.getByRole("button", { name: /Reinstate/ }).click();
  await expect.poll(() => answered, { timeout: 30_000 }).toBe(true);
  await donor.stop();
});

test("a device waits until an admin approves it, and all devices of its code retire at once, and return", async ({
  farm,
  page,
}) => {
  await signIn(page, farm);
  await openPage(page, "Enrollment codes");
  await page.getByRole("button", { name: /New code/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").first().fill("Volunteers");
  await expect(dialog.getByLabel("Number of devices")).toHaveValue("1");
  await dialog.getByRole("switch", { name: "Approve each device" }).click();
  await dialog.getByRole("button", { name: /Create/ }).click();
  await expect(dialog).toContainText(/GLN-\w{4}-\w{4}-\w{4}/);
  const code = /GLN-\w{4}-\w{4}-\w{4}/.exec(await dialog.innerText())?.[0] ?? "";
  await page.keyboard.press("Escape");

  const donor = await farm.startDonor("volunteer", { enrollmentCode: code });
  const panel = await page.context().newPage();
  await panel.goto(String(donor.ready["panelUrl"]));
  await expect(
    panel.getByText("Waiting for an administrator of Demo organization to approve this computer."),
  ).toBeVisible();
  await expect(page.getByRole("link", { name: /Devices 1 waiting for approval/ })).toBeVisible();
  await openPage(page, /^Devices/);
  const waiting = page.getByRole("table", { name: "Devices that wait for approval" });
  await expect(waiting.getByRole("row", { name: /volunteer/ })).toContainText("Volunteers, from 127.0.0.1");
  await waiting.getByRole("button", { name: "Approve volunteer" }).click();
  await expect(panel.getByText("“Donate now” is on")).toBeVisible();
  expect(await askFor(farm, question)).toContain("Athens");
  await page
    .getByRole("table", { name: "Devices", exact: true })
    .getByRole("link", { name: "volunteer" })
    .click();
  await expect(page.getByText("By the code Volunteers, from 127.0.0.1")).toBeVisible();

  await openPage(page, "Enrollment codes");
  await page.getByRole("button", { name: "Devices of Volunteers" }).click();
  await dialog.getByRole("button", { name: "Retire all…" }).click();
  await expect(dialog).toContainText("1 device: 1 retire.");
  await expect(dialog).toContainText("The code is revoked, too");
  await dialog.getByRole("button", { name: "Change 1 device" }).click();
  await expect(dialog).toContainText("1 device changed.");
  await expect(panel.getByText("An administrator retired this computer")).toBeVisible();
  const acts = panel.getByRole("region", { name: "Status" }).getByRole("button");
  await expect(acts).toHaveText(["Leave and join again…"]);
  const row = page.getByRole("row", { name: /Volunteers/ });
  await expect(row).toContainText("Revoked");
  await dialog.getByRole("button", { name: "Undo" }).click();
  await expect(dialog).toContainText("1 device restored.");
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(row).not.toContainText("Revoked");
  await expect(panel.getByText("“Donate now” is on")).toBeVisible();
  await openPage(page, "Audit trail");
  await expect(page.getByRole("row", { name: /Many devices changed at once/ }).first()).toBeVisible();
  await expect(
    page.getByRole("row", { name: /Revocation of an enrollment code undone/ }).first(),
  ).toBeVisible();
  await expect(page.getByRole("row", { name: /Device approved/ }).first()).toBeVisible();
  await panel.close();
  await donor.stop();
});

test("a paused lane waits and continues when resumed", async ({ farm, page }) => {
  const donor = await farm.startDonor("console-4");
  await askFor(farm, question);
  await signIn(page, farm);
  await openPage(page, "Queue");
  const lane = chatLaneRow(page);
  await lane.getByRole("button", { name: `Pause ${chatLane}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Pause lane" }).click();
  await expect(lane).toContainText("Paused");
  let answered = false;
  void askFor(farm, question).then(
    () => (answered = true),
    () => undefined,
  );
  await page.waitForTimeout(2_000);
  expect(answered).toBe(false);
  await lane.getByRole("button", { name: `Resume ${chatLane}` }).click();
  await expect(lane).toContainText("Open");
  await expect.poll(() => answered, { timeout: 30_000 }).toBe(true);
  await donor.stop();
});

test("an administrator sets a key's limits, and a device's groups and limits", async ({ farm, page }) => {
  const donor = await farm.startDonor("console-6");
  await signIn(page, farm);
  await openPage(page, "API keys");
  const key = page.getByRole("row", { name: /First requester/ });
  await expect(key).toContainText("no limit");
  await key.getByRole("button", { name: "Edit limits of First requester" }).click();
  await page.getByLabel("Jobs at once").fill("none");
  await expect(page.getByRole("button", { name: "Save" })).toBeDisabled();
  await page.getByLabel("Jobs at once").fill("40");
  await page.getByLabel("Weight").fill("3");
  await page.keyboard.press("Enter");
  await expect(key).toContainText("40");
  await expect(key).toContainText("3×");

  await openDevices(page, "console");
  const device = page.getByRole("row", { name: /console-6/ });
  await chooseInRow(page, "console-6", "Edit groups");
  await page.getByLabel("Groups", { exact: true }).fill("lab, second floor");
  await page.getByRole("button", { name: "Save" }).click();
  await expect(device).toContainText("second floor");

  await chooseInRow(page, "console-6", "Edit limits");
  await page.getByLabel("Jobs at once").fill("17");
  await expect(page.getByRole("button", { name: "Save" })).toBeDisabled();
  await page.getByLabel("Jobs at once").fill("1");
  await page.getByRole("switch", { name: "All models" }).click();
  await page.getByRole("switch", { name: "gleaner-demo" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(device).toContainText("Limited: 1 job at once; no model");
  await chooseInRow(page, "console-6", "Edit limits");
  await page.getByLabel("Jobs at once").fill("");
  await page.getByRole("switch", { name: "All models" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await expect(device).not.toContainText("Limited");
  await donor.stop();
});

test("an administrator sets with the keyboard what the requests of a key may ask for", async ({
  farm,
  page,
}) => {
  const donor = await farm.startDonor("console-7");
  await signIn(page, farm);
  await openPage(page, "API keys");
  const key = page.getByRole("row", { name: /First requester/ });
  const menu = rowMenu(page, "First requester");
  const edit = page.getByRole("menuitem", { name: "Edit rights" });
  await menu.focus();
  await page.keyboard.press("Enter");
  await edit.press("Enter");
  await page.getByLabel("Highest priority").focus();
  await page.keyboard.type("Normal");
  await page.getByLabel("Least memory").fill("much");
  await expect(page.getByRole("button", { name: "Save" })).toBeDisabled();
  await page.getByLabel("Least memory").fill("");
  await page.getByLabel("Tags", { exact: true }).fill("second floor");
  await page.keyboard.press("Enter");
  await expect(key).toContainText("up to normal");
  await expect(menu).toBeFocused();
  await expect(askFor(farm, question)).rejects.toThrow(/No device .* has the tag second floor/);

  await page.keyboard.press("Enter");
  await edit.press("Enter");
  await expect(page.getByLabel("Tags", { exact: true })).toHaveValue("second floor");
  await page.getByLabel("Tags", { exact: true }).fill("");
  await page.getByLabel("Highest priority").selectOption("High");
  await page.getByRole("button", { name: "Save" }).press("Enter");
  await expect(key).toContainText("any");
  expect(await askFor(farm, question)).not.toBe("");
  await donor.stop();
});

test("signing out ends the session", async ({ farm, page }) => {
  await signIn(page, farm);
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Overview" })).toHaveCount(0);
  await page.reload();
  await expect(page.getByText(/sign-in link|link/i).first()).toBeVisible();
});
