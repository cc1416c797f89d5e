import { randomUUID } from "node:crypto";
import { ConvexClient, ConvexHttpClient } from "convex/browser";
import { onTestFinished } from "vitest";

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") throw new Error(`${name} must be set along with CONVEX_URL`);
  return value;
}

/** The deployment under test: an embedded backend or a real one. */
export const deployment = {
  url: setting("CONVEX_URL"),
  siteUrl: setting("CONVEX_SITE_URL"),
  adminKey: setting("CONVEX_ADMIN_KEY"),
};

/** Whether the suite has started the deployment itself. */
export const isEmbedded = process.env["CONFORMANCE_STARTED_ITS_OWN"] === "yes";

/** Tests share the deployment, so each uses its own names. */
export function uniqueName(): string {
  return `t-${randomUUID()}`;
}

/** A method of the real clients that their types hide. */
type WithAdminAuth = { setAdminAuth(key: string, actingAs?: { subject: string; issuer: string }): void };

export function asAdmin<Client extends object>(
  client: Client,
  key = deployment.adminKey,
  subject?: string,
): Client {
  const admin = client as unknown as WithAdminAuth;
  if (subject === undefined) admin.setAdminAuth(key);
  else admin.setAdminAuth(key, { subject, issuer: "https://convex.test" });
  return client;
}

export function httpClient(): ConvexHttpClient {
  return new ConvexHttpClient(deployment.url, { logger: false });
}

/** A WebSocket client that is closed with its test. */
export function liveClient(url = deployment.url): ConvexClient {
  const client = new ConvexClient(url, { logger: false, unsavedChangesWarning: false });
  onTestFinished(() => client.close());
  return client;
}
