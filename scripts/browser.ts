import { existsSync } from "node:fs";

const programs = [
  // Of the two of Debian, this one starts faster: it has no windows and no toolbar.
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

/** The Chromium that GLEANER_CHROMIUM names, or an installed one. Null if there is none. */
export function installedChromium(env: NodeJS.ProcessEnv = process.env): string | null {
  const named = env["GLEANER_CHROMIUM"];
  const all = named === undefined ? programs : [named, ...programs];
  return all.find((path) => existsSync(path)) ?? null;
}

/** The same, for a script that needs one. Throws if there is none. */
export function requireChromium(): string {
  const installed = installedChromium();
  if (installed !== null) return installed;
  throw new Error("There is no browser here. Install Chromium, or name one in GLEANER_CHROMIUM.");
}
