import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fetchElectron } from "../../launch/donor/fetch-electron.ts";
import { electronFile, electronFolder } from "../../launch/donor/shell.ts";
import { installedChromium } from "../../scripts/browser.ts";
import { onPath } from "../../scripts/on-path.ts";

/** A tool that a machine may lack: found with its environment, or lacking with a remedy. */
export type Tool =
  | {
      readonly kind: "found";
      readonly env: Readonly<Record<string, string>>;
      /** A wrapper of the step's command, e.g. one that starts a display. */
      readonly wrap: readonly string[];
    }
  | { readonly kind: "lacking"; readonly reason: string; readonly remedy: string };

/** Finds a Chromium for the page tests: GLEANER_CHROMIUM, an installed one, or Playwright's, downloaded now. */
export async function findChromium(env: NodeJS.ProcessEnv = process.env): Promise<Tool> {
  const installed = installedChromium(env);
  if (installed !== null) return { kind: "found", env: { GLEANER_CHROMIUM: installed }, wrap: [] };
  const own = await playwrightChromium();
  if (existsSync(own)) return { kind: "found", env: { GLEANER_CHROMIUM: own }, wrap: [] };
  console.log("No Chromium here: trying to install Playwright's …");
  spawnSync("npx", ["playwright", "install", "chromium-headless-shell"], {
    stdio: "inherit",
    timeout: 300_000,
  });
  if (existsSync(own)) return { kind: "found", env: { GLEANER_CHROMIUM: own }, wrap: [] };
  return {
    kind: "lacking",
    reason: "there is no Chromium here, and Playwright's could not be fetched",
    remedy: "apt-get install chromium-headless-shell   (or: npx playwright install chromium)",
  };
}

const published = join(import.meta.dirname, "../published");

/** Installs the packages that test/published is about, unless they are there in the versions of its lock file. */
export function findPublishedPackages(): Tool {
  if (!arePublishedInstalled()) {
    console.log("Installing the published packages …");
    const args = ["ci", "--no-audit", "--no-fund", "--loglevel", "error", "--fetch-retries", "1"];
    const shell = process.platform === "win32";
    spawnSync("npm", args, { cwd: published, stdio: "inherit", timeout: 300_000, shell });
  }
  if (arePublishedInstalled()) return { kind: "found", env: {}, wrap: [] };
  return {
    kind: "lacking",
    reason: "the published packages could not be fetched from the npm registry",
    remedy: "npm ci --prefix test/published   (with a registry, or with the packages in npm's cache)",
  };
}

type Lock = {
  readonly packages: Readonly<Record<string, { readonly version?: string; readonly optional?: boolean }>>;
};

function arePublishedInstalled(): boolean {
  const [wanted, found] = ["package-lock.json", "node_modules/.package-lock.json"].map(readLock);
  return Object.entries(wanted?.packages ?? {}).every(
    ([path, { version, optional }]) =>
      path === "" || optional === true || found?.packages[path]?.version === version,
  );
}

function readLock(file: string): Lock | undefined {
  const path = join(published, file);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Lock) : undefined;
}

async function playwrightChromium(): Promise<string> {
  const { chromium } = await import("@playwright/test");
  return chromium.executablePath();
}

/**
 * Finds an Electron and a private display with a tray and a pointer. The tests never use a person's display.
 */
export async function findDesktop(env: NodeJS.ProcessEnv = process.env): Promise<Tool> {
  if (process.platform !== "linux") {
    return {
      kind: "lacking",
      reason: "the desktop tests move a pointer on a virtual display, which only Linux has",
      remedy: "run them on Linux, or in a container",
    };
  }
  const electron = electronFile(env);
  const failure =
    existsSync(electron) || env["ELECTRON_OVERRIDE_DIST_PATH"] !== undefined
      ? null
      : await fetchElectron((line) => console.log(line));
  if (!existsSync(electron)) {
    return {
      kind: "lacking",
      reason: `there is no Electron here${failure === null ? "" : `, and it could not be fetched: ${failure}`}`,
      remedy: "npx install-electron   (or point ELECTRON_OVERRIDE_DIST_PATH at an unpacked Electron)",
    };
  }
  const lacking = desktopCommands.filter((command) => !onPath(command));
  if (lacking.length > 0) {
    return {
      kind: "lacking",
      reason: `the desktop tests need ${lacking.join(", ")}`,
      remedy: "apt-get install xvfb xauth xdotool x11-utils trayer dbus dbus-x11",
    };
  }
  const version = join(electronFolder(env), "version");
  console.log(
    `On Electron ${existsSync(version) ? readFileSync(version, "utf8").trim() : "of unknown version"}.`,
  );
  return { kind: "found", env: {}, wrap: ["dbus-run-session", "--", "xvfb-run", "-a"] };
}

const desktopCommands = ["xvfb-run", "xdotool", "xwininfo", "trayer", "dbus-run-session"];
