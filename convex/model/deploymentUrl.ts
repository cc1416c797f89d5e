import { isLoopback } from "../../app/join-command.ts";

/**
 * The deployment's URL for the sender of a request. A loopback name means the sender's own machine, so it is replaced by the
 * host that the request was sent to, with TLS if the request came with it.
 * @param cloudUrl the URL that Convex gives its functions.
 */
export function deploymentUrlFor(requestUrl: string, cloudUrl: string | undefined): string {
  const asked = new URL(requestUrl);
  if (cloudUrl === undefined) return asked.origin;
  const url = new URL(cloudUrl);
  if (isLoopback(url.origin)) {
    if (!isLoopback(asked.origin)) url.hostname = asked.hostname;
    if (asked.protocol === "https:") url.protocol = asked.protocol;
  }
  return url.origin;
}
