import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { appLink } from "../../../app/join-link.ts";
import { electronFolder } from "../../../launch/donor/shell.ts";
import { type CuttableLine, cuttableLine } from "../../../packages/queue/worker/cuttable-line.fixture.ts";
import { makeDeb } from "../../../scripts/package/linux/deb.ts";
import { packProgram } from "../../../scripts/package/pack-program.ts";
import { debRoot, lackingForPackages, type PackageRoot } from "../../launch/package-root.ts";
import { withVersion } from "../../launch/with-version.ts";
import { electronArguments } from "../support/desktop.ts";
import { type DesktopAsBrowser, startAsBrowser } from "../support/desktop-as-browser.ts";
import { askFor, expect, test } from "../support/farm-test.ts";
import { ownerOf } from "../support/owner.ts";

/**
 * The packed program in the home folder of a new user, installed by its deb where that can be made. It gets no argument of its own:
 * all that it knows comes from its person. Its first organization is reached over a line that can be cut.
 */
test.describe.configure({ mode: "serial" });
// One test locks a rule of the organization.
test.use({ farmName: "packaged" });

type Reply = { readonly kind: string; readonly value?: unknown };

const lackingDeb = lackingForPackages("deb");

let home: string;
/** The packed program. */
let program: string;
/** The root folder of the installed deb. Null if this machine cannot make one. */
let root: PackageRoot | null = null;
let command: readonly string[];
let env: NodeJS.ProcessEnv;
let line: CuttableLine;
let app: DesktopAsBrowser;
let page: Page;
/** This computer's name, as the console shows it. */
let device: string;

test.beforeAll(async ({ slowFarm }) => {
  test.setTimeout(240_000);
  home = await mkdtemp(join(tmpdir(), "gleaner-packaged-"));
  program = await packProgram(electronFolder(process.env), join(home, "dist"));
  // The organization's model comes with the program, like the demo model.
  await cp(slowFarm.modelFolder ?? "", join(program, "resources/demo-model"), { recursive: true });
  if (lackingDeb === null) {
    root = await debRoot(join(home, "root"));
    await root.install(await makeDeb(program, home, { uncompressed: true }));
  }
  command = [
    ...(root?.command("gleaner-desktop") ?? [join(program, "gleaner-desktop")]),
    ...electronArguments,
  ];
  env = {
    ...process.env,
    HOME: home,
    XDG_CONFIG_HOME: join(home, "config"),
    XDG_DATA_HOME: join(home, "data"),
    GLEANER_DATA: undefined,
    GLEANER_THREADS: "1",
  };
  line = await cuttableLine(new URL(slowFarm.backend.url));
  await start();
});

test.afterAll(async () => {
  await app.stop();
  await line.close();
  await rm(home, { recursive: true, force: true });
});

async function start(): Promise<void> {
  app = await startAsBrowser(command, env);
  page = await app.window();
}

const status = () => page.getByRole("region", { name: "Status" });

/** Calls the program as its page does, and as a forged page could. */
const call = (name: string, argument: object | null = null): Promise<Reply> =>
  page.evaluate(
    ([name, argument]) =>
      (globalThis as unknown as { gleaner: Record<string, (given: unknown) => Promise<Reply>> }).gleaner[
        name
      ]!(argument),
    [name, argument] as const,
  );

async function agree(): Promise<void> {
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("heading", { name: "Join Demo organization?" })).toBeVisible();
  await page.getByRole("button", { name: "Join", exact: true }).click();
  await expect(status()).toBeVisible();
}

/** The process of the page. */
function rendererOf(pid: number): number {
  const rows = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).trim().split("\n");
  const below = (parent: number): readonly string[] =>
    rows.flatMap((row) => {
      const [child, of] = row.trim().split(/\s+/).map(Number);
      return of === parent && child !== undefined ? [row, ...below(child)] : [];
    });
  return Number.parseInt(below(pid).find((row) => row.includes("--type=renderer")) ?? "", 10);
}

test("it asks where to join, joins by a link, and still belongs there after a restart", async ({
  slowFarm,
}) => {
  const { organizationId } = slowFarm.organization;
  const code = await slowFarm.setup.issueEnrollmentCode(organizationId, "packaged");
  await page.getByLabel("Invitation link").fill(appLink({ code, url: line.url, pin: null }));
  await agree();
  device = (await page.getByRole("heading", { level: 1 }).textContent()) ?? "";
  const rules = { idleAfterSeconds: 10, maxOtherCpuLoad: 1 };
  expect(await call("setRules", rules)).toMatchObject({ kind: "ok" });
  const before = await (await ownerOf(slowFarm, organizationId)).deviceNamed(device);

  expect(await app.stop()).toBe(0);
  await start();
  await expect(status()).toBeVisible();
  await expect(page.getByText("Demo organization")).toBeVisible();
  expect(await call("getSnapshot")).toMatchObject({ value: { rules } });
  const after = await (await ownerOf(slowFarm, organizationId)).deviceNamed(device);
  expect(after.deviceId).toBe(before.deviceId);
});

test("an upgrade of its package keeps its place in the organization, and the running program works on", async ({
  slowFarm,
}) => {
  test.skip(root === null, lackingDeb ?? "");
  const { organizationId } = slowFarm.organization;
  const before = await (await ownerOf(slowFarm, organizationId)).deviceNamed(device);
  const newer = await withVersion(program, "9.9.9", join(home, "linux-newer-unpacked"));
  await root?.install(await makeDeb(newer, home, { version: "9.9.9", uncompressed: true }));
  expect(await call("getSnapshot")).toMatchObject({ kind: "ok" });

  expect(await app.stop()).toBe(0);
  await start();
  await expect(status()).toBeVisible();
  await page.getByRole("tab", { name: "About" }).click();
  await expect(page.getByText("9.9.9")).toBeVisible();
  await expect(page.getByText("by your administrator or your package manager")).toBeVisible();
  await page.getByRole("tab", { name: "Now" }).click();
  const after = await (await ownerOf(slowFarm, organizationId)).deviceNamed(device);
  expect(after.deviceId).toBe(before.deviceId);
});

test("a second start ends at once and opens the closed window of the first", async () => {
  const renderer = rendererOf(app.pid);
  await page.evaluate(() => close()).catch(() => undefined);
  await expect.poll(() => rendererOf(app.pid)).toBeNaN();
  const second = spawn(command[0] ?? "", command.slice(1), { env, stdio: "ignore" });
  expect(await once(second, "exit")).toEqual([0, null]);
  await expect.poll(() => rendererOf(app.pid)).toBeGreaterThan(0);
  expect(rendererOf(app.pid)).not.toBe(renderer);
  page = await app.window();
  await expect(page.getByText("Demo organization")).toBeVisible();
});

test("it donates while nobody uses the computer, and yields to the pointer", async ({ slowFarm }) => {
  test.slow();
  await expect(status()).toContainText(/Ready for a job|Working on a job/, { timeout: 60_000 });
  const answer = askFor(slowFarm, "42", undefined, 1_200);
  const progress = page.getByTestId("work-progress");
  // The runner starts late on a busy machine.
  await expect(progress).toBeVisible({ timeout: 90_000 });
  execFileSync("xdotool", ["mousemove_relative", "--", "7", "5"]);
  await expect(status()).toContainText("You are using it");
  await expect(progress).toHaveCount(0);
  const other = await slowFarm.startDonor("packaged-other");
  expect((await answer).length).toBeGreaterThan(0);
  await other.stop();
});

test("a killed page is loaded again and says so", async () => {
  const killed = rendererOf(app.pid);
  process.kill(killed, "SIGKILL");
  await expect.poll(() => rendererOf(app.pid)).not.toBe(killed);
  await expect.poll(() => rendererOf(app.pid)).toBeGreaterThan(0);
  page = await app.window();
  await expect(page.getByText("This window crashed and was opened again.")).toBeVisible();
  await expect(page.getByText("Demo organization")).toBeVisible();
});

test("it says that the server cannot be reached, and goes on when it can", async () => {
  line.cut();
  await expect(status()).toContainText("Offline", { timeout: 60_000 });
  line.restore();
  await expect(status()).not.toContainText("Offline", { timeout: 90_000 });
});

test("a forged call changes no rule that the organization locked", async ({ slowFarm }) => {
  const owner = await ownerOf(slowFarm, slowFarm.organization.organizationId);
  await owner.lock("allowOnBattery", false);
  const layers = async () =>
    ((await call("getSnapshot")).value as { ruleLayers: { locked: readonly string[] } }).ruleLayers;
  await expect.poll(async () => (await layers()).locked).toEqual(["allowOnBattery"]);
  expect(await call("setRules", { allowOnBattery: true })).toMatchObject({ kind: "refused" });
  expect(await call("getSnapshot")).toMatchObject({ value: { rules: { allowOnBattery: false } } });
});

test("it leaves, and joins again by a code", async ({ slowFarm }) => {
  await page.getByRole("tab", { name: "Settings" }).click();
  await page.getByRole("button", { name: "Leave…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Leave" }).click();
  await expect(page.getByText("This computer has left Demo organization.")).toBeVisible();
  const { organizationId } = slowFarm.organization;
  const owner = await ownerOf(slowFarm, organizationId);
  expect(await owner.deviceNamed(device)).toMatchObject({ status: "retired", hasLeft: true });

  await page.getByRole("button", { name: "I have a code instead" }).click();
  await page.getByLabel("Server’s address").fill(slowFarm.backend.url);
  const code = await slowFarm.setup.issueEnrollmentCode(organizationId, "packaged again");
  await page.getByLabel("Code", { exact: true }).fill(code);
  await agree();
});

test("its package is removed, and its data stays for a later one", async () => {
  test.skip(root === null, lackingDeb ?? "");
  expect(await app.stop()).toBe(0);
  await root?.remove();
  expect(existsSync(join(home, "root/opt/Gleaner"))).toBe(false);
  expect(existsSync(join(home, "config/gleaner/device.json"))).toBe(true);
  await root?.install(await makeDeb(program, home, { uncompressed: true }));
  await start();
  await expect(page.getByText("Demo organization")).toBeVisible();
});
