import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { ElectronApplication, Page } from "@playwright/test";
import type { Farm } from "../../../launch/farm/farm.ts";
import { startAgain, startDesktop } from "../support/desktop.ts";
import { askFor, expect, test } from "../support/farm-test.ts";

const folderOf = (farm: Farm, name: string): string => join(farm.folder.donorFolder, name);

async function enrolled(farm: Farm, name: string, extra: readonly string[] = []) {
  const code = await farm.setup.issueEnrollmentCode(farm.organization.organizationId, name);
  const args = ["--data", folderOf(farm, name), "--name", name, "--backend", farm.backend.url];
  const models = farm.modelFolder === null ? [] : ["--model", join(farm.modelFolder, "manifest.json")];
  const app = await startDesktop([...args, ...models, ...extra], { GLEANER_CODE: code });
  const panel = await app.firstWindow();
  await expect(panel.getByText("Demo organization")).toBeVisible();
  return { app, panel, args };
}

/** The process ids of the pages that exist, as Electron counts them. */
const renderers = (app: ElectronApplication): Promise<readonly number[]> =>
  app.evaluate(({ app: electron }) =>
    electron
      .getAppMetrics()
      .filter(({ type }) => type === "Tab")
      .map(({ pid }) => pid),
  );

const closeWindow = (panel: Page): Promise<void> => panel.evaluate(() => close()).catch(() => undefined);

/** Whether Gleaner's window has the focus. */
const isFocused = (app: ElectronApplication): Promise<boolean> =>
  app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().some((window) => window.getTitle() === "Gleaner" && window.isFocused()),
  );

/** Ends the process of the page as a crash would. */
async function crash(app: ElectronApplication): Promise<void> {
  const [pid] = await renderers(app);
  if (pid === undefined) throw new Error("There is no page.");
  process.kill(pid, "SIGKILL");
  await expect.poll(() => renderers(app)).not.toContain(pid);
}

test("a closed window has no process, and a second start opens it with its content and focuses it", async ({
  farm,
}) => {
  const { app, panel, args } = await enrolled(farm, "window-closed");
  expect(await renderers(app)).toHaveLength(1);
  await closeWindow(panel);
  await expect.poll(() => renderers(app)).toEqual([]);

  const opened = app.waitForEvent("window");
  const second = await startAgain(app, args);
  expect(second.code).toBe(0);
  expect(second.why).toMatch(
    /^Gleaner runs already with the data in .*window-closed\. Its window is open now\.$/,
  );
  const again = await opened;
  await expect(again.getByText("Demo organization")).toBeVisible();
  await expect.poll(() => isFocused(app)).toBe(true);
  expect(await renderers(app)).toHaveLength(1);

  // Another window takes the focus.
  await app.evaluate(({ BrowserWindow }) => new BrowserWindow({ width: 90, height: 90 }).focus());
  await expect.poll(() => isFocused(app)).toBe(false);
  expect(await startAgain(app, args)).toMatchObject({ code: 0 });
  await expect.poll(() => isFocused(app)).toBe(true);
  await app.close();
});

/** As a person presses keys: Playwright's own keys reach only the page. */
const press = (keys: string): unknown => execFileSync("xdotool", ["key", keys]);

test("the window is zoomed by the keyboard, and stays so when it is opened again", async ({ farm }) => {
  const { app, panel, args } = await enrolled(farm, "window-zoom");
  const width = (page: Page): Promise<number> => page.evaluate(() => window.innerWidth);
  const whole = await width(panel);
  await expect.poll(() => isFocused(app)).toBe(true);
  for (const narrower of [1.1, 1.25, 1.5, 1.75, 2]) {
    press("ctrl+equal");
    await expect.poll(() => width(panel)).toBe(Math.ceil(whole / narrower));
  }
  press("ctrl+equal");
  await expect(panel.getByText("Demo organization")).toBeVisible();
  await closeWindow(panel);
  await expect.poll(() => renderers(app)).toEqual([]);
  const opened = app.waitForEvent("window");
  expect(await startAgain(app, args)).toMatchObject({ code: 0 });
  const again = await opened;
  await expect(again.getByText("Demo organization")).toBeVisible();
  await expect.poll(() => width(again)).toBe(whole / 2);
  await expect.poll(() => isFocused(app)).toBe(true);
  press("ctrl+minus");
  await expect.poll(() => width(again)).toBeGreaterThan(whole / 2);
  press("ctrl+0");
  await expect.poll(() => width(again)).toBe(whole);
  await app.close();
});

test("the window shows its content when it appears", async ({ farm }) => {
  const { app, panel, args } = await enrolled(farm, "window-content");
  await closeWindow(panel);
  await expect.poll(() => renderers(app)).toEqual([]);
  // The page's text when the window appears.
  const shown = app.evaluate(
    ({ app: electron }) =>
      new Promise<string>((resolve) => {
        electron.once("browser-window-created", (_event, window) => {
          window.once("show", () => {
            void window.webContents
              .executeJavaScript("document.body.innerText")
              .then((text: string) => resolve(text));
          });
        });
      }),
  );
  expect(await startAgain(app, args)).toMatchObject({ code: 0 });
  expect(await shown).toContain("Demo organization");
  await app.close();
});

test("a page that was killed is loaded again and says so, while a job keeps running", async ({
  slowFarm,
}) => {
  test.slow();
  const { app, panel } = await enrolled(slowFarm, "window-killed", ["--donate-now", "60"]);
  await expect(panel.getByRole("region", { name: "Status" })).toContainText("“Donate now” is on");
  const answer = askFor(slowFarm, "42", slowFarm.organization.apiKey, 600);
  await expect(panel.getByTestId("work-progress")).toBeVisible({ timeout: 90_000 });
  await crash(app);
  await expect.poll(() => textOf(app)).toContain("This window crashed and was opened again.");
  expect(await textOf(app)).toContain("Demo organization");
  expect((await answer).length).toBeGreaterThan(0);
  // The panel hears of the end after the requester.
  await expect.poll(() => attemptsOf(app)).toBe("succeeded");
  await app.close();
});

test("a page that keeps crashing ends in a message, and opens again later", async ({ farm }) => {
  const { app, args } = await enrolled(farm, "window-loop");
  for (let times = 0; times < 3; times += 1) {
    await crash(app);
    await expect.poll(() => textOf(app)).toContain("Demo organization");
  }
  await crash(app);
  await expect.poll(messages).toHaveLength(1);
  expect(await renderers(app)).toEqual([]);
  const opened = app.waitForEvent("window");
  expect(await startAgain(app, args)).toMatchObject({ code: 0 });
  await expect((await opened).getByText("Demo organization")).toBeVisible();
  await app.close();
});

test("the panel says that the process of a job crashed, and the job is done again", async ({ slowFarm }) => {
  test.slow();
  const { app, panel } = await enrolled(slowFarm, "window-runner", ["--donate-now", "60"]);
  const answer = askFor(slowFarm, "42", slowFarm.organization.apiKey, 300);
  // The load before the first job has ended: while it lasts, a crash is not the job's.
  await expect(panel.getByTestId("work-progress")).toContainText("characters written", { timeout: 90_000 });
  await expect.poll(() => runners(app)).toHaveLength(1);
  for (const pid of await runners(app)) process.kill(pid, "SIGKILL");
  expect((await answer).length).toBeGreaterThan(0);
  await panel.getByRole("tab", { name: "History" }).click();
  await expect(panel.getByText(/failed: .*(crashed|ended)/i).first()).toBeVisible();
  await app.close();
});

/** The text of the page. Playwright gives up a page that crashed. */
const textOf = (app: ElectronApplication): Promise<string> => inPage(app, "document.body.innerText");

/** The states of this device's attempts, by the panel's own snapshot. */
const attemptsOf = (app: ElectronApplication): Promise<string> =>
  inPage(
    app,
    "gleaner.getSnapshot(null).then(({ value }) => value.history.map(({ status }) => status).join())",
  );

function inPage(app: ElectronApplication, script: string): Promise<string> {
  return app.evaluate(
    async ({ BrowserWindow }, asked) =>
      String(await BrowserWindow.getAllWindows()[0]?.webContents.executeJavaScript(asked)),
    script,
  );
}

/** The processes that run llama.cpp for this program. */
async function runners(app: ElectronApplication): Promise<readonly number[]> {
  const pid = await app.evaluate(() => process.pid);
  const list = execFileSync("ps", ["-eo", "pid=,ppid=,args="], { encoding: "utf8" }).trim().split("\n");
  const rows = list.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []);
  const below = (parent: number): readonly number[] =>
    rows.flatMap(([, child = "", of]) =>
      Number(of) === parent ? [Number(child), ...below(Number(child))] : [],
    );
  const ours = new Set(below(pid));
  return rows.flatMap(([, child = "", , args = ""]) =>
    ours.has(Number(child)) && args.includes("runner-process.js") ? [Number(child)] : [],
  );
}

/** The X windows of message boxes that say that the window crashes. */
function messages(): readonly string[] {
  const found = execFileSync(
    "bash",
    ["-c", "for w in $(xdotool search --onlyvisible --class electron); do xdotool getwindowname $w; done"],
    { encoding: "utf8" },
  );
  return found.split("\n").filter((name) => name === "Gleaner");
}
