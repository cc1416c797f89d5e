/** Ids of OpenAI's objects, as its API shows them: with a prefix for their kind. */
const prefixes = {
  file: "file-",
  batch: "batch_",
  upload: "upload_",
  part: "part_",
  response: "resp_",
  /** A call of several jobs. */
  call: "jobs_",
} as const;
type Kind = keyof typeof prefixes;

export function shownId(kind: Kind, id: string): string {
  return `${prefixes[kind]}${id}`;
}

/** The id without its prefix, as the backend stores it. Empty, which is no id, for any other text. */
export function storedId(kind: Kind, shown: string): string {
  return shown.startsWith(prefixes[kind]) ? shown.slice(prefixes[kind].length) : "";
}

/** Milliseconds since the epoch in whole seconds, as in OpenAI's objects. */
export function unixSeconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
