/** The preferences of a request about its answer, from its `Prefer` header (RFC 7240). */
export type Preference = {
  /** Whether the call may end before its job: it then answers with the job. */
  readonly respondAsync: boolean;
  /** The longest wait for the answer, in ms. Null: as long as a call may wait. */
  readonly waitMs: number | null;
};

const longestHeader = 1_000;

/** Other and malformed preferences are ignored, and the first of two with one name counts, as the standard asks. */
export function parsePrefer(header: string): Preference {
  const values = new Map<string, string>();
  for (const preference of header.slice(0, longestHeader).split(",")) {
    const [pair = ""] = preference.split(";");
    const [name = "", value = ""] = pair.split("=").map((part) => part.trim());
    const known = name.toLowerCase();
    if (!values.has(known)) values.set(known, value.replace(/^"(.*)"$/, "$1"));
  }
  const wait = values.get("wait") ?? "";
  return {
    respondAsync: values.has("respond-async"),
    waitMs: /^\d{1,6}$/.test(wait) ? 1_000 * Number(wait) : null,
  };
}
