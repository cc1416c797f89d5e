import { isUploadPath } from "../http/api/api-handler.ts";
import { closeServer } from "../http/listen/listen.ts";
import { type Listener, openListener } from "../http/listen/listener.ts";
import { startingHandler } from "../http/listen/starting-handler.ts";
import type { ReadinessProbe } from "../operations/readiness.ts";
import { localUrl } from "../wire/endpoint.ts";
import type { BackendOptions } from "./backend-options.ts";
import type { Shutdown } from "./shutdown.ts";

/** Time for running requests to finish when the backend stops, in ms. */
export const graceMs = 3_000;

export type Listeners = {
  readonly api: Listener;
  readonly site: Listener;
  /** The addresses for programs on this machine. */
  readonly url: string;
  readonly siteUrl: string;
};

/**
 * Binds both ports. Requests wait a while for the backend to be ready, then are told to retry. Rejects with
 * PortInUseError.
 */
export async function openListeners(
  options: BackendOptions,
  readiness: ReadinessProbe,
  shutdown: Shutdown,
): Promise<Listeners> {
  const { host = "127.0.0.1" } = options;
  const open = async (port: number, isUpload: (path: string) => boolean): Promise<Listener> => {
    const starting = startingHandler(readiness);
    const listener = await openListener({ host, port, starting: starting.handle, isUpload });
    shutdown.first(starting.giveUp);
    shutdown.together(() => closeServer(listener.server, graceMs));
    const serve: Listener["serve"] = (next) => {
      listener.serve(next);
      starting.handOver(next);
    };
    return { ...listener, serve };
  };
  const api = await open(options.port, isUploadPath);
  const site = await open(options.sitePort, () => false);
  return { api, site, url: localUrl(host, api.port), siteUrl: localUrl(host, site.port) };
}
