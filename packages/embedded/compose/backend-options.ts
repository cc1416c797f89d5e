import type { StaticFolder } from "../http/site/static-path.ts";
import type { Log } from "../operations/log.ts";
import type { Latency } from "../runtime/syscalls/services.ts";

export type BackendOptions = {
  /** The folder with the functions. */
  readonly convexDir: string;
  /** The SQLite file; its folder must exist. */
  readonly dataFile: string;
  /** Where to listen; loopback unless told otherwise. */
  readonly host?: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly sitePort: number;
  /** The API's and the site's origins as clients reach them, where a proxy is in front; else where they listen. */
  readonly publicUrl?: string;
  readonly publicSiteUrl?: string;
  readonly adminKey: string;
  /** What functions see as `process.env` where the deployment's admin has set nothing else. */
  readonly env?: { readonly [name: string]: string };
  readonly staticFolders?: readonly StaticFolder[];
  /** Of one stored file, in bytes; 2 GiB unless told otherwise. */
  readonly maxFileBytes?: number;
  /** Host names to answer to on loopback, besides loopback's own: those of a proxy in front. */
  readonly allowedHosts?: readonly string[];
  /** Waiting that is added on purpose; none unless told otherwise. */
  readonly latency?: Latency;
  readonly log?: Log;
  /** Called once when the data file could not be written: nothing can be answered any more. */
  readonly onFailed?: (error: Error) => void;
  /** Closes this backend and starts it again, for a restore; without it, none can be done while it runs. */
  readonly restart?: (restoreId: string) => void;
};

export type Backend = {
  /** Where it listens, for programs on this machine. */
  readonly url: string;
  readonly siteUrl: string;
  readonly adminKey: string;
  readonly close: () => Promise<void>;
};
