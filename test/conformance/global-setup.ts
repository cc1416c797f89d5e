import { startIssuer } from "../../packages/embedded/auth/issuer.fixture.ts";
import { startEmbedded } from "./embedded-backend.ts";

/**
 * The suite runs against the deployment that CONVEX_URL, CONVEX_SITE_URL and CONVEX_ADMIN_KEY name, with
 * the test app pushed to it; without them against an embedded backend of its own.
 */
export async function setup(): Promise<() => Promise<void>> {
  const { env } = process;
  if (env["CONVEX_URL"] !== undefined) return () => Promise.resolve();
  const issuer = await startIssuer();
  const backend = await startEmbedded({ issuer: issuer.url });
  env["CONFORMANCE_STARTED_ITS_OWN"] = "yes";
  env["CONVEX_URL"] = backend.url;
  env["CONVEX_SITE_URL"] = backend.siteUrl;
  env["CONVEX_ADMIN_KEY"] = backend.adminKey;
  env["FIXTURE_ISSUER"] = issuer.url;
  return async () => {
    await backend.stop();
    await issuer.stop();
  };
}
