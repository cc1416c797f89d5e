import { allowsLocalSources } from "./source-connection.ts";

/** An organization's mirror for `hf:` sources, in place of Hugging Face. */
const mirrorVariable = "GLEANER_HF_MIRROR";

/**
 * The address of a catalog source. Null for `bundled` and for addresses that may not be fetched.
 * @param environment may contain a mirror in GLEANER_HF_MIRROR.
 */
export function sourceUrl(source: string, environment: NodeJS.ProcessEnv): URL | null {
  const localSources = allowsLocalSources(environment);
  if (!source.startsWith("hf:")) return fetchable(source, localSources);
  const [user, repository, ...file] = source.slice("hf:".length).split("/");
  if (user === undefined || repository === undefined || file.length === 0) return null;
  const base = environment[mirrorVariable] ?? "https://huggingface.co";
  const path = [user, repository, "resolve", "main", ...file].map(encodeURIComponent).join("/");
  return fetchable(`${base.replace(/\/+$/, "")}/${path}`, localSources);
}

/**
 * Requires TLS.
 * @param localSources for tests: allows plain HTTP from this machine's loopback.
 */
export function fetchable(address: string, localSources: boolean): URL | null {
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  if (url.username !== "" || url.password !== "") return null;
  if (url.protocol === "https:") return url;
  return localSources && url.protocol === "http:" && loopback.has(url.hostname) ? url : null;
}

const loopback = new Set(["127.0.0.1", "localhost", "[::1]"]);
