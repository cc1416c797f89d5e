import { ConvexClient } from "convex/browser";

/** One WebSocket to the backend, that the client keeps open. */
export function connect(url: string, webSocketConstructor?: typeof WebSocket): ConvexClient {
  return new ConvexClient(url, {
    // A self-hosted deployment may have any address.
    skipConvexDeploymentUrlCheck: true,
    unsavedChangesWarning: false,
    logger: false,
    ...(webSocketConstructor === undefined ? {} : { webSocketConstructor }),
  });
}
