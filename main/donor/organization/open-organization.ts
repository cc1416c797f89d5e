import { join } from "node:path";
import type { ConvexClient } from "convex/browser";
import { keyFingerprint } from "../../../app/signatures/catalog.ts";
import { backendWebSocket } from "../../connection/backend-web-socket.ts";
import type { Trust } from "../../connection/trust.ts";
import { errorName } from "../../log.ts";
import type { DonorOptions } from "../donor-options.ts";
import { CatalogTrust } from "./catalog-trust.ts";
import { identityFileName, type IdentityStore } from "./identity.ts";
import { connectOrganization, openClient, type Organization } from "./organization.ts";
import { ServerLink } from "./server-link.ts";
import { openTrustedIdentity } from "./trusted-identity.ts";

export type OpenedOrganization = {
  readonly identity: IdentityStore;
  /** How the device trusts the backend. */
  readonly backendTrust: Trust;
  readonly catalogTrust: CatalogTrust;
  readonly client: ConvexClient;
  readonly link: ServerLink;
  readonly organization: Organization;
};

/**
 * Opens the device's identity and connects to the backend that it may trust. Throws a StartRefusal if there is no such
 * backend, or if the identity's file cannot be used.
 */
export async function openOrganization({
  dataDir,
  backend,
  keyVault: vault,
  log,
}: Pick<DonorOptions, "dataDir" | "backend" | "keyVault" | "log">): Promise<OpenedOrganization> {
  const { identity, trust: backendTrust } = await openTrustedIdentity(
    join(dataDir, identityFileName),
    backend,
    { vault, log },
  );
  const catalogTrust = new CatalogTrust({
    pinned: () => identity.current().organizationKey,
    pin: (key) => {
      log("info", "organization-key.accepted", { key: keyFingerprint(key.publicKey), version: key.version });
      identity.pin(key).catch((error: unknown) => {
        log("error", "identity.not-saved", { error: errorName(error) });
      });
    },
    log,
  });
  const link = new ServerLink(log);
  // Over loopback, plain HTTP is allowed beside a pin.
  const pin = backend.url.startsWith("https:") ? backendTrust.pin : null;
  const client = openClient(
    backend.url,
    backendWebSocket(pin, (error) => link.seen(error)),
  );
  const organization = connectOrganization(client, identity.current(), catalogTrust, log);
  return { identity, backendTrust, catalogTrust, client, link, organization };
}
