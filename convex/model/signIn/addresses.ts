import { isLoopback } from "../../../app/join-command.ts";
import { refuse } from "../refuse.ts";

declare const process: {
  readonly env: { readonly CONVEX_SITE_URL?: string; readonly GLEANER_CONSOLE_URL?: string };
};

const maxChars = 2_000;

/** The console's own address: served by the deployment, or GLEANER_CONSOLE_URL. */
export function consoleAddress(): string {
  const { CONVEX_SITE_URL: siteUrl = "", GLEANER_CONSOLE_URL: consoleUrl } = process.env;
  return consoleUrl ?? `${siteUrl.replace(/\/$/, "")}/console/`;
}

function consoleUrls(): readonly URL[] {
  const { CONVEX_SITE_URL: siteUrl = "", GLEANER_CONSOLE_URL: consoleUrl = "" } = process.env;
  return [siteUrl, consoleUrl].filter((url) => URL.canParse(url)).map((url) => new URL(url));
}

/** The origins of the console's pages, which call the API in the playground. */
export function consoleOrigins(): readonly string[] {
  return consoleUrls().map((url) => url.origin);
}

/** The address to which all providers send the browser back. The state tells which one answers. */
export function redirectUri(): string {
  const { CONVEX_SITE_URL: siteUrl } = process.env;
  return siteUrl === undefined
    ? refuse("conflict", "This deployment has no address for HTTP actions.")
    : `${siteUrl.replace(/\/$/, "")}/auth/callback`;
}

/**
 * The origin of a page of the console. Any other page could be an attacker's, who would get the code of somebody else's
 * sign-in. The console is served by the deployment, or at GLEANER_CONSOLE_URL. Refuses: invalid.
 */
export function consoleOrigin(page: string): string {
  const origin = page.length <= maxChars && URL.canParse(page) ? new URL(page).origin : "";
  const known = consoleUrls();
  // One machine has several names for itself.
  const isHere = known.some(
    (url) => isLoopback(url.origin) && isLoopback(origin) && url.port === new URL(origin).port,
  );
  if (isHere || known.some((url) => url.origin === origin)) return origin;
  const open = known.map((url) => url.origin).join(" or ");
  return refuse("invalid", `Open the console at ${open} to sign in this way.`);
}

/**
 * The address of a page of the console for a link in a mail. It has no query, which could name another deployment: that one would
 * get the link's secret. Refuses: invalid.
 */
export function consolePage(page: string): string {
  return consoleOrigin(page) + new URL(page).pathname;
}
