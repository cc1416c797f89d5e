/** A model's file on a server. `source`: as the catalog stores it. */
export type ModelLink = { readonly url: string; readonly source: string; readonly file: string };

const hub = "huggingface.co";
/** The other hosts that serve the hub's files. */
const defaultHosts: readonly string[] = [hub, "*.huggingface.co", "*.hf.co"];

/** Hosts from which the backend reads models: the hub's, unless the operator names others. "*." allows subdomains. */
export function hostsFrom(setting: string | undefined): readonly string[] {
  const named = (setting ?? "").split(/[\s,]+/).filter((host) => host !== "");
  return named.length === 0 ? defaultHosts : named.map((host) => host.toLowerCase());
}

/** Whether the backend may call this address: over https, at the usual port, without a password, on a named host. */
export function isAllowed(url: URL, hosts: readonly string[]): boolean {
  if (url.protocol !== "https:" || url.port !== "" || url.username !== "" || url.password !== "")
    return false;
  return hosts.some((host) =>
    host.startsWith("*.") ? url.hostname.endsWith(host.slice(1)) : url.hostname === host,
  );
}

/**
 * Reads a link to a GGUF file: of the hub's page or its download, `hf:user/repository/file`, `user/repository/file`, or
 * another address. Null if it is none.
 */
export function parseModelLink(typed: string): ModelLink | null {
  const link = typed.trim();
  if (link.length > 2_000) return null;
  const short = /^(?:hf:)?([\w.-]+)\/([\w.-]+)\/([^?#\s]+\.gguf)$/i.exec(link);
  if (short !== null) return onHub(short[1] ?? "", short[2] ?? "", "main", short[3] ?? "");
  if (!URL.canParse(link)) return null;
  const url = new URL(link);
  const path = decoded(url.pathname);
  if (url.protocol !== "https:" || path === null || !/\.gguf$/i.test(path)) return null;
  const page = /^\/([\w.-]+)\/([\w.-]+)\/(?:resolve|blob)\/([^/]+)\/(.+)$/.exec(path);
  if (url.hostname === hub && page !== null)
    return onHub(page[1] ?? "", page[2] ?? "", page[3] ?? "", page[4] ?? "");
  return { url: url.href, source: url.href, file: path.slice(path.lastIndexOf("/") + 1) };
}

/** A repository on the hub. `url`: tells its files. */
export type Repository = { readonly name: string; readonly revision: string; readonly url: string };

/** Reads a link to a repository: of the hub's page, `hf:user/repository`, or `user/repository`. Null if it is none. */
export function parseRepository(typed: string): Repository | null {
  const link = typed.trim();
  if (link.length > 2_000) return null;
  const short = /^(?:hf:)?([\w.-]+)\/([\w.-]+)$/.exec(link);
  if (short !== null) return repositoryOf(short[1] ?? "", short[2] ?? "", "main");
  if (!URL.canParse(link)) return null;
  const url = new URL(link);
  const path = decoded(url.pathname);
  if (url.protocol !== "https:" || url.hostname !== hub || path === null) return null;
  const page = /^\/([\w.-]+)\/([\w.-]+)(?:\/tree\/([^/]+))?\/?$/.exec(path);
  return page === null ? null : repositoryOf(page[1] ?? "", page[2] ?? "", page[3] ?? "main");
}

function repositoryOf(user: string, repository: string, revision: string): Repository | null {
  if ([user, repository].some((part) => /^\.+$/.test(part))) return null;
  const name = `${user}/${repository}`;
  const tree = `tree/${encodeURIComponent(revision)}?recursive=true`;
  return { name, revision, url: `https://${hub}/api/models/${name}/${tree}` };
}

/** The link to a file of a repository, as somebody would type it. */
export function linkInto({ name, revision }: Repository, path: string): string {
  if (revision === "main") return `${name}/${path}`;
  const escaped = path.split("/").map(encodeURIComponent).join("/");
  return `https://${hub}/${name}/blob/${encodeURIComponent(revision)}/${escaped}`;
}

function onHub(user: string, repository: string, revision: string, path: string): ModelLink | null {
  if (path.split("/").some((part) => part === "" || part === "." || part === "..")) return null;
  const escaped = path.split("/").map(encodeURIComponent).join("/");
  const url = `https://${hub}/${user}/${repository}/resolve/${encodeURIComponent(revision)}/${escaped}`;
  const file = path.slice(path.lastIndexOf("/") + 1);
  // Devices resolve the short form on the main branch.
  return { url, source: revision === "main" ? `hf:${user}/${repository}/${path}` : url, file };
}

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
