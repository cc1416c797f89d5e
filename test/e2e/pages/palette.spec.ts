import type { Page } from "@playwright/test";
import { chatLane, chatLaneRow, signIn } from "../support/console.ts";
import { askFor, expect, test } from "../support/farm-test.ts";

const field = (page: Page) => page.getByRole("combobox", { name: /Search pages/ });
const chosen = (page: Page) =>
  page.getByRole("listbox", { name: "Commands" }).getByRole("option", { selected: true });

test("the palette opens by keys and by a button, and returns the focus", async ({ farm, page }) => {
  await signIn(page, farm);
  const button = page.getByRole("button", { name: "Search", exact: true });
  await button.focus();
  for (const keys of ["Control+k", "/", "Enter"]) {
    await page.keyboard.press(keys);
    await expect(field(page)).toBeFocused();
    await expect(field(page)).toHaveValue("");
    await page.keyboard.press("Escape");
    await expect(field(page)).toHaveCount(0);
    await expect(button).toBeFocused();
  }
});

test("the palette opens again before the browser has said that the last one is closed", async ({
  farm,
  page,
}) => {
  await page.addInitScript(() => {
    window.addEventListener("close", (event) => event.stopImmediatePropagation(), true);
  });
  await signIn(page, farm);
  for (const keys of ["Control+k", "Control+k", "/"]) {
    await page.keyboard.press(keys);
    await expect(field(page)).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(field(page)).toHaveCount(0);
  }
});

test("the palette opens a page and the dialog of an action without a mouse", async ({ farm, page }) => {
  await signIn(page, farm);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("enr");
  await expect(chosen(page)).toHaveText(/^Enrollment codes/);
  const active = await field(page).getAttribute("aria-activedescendant");
  expect(active).toBe(await chosen(page).getAttribute("id"));
  await page.keyboard.press("ArrowDown");
  await expect(chosen(page)).toHaveText("New enrollment code");
  await page.keyboard.press("ArrowDown");
  await expect(chosen(page)).toHaveText(/^Enrollment codes/);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Enrollment codes", level: 1 })).toBeFocused();

  await page.keyboard.press("Control+k");
  await page.keyboard.type("new api key");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog").getByLabel("Name")).toBeFocused();
  expect(page.url()).toContain("#/keys?open=new-key");
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page).not.toHaveURL(/open/);
});

test("the palette finds a device by its name, a job by its id and the last places, and pauses a lane", async ({
  farm,
  page,
}) => {
  const donor = await farm.startDonor("palette-laptop");
  await askFor(farm, "What is the capital of Greece?");
  await signIn(page, farm);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("palette-lap");
  await expect(chosen(page)).toContainText("palette-laptop");
  await page.keyboard.press("Enter");
  await expect.poll(() => page.url()).toMatch(/#\/devices\/\w+$/);

  await page.keyboard.press("Control+k");
  await expect(page.getByRole("group", { name: "Recent" }).getByRole("option").first()).toHaveText(
    "Devices · palette-laptop",
  );
  await page.keyboard.type("gleaner-demo");
  const job = page.getByRole("group", { name: "Jobs" }).getByRole("option").first();
  const id = ((await job.textContent()) ?? "").split(" ")[0] ?? "";
  await page.keyboard.press("Control+a");
  await page.keyboard.type(id);
  await expect(chosen(page)).toContainText(id);
  await page.keyboard.press("Enter");
  await expect.poll(() => decodeURIComponent(page.url())).toContain(`#/jobs/${id}`);

  for (const [verb, state] of [
    ["Pause", "Paused"],
    ["Open", "Open"],
  ] as const) {
    await page.keyboard.press("Control+k");
    await page.keyboard.type(`${verb} lane ${chatLane}`);
    await expect(chosen(page)).toHaveText(new RegExp(`^${verb} the lane ${chatLane}`));
    await page.keyboard.press("Enter");
    if (verb === "Pause") {
      await page.getByRole("dialog").getByRole("button", { name: "Pause lane" }).click();
    }
    await expect(chatLaneRow(page)).toContainText(state);
  }
  await donor.stop();
});

test("g and a letter open a page, ? shows all shortcuts, and single keys can be turned off", async ({
  farm,
  page,
}) => {
  await signIn(page, farm);
  await page.keyboard.press("g");
  await page.keyboard.press("d");
  await expect(page.getByRole("heading", { name: "Devices", level: 1 })).toBeFocused();
  await page.keyboard.press("?");
  const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(sheet.getByText("Audit trail")).toBeVisible();
  await sheet.getByRole("switch").focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("Escape");
  await page.keyboard.press("g");
  await page.keyboard.press("j");
  await page.keyboard.press("?");
  await expect(sheet).toHaveCount(0);
  await expect(page.getByRole("heading", { name: "Devices", level: 1 })).toBeVisible();
  await page.keyboard.press("Control+k");
  await expect(field(page)).toBeFocused();
});

test("letters that somebody types into a field are no shortcuts", async ({ farm, page }) => {
  await signIn(page, farm);
  await page.keyboard.press("Control+k");
  await page.keyboard.type("new enrollment");
  await page.keyboard.press("Enter");
  const label = page.getByRole("dialog").getByLabel("Label");
  await label.pressSequentially("g d / ?");
  await expect(label).toHaveValue("g d / ?");
  await expect(page.getByRole("dialog")).toHaveCount(1);
});
