import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { readyLine, startLine } from "@gleaner/embedded/start-line";
import type { Pin } from "../../main/connection/pin.ts";
import { type Child, ChildFailed, startChild } from "../core/child.ts";
import { type DataFolder, readOrMakeDataKey, readOrMakeSecret, readSecret } from "../core/data-folder.ts";
import { paths } from "../core/paths.ts";
import { makeSecret } from "../organization/secrets.ts";
import { type Certificate, namesOfThisMachine, openCertificate } from "./certificate.ts";
import { backendFailure } from "./failure.ts";
import { publicName } from "./public-name.ts";

/**
 * Node's flags for the backend. The young generation is three times this size in MB. A smaller one copies the data of
 * waiting functions repeatedly. With 200 workers, half this size costs a seventh to a third more time. Memory at rest
 * is the same.
 */
export const backendFlags: readonly string[] = ["--max-semi-space-size=16"];

/**
 * Environment variables of the backend, which need less memory. Cached code makes the start faster, too, and takes no compiler,
 * which is 15 MB. With one arena, V8's compiler threads leave less unused memory to the C library: 5 to 9 MB. The C library
 * would keep the memory of large buffers, after files of 200 MB some 180 MB. It returns those of 64 KiB, which a read from a
 * socket takes, and larger ones.
 * @param cacheFolder for compiled code, unless the environment names one, as that of tests does.
 */
export function backendEnvironment(cacheFolder: string): NodeJS.ProcessEnv {
  const malloc = {
    MALLOC_ARENA_MAX: "1",
    MALLOC_MMAP_THRESHOLD_: String(64 * 1024),
    MALLOC_TRIM_THRESHOLD_: String(128 * 1024),
  };
  return { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? cacheFolder, ...malloc };
}

export type Backend = {
  readonly child: Child;
  /** The address for Convex clients on this machine. */
  readonly url: string;
  /** The key of `url`; null if that is plain HTTP on loopback. */
  readonly pin: Pin | null;
  /** The address of the HTTP actions: the OpenAI API, and the console. */
  readonly siteUrl: string;
  /** Both addresses for other computers. Equal to the above if other computers cannot connect. */
  readonly publicUrl: string;
  readonly publicSiteUrl: string;
  /** Whether other computers can connect. */
  readonly isReachable: boolean;
  /** The certificate of the public addresses; null without TLS. */
  readonly certificate: Certificate | null;
  readonly adminKey: string;
};

export type BackendOptions = {
  /** The address to listen on. */
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly sitePort: number;
  /** Lets other computers connect without TLS. */
  readonly insecureHttp?: boolean;
  /** Whether to serve the built console. */
  readonly console: boolean;
  /** Added to the backend's environment. */
  readonly env?: NodeJS.ProcessEnv;
  /** More flags of the embedded backend. */
  readonly flags?: readonly string[];
};

/** Starts the embedded backend on a data folder. Throws a LaunchError that says what to do. */
export async function startBackend(
  folder: DataFolder,
  adminKey: string,
  options: BackendOptions,
): Promise<Backend> {
  const { port, sitePort, host } = options;
  const name = publicName(host, networkInterfaces());
  const signingKey = await readOrMakeSecret(folder.signingKeyFile, () => makeSecret(""));
  const secretsKey = await readOrMakeSecret(folder.secretsKeyFile, () => makeSecret(""));
  const dataKey = await readOrMakeDataKey(folder.dataKeyFile, () => makeSecret(""));
  const previousDataKey = await readSecret(`${folder.dataKeyFile}.previous`);
  // During a rotation the key before signs the new one.
  const previousKey = await readSecret(`${folder.signingKeyFile}.previous`);
  const openOwnCertificate = (): Promise<Certificate> =>
    openCertificate(folder.tlsFolder, namesOfThisMachine(host));
  const certificate = name === null || options.insecureHttp === true ? null : await openOwnCertificate();
  const scheme = certificate === null ? "http" : "https";
  const joinUrl = name === null ? null : `${scheme}://${name}:${port}`;
  const child = await startChild({
    name: "backend",
    command: process.execPath,
    args: [
      ...backendFlags,
      paths.backendEntry,
      ...["--convex", paths.convex],
      ...["--data", folder.dataFile],
      ...["--host", host],
      ...["--port", String(port)],
      ...["--site-port", String(sitePort)],
      ...(certificate === null ? [] : ["--tls-cert", certificate.certFile, "--tls-key", certificate.keyFile]),
      ...["--pass-env", "GLEANER_SIGNING_KEY", "--pass-env", "GLEANER_SIGNING_KEY_PREVIOUS"],
      ...["--pass-env", "GLEANER_SECRETS_KEY", "--pass-env", "MODEL_HOSTS"],
      ...["--pass-env", "GLEANER_DATA_KEY", "--pass-env", "GLEANER_DATA_KEY_PREVIOUS"],
      ...["--pass-env", "WEBHOOK_HOSTS", "--pass-env", "CORS_ORIGINS"],
      ...["--pass-env", "GLEANER_CONSOLE_URL"],
      ...["--pass-env", "GLEANER_JOIN_URL", "--pass-env", "GLEANER_JOIN_PIN"],
      ...["--on-start", "maintenance:cancelCutOffCalls"],
      ...(options.console ? ["--static", `/console=${paths.console}`] : []),
      // People read its log, and the last lines are shown if it does not start.
      ...["--log-format", "text"],
      "--log-refusals",
      "--with-parent",
      ...(options.flags ?? []),
    ],
    env: {
      ...options.env,
      CONVEX_EMBEDDED_ADMIN_KEY: adminKey,
      GLEANER_SIGNING_KEY: signingKey,
      GLEANER_SIGNING_KEY_PREVIOUS: previousKey,
      GLEANER_SECRETS_KEY: secretsKey,
      GLEANER_DATA_KEY: dataKey,
      GLEANER_DATA_KEY_PREVIOUS: previousDataKey,
      // The console shows them with an enrollment code.
      GLEANER_JOIN_URL: joinUrl ?? "",
      GLEANER_JOIN_PIN: certificate?.pin ?? "",
      ...backendEnvironment(folder.compileCache),
    },
    logFile: join(folder.logFolder, "backend.log"),
    readyWithinMs: 60_000,
  }).catch((error: unknown) => {
    if (!(error instanceof ChildFailed)) throw error;
    throw backendFailure(startLine.safeParse(error.report).data ?? null, error.output, folder);
  });
  if (certificate !== null) {
    // The backend reads a changed certificate by itself. A failure is reported at the next start.
    const renewal = setInterval(() => void openOwnCertificate().catch(() => undefined), renewEveryMs).unref();
    void child.ended.then(() => clearInterval(renewal));
  }
  const { url, siteUrl } = readyLine.parse(child.ready);
  return {
    child,
    url,
    pin: certificate !== null && url.startsWith("https:") ? certificate.pin : null,
    siteUrl,
    publicUrl: joinUrl ?? url,
    publicSiteUrl: name === null ? siteUrl : `${scheme}://${name}:${sitePort}`,
    isReachable: name !== null,
    certificate,
    adminKey,
  };
}

const renewEveryMs = 24 * 3_600_000;
