import * as z from "zod";

export type Deployment = {
  /** The address for the Convex client. */
  readonly url: string;
  /** The address of the OpenAI-compatible API, without `/v1`. */
  readonly apiBase: string;
};

export type Found =
  | { readonly kind: "found"; readonly deployment: Deployment }
  | { readonly kind: "failed"; readonly message: string };

const configSchema = z.object({ deploymentUrl: z.url({ protocol: /^https?$/ }) });

/** A server that runs Gleaner answers in milliseconds, so this is time for a slow network. */
const answerWithinMs = 10_000;

/** Finds the deployment: named by `?deployment=`, else by `GET /config` on the page's own origin. */
export async function findDeployment(
  location: Pick<Location, "origin" | "search">,
  get: typeof fetch,
  withinMs = answerWithinMs,
): Promise<Found> {
  const named = new URLSearchParams(location.search).get("deployment");
  if (named !== null) {
    const parsed = configSchema.safeParse({ deploymentUrl: named });
    return parsed.success
      ? { kind: "found", deployment: { url: trimmed(named), apiBase: apiBaseOf(trimmed(named)) } }
      : failed("The address after ?deployment= is not valid. It must start with http:// or https://.");
  }
  try {
    const answer = await get(`${location.origin}/config`, {
      headers: { accept: "application/json" },
      signal: AbortSignal.timeout(withinMs),
    });
    if (!answer.ok) return failed(`The server answered with error ${answer.status}.`);
    const { deploymentUrl } = configSchema.parse(await answer.json());
    return { kind: "found", deployment: { url: trimmed(deploymentUrl), apiBase: location.origin } };
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    if (isLate) return failed("The server of this page did not answer in time.");
    return failed("The server of this page cannot be reached, or it does not run Gleaner.");
  }
}

/**
 * The same for a link to join: the page's own server first. An address in a link could lead a computer to somebody else's
 * server.
 */
export async function findOwnDeployment(
  location: Pick<Location, "origin" | "search">,
  get: typeof fetch,
  withinMs = answerWithinMs,
): Promise<Found> {
  const own = await findDeployment({ origin: location.origin, search: "" }, get, withinMs);
  return own.kind === "found" ? own : await findDeployment(location, get, withinMs);
}

/** Convex Cloud serves HTTP actions on a separate host name. Other deployments keep theirs. */
export function apiBaseOf(deploymentUrl: string): string {
  return deploymentUrl.replace(/\.convex\.cloud$/, ".convex.site");
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, "");
}

function failed(message: string): Found {
  return { kind: "failed", message };
}
