import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { ElectronApplication, Page } from "@playwright/test";
import { appLink } from "../../../app/join-link.ts";
import type { Farm } from "../../../launch/farm/farm.ts";
import { readDemoModel } from "../../../launch/organization/demo-model.ts";
import { cuttableLine } from "../../../packages/queue/worker/cuttable-line.fixture.ts";
import { startDesktop } from "../support/desktop.ts";
import { expect, test } from "../support/farm-test.ts";
import { ownerOf } from "../support/owner.ts";

test.describe.configure({ mode: "serial" });

const folderOf = (farm: Farm, name: string): string => join(farm.folder.donorFolder, name);

type OrganizationId = Farm["organization"]["organizationId"];

async function linkTo(farm: Farm, organizationId: OrganizationId, url = farm.backend.url): Promise<string> {
  const code = await farm.setup.issueEnrollmentCode(organizationId, "a laptop");
  return appLink({ code, url, pin: null });
}

/** Opens the program with the invitation of a link, and joins. */
async function joined(farm: Farm, name: string, link: string): Promise<[ElectronApplication, Page]> {
  const app = await startDesktop(["--data", folderOf(farm, name), "--name", name, link]);
  const window = await app.firstWindow();
  await window.getByRole("button", { name: "Continue" }).click();
  await window.getByRole("button", { name: "Join", exact: true }).click();
  await expect(window.getByRole("heading", { name, exact: true })).toBeVisible();
  return [app, window];
}

/** Opens a link while the program runs, as macOS and a second start do. */
async function open(app: ElectronApplication, link: string): Promise<void> {
  await app.evaluate(({ app }, link) => app.emit("second-instance", {}, ["gleaner", link]), link);
}

async function leave(window: Page): Promise<void> {
  await window.getByRole("tab", { name: "Settings" }).click();
  await window.getByRole("button", { name: "Leave…" }).click();
  const dialog = window.getByRole("dialog");
  await expect(dialog).toContainText("the downloaded models, the journal and your settings are deleted");
  await dialog.getByRole("button", { name: "Leave" }).click();
}

test("a person leaves the organization, which is told, and the program asks where to join", async ({
  farm,
}) => {
  const name = "leaver";
  const { organizationId } = farm.organization;
  const [app, window] = await joined(farm, name, await linkTo(farm, organizationId));
  expect(existsSync(join(folderOf(farm, name), "device.json"))).toBe(true);
  await window.getByRole("tab", { name: "Settings" }).click();
  await window.getByRole("button", { name: "Leave…" }).click();
  await window.getByRole("button", { name: "Cancel" }).click();
  await leave(window);

  await expect(window.getByRole("heading", { name: "Join your organization" })).toBeVisible();
  await expect(window.getByRole("status")).toHaveText("This computer has left Demo organization.");
  await expect(window.getByLabel("Invitation link")).toHaveValue("");
  const owner = await ownerOf(farm, organizationId);
  expect(await owner.deviceNamed(name)).toMatchObject({ status: "retired", hasLeft: true, online: false });
  // Chromium's own files stay.
  expect(await readdir(folderOf(farm, name))).toEqual(["desktop"]);

  // The same program joins again, as a new device.
  await window.getByLabel("Invitation link").fill(await linkTo(farm, organizationId));
  await window.getByRole("button", { name: "Continue" }).click();
  await window.getByRole("button", { name: "Join", exact: true }).click();
  await expect(window.getByRole("heading", { name, exact: true })).toBeVisible();
  await app.close();
});

test("without its server a computer leaves all the same, and the page says who has to be told", async ({
  farm,
}) => {
  const name = "cut-off";
  const line = await cuttableLine(new URL(farm.backend.url));
  const [app, window] = await joined(
    farm,
    name,
    await linkTo(farm, farm.organization.organizationId, line.url),
  );
  line.cut();
  await leave(window);
  await expect(window.getByRole("status")).toContainText(`to retire the device “${name}”`);
  expect(await readdir(folderOf(farm, name))).toEqual(["desktop"]);
  await app.close();
  await line.close();
});

test("a link to another organization offers to leave, and changes nothing without consent", async ({
  farm,
}) => {
  const name = "switcher";
  const { organizationId: first } = farm.organization;
  const { organizationId: second } = await farm.setup.createOrganization(
    "Second organization",
    await readDemoModel(),
  );
  const [app, window] = await joined(farm, name, await linkTo(farm, first));
  const here = window.getByRole("heading", { name, exact: true });

  await open(app, await linkTo(farm, first));
  await window.getByRole("button", { name: "Continue" }).click();
  await expect(window.getByRole("alert")).toHaveText("This computer already belongs to Demo organization.");

  const link = await linkTo(farm, second);
  await open(app, link);
  await expect(window.getByRole("heading", { name: "Join another organization" })).toBeVisible();
  await expect(window.getByText("This computer belongs to Demo organization")).toBeVisible();
  await window.getByRole("button", { name: "Continue" }).click();
  const consent = "Leave Demo organization and join Second organization?";
  await expect(window.getByRole("heading", { name: consent })).toBeVisible();
  await window.getByRole("button", { name: "Back" }).click();
  await window.getByRole("button", { name: "Stay in Demo organization" }).click();
  await expect(here).toBeVisible();
  await expect(window.getByText("Demo organization")).toBeVisible();
  const former = await ownerOf(farm, first);
  expect(await former.deviceNamed(name)).toMatchObject({ status: "active", hasLeft: false });

  await open(app, link);
  await window.getByRole("button", { name: "Continue" }).click();
  await window.getByRole("button", { name: "Leave and join" }).click();
  await expect(here).toBeVisible();
  await expect(window.getByText("Second organization")).toBeVisible();
  expect(await former.deviceNamed(name)).toMatchObject({ status: "retired", hasLeft: true });
  const owner = await ownerOf(farm, second);
  expect(await owner.deviceNamed(name)).toMatchObject({ status: "active" });

  // Now the organization locks its computers in.
  await owner.lock("allowLeave", false);
  await window.getByRole("tab", { name: "Settings" }).click();
  await expect(window.getByText("Your organization does not let its computers leave.")).toBeVisible();
  await expect(window.getByRole("button", { name: "Leave…" })).toHaveCount(0);
  const forged = await window.evaluate(
    async () =>
      await (globalThis as unknown as { gleaner: { leave(none: null): Promise<unknown> } }).gleaner.leave(
        null,
      ),
  );
  expect(forged).toMatchObject({ kind: "refused" });
  await open(app, await linkTo(farm, first));
  await expect(window.getByText("Your organization does not let its computers leave.")).toBeVisible();
  await window.getByRole("button", { name: "Stay in Second organization" }).click();
  await expect(here).toBeVisible();
  expect(await owner.deviceNamed(name)).toMatchObject({ status: "active" });

  // A computer that was retired would get no job there anymore, so it may leave and join again.
  await owner.retire(name);
  const acts = window.getByRole("region", { name: "Status" }).getByRole("button");
  await expect(acts).toHaveText(["Leave and join again…"]);
  await acts.click();
  await window.getByRole("button", { name: "Leave…" }).click();
  await window.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
  await expect(window.getByText("This computer has left Second organization.")).toBeVisible();
  await app.close();
});
