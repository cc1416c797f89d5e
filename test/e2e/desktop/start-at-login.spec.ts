import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ElectronApplication } from "@playwright/test";
import { startAgain, startByCommand, startDesktop } from "../support/desktop.ts";
import { expect, test } from "../support/farm-test.ts";

test.describe.configure({ mode: "serial" });

let config: string;
test.beforeAll(async () => {
  config = await mkdtemp(join(tmpdir(), "gleaner-config-"));
});
test.afterAll(() => rm(config, { recursive: true, force: true }));

const folder = (): string => join(config, "autostart");
const entries = (): readonly string[] => (existsSync(folder()) ? readdirSync(folder()) : []);
const windowsOf = (app: ElectronApplication): Promise<number> =>
  app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length);

/** The arguments of an entry's command, as the specification has them: first the escapes of a value, then the quotes. */
function commandOf(entry: string): readonly string[] {
  const value = /^Exec=(.*)$/m.exec(entry)?.[1] ?? "";
  const words = value.replaceAll("\\\\", "\\").matchAll(/"((?:\\.|[^"])*)"|(\S+)/g);
  return [...words].map(([, quoted, plain = ""]) =>
    (quoted?.replace(/\\(.)/g, "$1") ?? plain).replaceAll("%%", "%"),
  );
}

test("a person is asked once, and Gleaner then starts at login without a window until they change it", async ({
  farm,
}) => {
  const name = "start-at-login";
  const args = ["--data", join(farm.folder.donorFolder, "start at login"), "--name", name];
  const code = await farm.setup.issueEnrollmentCode(farm.organization.organizationId, name);
  const env = { XDG_CONFIG_HOME: config };
  const first = await startDesktop([...args, "--backend", farm.backend.url], { ...env, GLEANER_CODE: code });
  const panel = await first.firstWindow();
  const question = panel.getByRole("region", { name: "Start Gleaner when you log in?" });
  await expect(question).toBeVisible();
  expect(entries()).toEqual([]);
  await question.getByRole("button", { name: "Yes" }).click();
  await expect(question).toHaveCount(0);
  await expect.poll(entries).toHaveLength(1);
  await first.close();

  // The session starts the entry's command.
  const command = commandOf(readFileSync(join(folder(), entries()[0]!), "utf8"));
  const second = await startByCommand(command, env);
  await expect.poll(() => second.evaluate(({ app }) => app.listenerCount("second-instance"))).toBe(1);
  expect(await windowsOf(second)).toBe(0);
  const shown = second.waitForEvent("window");
  expect(await startAgain(second, args)).toMatchObject({ code: 0 });
  const again = await shown;
  await expect(again.getByText("Demo organization")).toBeVisible();
  await expect(again.getByText("Start Gleaner when you log in?")).toHaveCount(0);
  await again.getByRole("tab", { name: "Settings" }).click();
  const setting = again.getByRole("group", { name: "Start at login" });
  await setting.getByRole("switch").click();
  await expect.poll(entries).toEqual([]);
  await second.close();
});
