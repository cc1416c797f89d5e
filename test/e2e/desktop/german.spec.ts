import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ElectronApplication, Page } from "@playwright/test";
import { startTrayHost, type TrayHost } from "../../../bench/desktop/tray-host.ts";
import { startDesktop } from "../support/desktop.ts";
import { failedStart } from "../support/failed-start.ts";
import { expect, test } from "../support/farm-test.ts";
import { ClickLog, DesktopIcon, shapesOf } from "../support/tray-icon.ts";

test.describe.configure({ mode: "serial" });
test.use({ farmName: "german" });

const icons = join(import.meta.dirname, "../../../resources/icons/tray");

let socketFolder: string;
let host: TrayHost;
let args: readonly string[];
let app: ElectronApplication;
let icon: DesktopIcon;
let page: Page;

test.beforeAll(async ({ farm }) => {
  socketFolder = await mkdtemp(join(tmpdir(), "german-"));
  host = await startTrayHost(socketFolder);
  const data = join(farm.folder.donorFolder, "german");
  args = ["--lang=de", "--hidden", "--data", data, "--backend", farm.backend.url, "--name", "german"];
  await start();
});

test.afterAll(async () => {
  await app.close();
  await host.close();
  await rm(socketFolder, { recursive: true });
});

async function start(): Promise<void> {
  const registered = host.nextIcon();
  app = await startDesktop(args, { DBUS_SESSION_BUS_ADDRESS: host.busAddress });
  icon = new DesktopIcon(await registered, await shapesOf(app, icons, ["needs-you"]), new ClickLog());
}

const labels = async () =>
  (await icon.menu()).items.filter(({ within }) => within === null).map(({ label }) => label);

test("on a German system the tray and the panel speak German", async ({ farm }) => {
  await expect
    .poll(() => icon.tooltip())
    .toBe("Gleaner braucht einen Aufnahmecode, um Ihrer Organisation beizutreten.");
  expect(await labels()).toEqual(["Ihrer Organisation beitreten …", "Gleaner öffnen", "Beenden"]);

  const opened = app.waitForEvent("window");
  await icon.click("Ihrer Organisation beitreten …");
  page = await opened;
  await expect(page.locator("html")).toHaveAttribute("lang", "de-DE");
  await page.getByLabel("Aufnahmecode").fill("GLN-XXXX-XXXX-XXXX");
  await page.getByRole("button", { name: "Beitreten", exact: true }).click();
  await expect(page.getByText("Dieser Aufnahmecode ist nicht bekannt.").first()).toBeVisible();
  const code = await farm.setup.issueEnrollmentCode(farm.organization.organizationId, "german");
  await page.getByLabel("Aufnahmecode").fill(code);
  await page.getByRole("button", { name: "Beitreten", exact: true }).click();
  await expect(page.getByText("Demo organization")).toBeVisible();
  await expect.poll(labels).toContain("Einstellungen …");
  expect((await icon.menu()).texts).toContain("Heute: 0 Aufträge, 0 Credits");
});

test("the tray changes its language with the panel, at once and for the next start", async () => {
  await page.getByRole("tab", { name: "Einstellungen" }).click();
  await page.getByLabel("Sprache dieses Programms").selectOption("English");
  await expect(page.getByRole("tab", { name: "Settings" })).toHaveAttribute("aria-selected", "true");
  await expect.poll(labels).toContain("Preferences…");
  expect(await labels()).toContain("Quit");
  await app.close();

  await start();
  await expect.poll(labels).toContain("Preferences…");
  const opened = app.waitForEvent("window");
  await icon.click("Preferences…");
  page = await opened;
  await page.getByLabel("Language of this program").selectOption("As the system has it (Deutsch)");
  await expect(page.getByRole("tab", { name: "Einstellungen" })).toHaveAttribute("aria-selected", "true");
  await expect.poll(labels).toContain("Einstellungen …");
});

test("a program that cannot start says why in German, too", async () => {
  const settings = join(socketFolder, "managed.json");
  await writeFile(settings, "{");
  const data = join(socketFolder, "refused");
  expect(await failedStart(["--lang=de", "--data", data], { GLEANER_MANAGED: settings })).toEqual({
    dialogs: [
      {
        type: "error",
        title: "Gleaner",
        message: "Gleaner kann nicht starten",
        detail: `${settings} ist kein JSON. Ihr Administrator muss die Datei reparieren: gleaner managed prüft sie.`,
      },
    ],
    code: 1,
  });
  const refused = await failedStart(["--lang=de", "--data", data, "--pin", "none"], {});
  expect(refused.code).toBe(64);
  expect(refused.dialogs).toEqual([
    expect.objectContaining({
      message: "Gleaner kann nicht starten",
      detail: expect.stringMatching(/^Gleaner wurde mit einer falschen Option gestartet \(--pin: .+\)\./),
    }),
  ]);
});
