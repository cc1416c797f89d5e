import { type Infer, v } from "convex/values";

declare const process: {
  readonly env: { readonly GLEANER_JOIN_URL?: string; readonly GLEANER_JOIN_PIN?: string };
};

export const joinAddress = v.object({
  /** The backend's address for other computers; null if it is the one that its clients use. */
  url: v.union(v.string(), v.null()),
  /** The pin of the backend's own certificate; null if it has none. */
  pin: v.union(v.string(), v.null()),
});

/**
 * The address by which devices join, from the deployment's variables GLEANER_JOIN_URL and GLEANER_JOIN_PIN. It becomes a part
 * of a command, so a malformed value counts as missing.
 */
export function joinAddressOf(): Infer<typeof joinAddress> {
  const { GLEANER_JOIN_URL: url = "", GLEANER_JOIN_PIN: pin = "" } = process.env;
  return {
    url: /^https?:\/\/[\w.[\]:-]+$/.test(url) ? url : null,
    pin: /^sha256:[0-9a-f]{64}$/.test(pin) ? pin : null,
  };
}
