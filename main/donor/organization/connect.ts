import { ConvexClient } from "convex/browser";

/** Opens one WebSocket to the backend. The client reconnects by itself. */
export function connect(url: string, webSocketConstructor?: typeof WebSocket): ConvexClient {
  return new ConvexClient(url, {
    // A self-hosted deployment can have any address.
    skipConvexDeploymentUrlCheck: true,
    unsavedChangesWarning: false,
    logger: false,
    ...(webSocketConstructor === undefined ? {} : { webSocketConstructor }),
  });
}
