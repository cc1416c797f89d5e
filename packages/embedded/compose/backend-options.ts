import type { GivenLimits } from "../admission/anonymous-limits.ts";
import type { TlsOptions } from "../http/listen/tls-files.ts";
import type { StaticFolder } from "../http/site/static-path.ts";
import type { Log } from "../operations/log.ts";
import type { Latency } from "../runtime/syscalls/services.ts";

export type BackendOptions = {
  /** The folder with the functions. */
  readonly convexDir: string;
  /** The SQLite file; its folder must exist. */
  readonly dataFile: string;
  /** Address to listen on; loopback by default. */
  readonly host?: string;
  /** 0 picks a free port. */
  readonly port: number;
  readonly sitePort: number;
  /** Serves both ports with TLS. Programs on this machine may still connect without it, over loopback. */
  readonly tls?: TlsOptions;
  /** Public origins of the API and the site, if a proxy is in front; by default the addresses listened on. */
  readonly publicUrl?: string;
  readonly publicSiteUrl?: string;
  readonly adminKey: string;
  /** Defaults for the functions' `process.env`. The admin's variables override them. */
  readonly env?: { readonly [name: string]: string };
  /**
   * Whether the backend starts without functions if these cannot be loaded with the present environment variables, and loads
   * them when variables change. True by default; otherwise the start fails.
   */
  readonly waitsForVariables?: boolean;
  /** Mutations that run before any client is answered, such as `file:function`. Each runs until it no longer returns true. */
  readonly onStart?: readonly string[];
  readonly staticFolders?: readonly StaticFolder[];
  /** Largest stored file in bytes; 2 GiB by default. */
  readonly maxFileBytes?: number;
  /** Limits for clients without a user's token or the admin key, where they differ from the defaults. */
  readonly anonymousLimits?: GivenLimits;
  /** WebSockets in all; 20,000 by default. */
  readonly maxConnections?: number;
  /** Host names to answer to on loopback besides loopback's own, such as a proxy's. */
  readonly allowedHosts?: readonly string[];
  /** Artificial delays; none by default. */
  readonly latency?: Latency;
  readonly log?: Log;
  /** Whether to log the `message` of a ConvexError's data. Only for apps whose messages never quote their callers. */
  readonly logRefusals?: boolean;
  /** Called once when the data file could not be written. The backend can answer nothing more. */
  readonly onFailed?: (error: Error) => void;
  /** Closes and restarts this backend for a restore. Without it, restores are refused. */
  readonly restart?: (restoreId: string) => void;
};

export type Backend = {
  /** The address for programs on this machine. */
  readonly url: string;
  readonly siteUrl: string;
  readonly adminKey: string;
  /** Resolves when the functions are loaded: at once, unless they wait for environment variables. */
  readonly loaded: Promise<void>;
  readonly close: () => Promise<void>;
};
