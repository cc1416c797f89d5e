import type { Admission } from "../admission/admission.ts";
import { isUploadPath } from "../http/api/api-handler.ts";
import { type Listener, type ListenerOptions, openListener } from "../http/listen/listener.ts";
import { startingHandler } from "../http/listen/starting-handler.ts";
import { openTlsFiles } from "../http/listen/tls-files.ts";
import { describeError, silent } from "../operations/log.ts";
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
 * PortInUseError or
 * TlsFilesError.
 */
export async function openListeners(
  options: BackendOptions,
  admission: Admission,
  readiness: ReadinessProbe,
  shutdown: Shutdown,
): Promise<Listeners> {
  const { host = "127.0.0.1", log = silent } = options;
  const { refusals, turns } = admission;
  const perAddress = admission.limits.connectionsPerAddress;
  const onError = (error: unknown): void => log.error("tls.failed", { message: describeError(error) });
  const tls = options.tls === undefined ? null : openTlsFiles(options.tls, onError);
  if (tls !== null) shutdown.first(tls.close);
  type Port = Pick<ListenerOptions, "port" | "isUpload"> & { readonly isBehindProxy: boolean };
  const open = async ({ isBehindProxy, ...given }: Port): Promise<Listener> => {
    const starting = startingHandler(readiness);
    const bounds = { perAddress, isBehindProxy, refusals, turns };
    const listener = await openListener({ ...given, host, starting: starting.handle, bounds, tls });
    shutdown.first(starting.giveUp);
    shutdown.together(() => listener.close(graceMs));
    const serve: Listener["serve"] = (next) => {
      listener.serve(next);
      starting.handOver(next);
    };
    return { ...listener, serve };
  };
  const { publicUrl, publicSiteUrl } = options;
  const api = await open({
    port: options.port,
    isUpload: isUploadPath,
    isBehindProxy: publicUrl !== undefined,
  });
  const site = await open({ port: options.sitePort, isBehindProxy: publicSiteUrl !== undefined });
  const urlAt = (port: number): string => localUrl(host, port, tls !== null);
  return { api, site, url: urlAt(api.port), siteUrl: urlAt(site.port) };
}
