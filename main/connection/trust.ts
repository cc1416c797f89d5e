import * as z from "zod";
import { type StartSentence, startSentence } from "../../app/contract/sentences/start-sentences.ts";
import { isLoopback } from "../../app/join-command.ts";
import { type Pin, pin } from "./pin.ts";

/** How a program makes sure that it talks to its backend, and that nobody listens. */
export const trust = z.object({
  /** The backend's key. Null if the system's authorities vouch for its certificate. */
  pin: pin.nullable(),
  /** Allows `http://` to another computer. */
  insecureHttp: z.boolean(),
});

export type Trust = Readonly<z.output<typeof trust>>;

/** The arguments of a start. */
export type GivenTrust = {
  readonly url: string;
  readonly pin: Pin | null;
  readonly insecureHttp: boolean;
  /** Whether an enrollment code was given. */
  readonly hasCode: boolean;
  /** The person wants to join again, as a new device. */
  readonly rejoin: boolean;
};

type TrustDecision =
  | { readonly kind: "trust"; readonly trust: Trust }
  /** The person follows an invitation to a backend with another key. The device becomes a new one there. */
  | { readonly kind: "join-anew"; readonly trust: Trust }
  | { readonly kind: "refused"; readonly sentence: StartSentence };

/**
 * Decides how a donor trusts the backend at `url`.
 * @param stored the trust with which this device enrolled; null before.
 */
export function decideTrust(given: GivenTrust, stored: Trust | null): TrustDecision {
  const wanted = {
    pin: given.pin ?? stored?.pin ?? null,
    insecureHttp: given.insecureHttp || stored?.insecureHttp === true,
  };
  if (given.rejoin && !given.hasCode)
    return { kind: "refused", sentence: startSentence("rejoin-needs-code") };
  // Nobody in the network can intercept loopback. The pin stays for the network.
  if (stored !== null && given.pin === null && isPlainLoopback(given.url))
    return { kind: "trust", trust: stored };
  const why = refusalOfUrl(given.url, wanted);
  if (why !== null) return { kind: "refused", sentence: why };
  if (stored === null || stored.pin === null || stored.pin === wanted.pin)
    return { kind: "trust", trust: wanted };
  if (given.hasCode) return { kind: "join-anew", trust: wanted };
  return { kind: "refused", sentence: startSentence("key-replaced", stored.pin, wanted.pin ?? "") };
}

/** Why a program may not connect to the URL, and what to do. Null if it may. */
export function refusalOfUrl(url: string, { pin: pinned, insecureHttp }: Trust): StartSentence | null {
  const { protocol, origin } = new URL(url);
  if (protocol === "https:") return null;
  if (pinned !== null) return startSentence("pin-needs-tls", origin);
  if (insecureHttp || isPlainLoopback(url)) return null;
  return startSentence("plain-http", origin);
}

function isPlainLoopback(url: string): boolean {
  const { protocol, origin } = new URL(url);
  return protocol === "http:" && isLoopback(origin);
}
