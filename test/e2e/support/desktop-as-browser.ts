import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type Browser, chromium, type Page } from "@playwright/test";

export type DesktopAsBrowser = {
  readonly pid: number;
  /** The page of the open window. Waits for it. A page that crashed is found only by asking again. */
  readonly window: () => Promise<Page>;
  /** Ends the program as the system does at a logout. Resolves to its exit code. */
  readonly stop: () => Promise<number | null>;
};

/**
 * Starts a desktop program that Playwright cannot start as Electron: a packed one allows no inspector of Node, and Playwright's
 * own start turns keychains off. Its window is reached by Chromium's debugging port.
 */
export async function startAsBrowser(
  [executable = "", ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<DesktopAsBrowser> {
  const child = spawn(executable, [...args, "--remote-debugging-port=0"], {
    stdio: ["ignore", "ignore", "pipe"],
    env,
  });
  const exited = once(child, "exit") as Promise<[number | null]>;
  const address = Promise.withResolvers<string>();
  createInterface({ input: child.stderr }).on("line", (line) => {
    const found = /^DevTools listening on (ws:\S+)/.exec(line)?.[1];
    if (found !== undefined) address.resolve(found);
  });
  void exited.then(() => address.reject(new Error("the desktop program ended")));
  let browser: Browser | undefined;
  return {
    pid: child.pid ?? 0,
    window: async () => {
      await browser?.close();
      browser = await chromium.connectOverCDP(await address.promise);
      const [context] = browser.contexts();
      if (context === undefined) throw new Error("the desktop program has no window");
      return context.pages()[0] ?? (await context.waitForEvent("page"));
    },
    stop: async () => {
      await browser?.close();
      child.kill("SIGTERM");
      const [code] = await exited;
      return code;
    },
  };
}
