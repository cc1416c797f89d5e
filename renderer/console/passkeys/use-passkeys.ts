import { startAuthentication, startRegistration } from "@simplewebauthn/browser";
import type { ConvexReactClient } from "convex/react";
import type { FunctionArgs, FunctionReturnType } from "convex/server";
import { api } from "../../../convex/_generated/api.js";

type Passkeys = typeof api.console.access.passkeys;
type Assertion = FunctionArgs<Passkeys["signIn"]>["assertion"];
type Registration = FunctionArgs<Passkeys["add"]>["registration"];

/** The console's address, to which passkeys belong. */
export const thisPage = (): string => window.location.origin + window.location.pathname;

/** Lets the device make a passkey. Rejects if its user does not want to. */
export async function makePasskey(options: FunctionReturnType<Passkeys["beginAdd"]>): Promise<Registration> {
  const { id, response } = await startRegistration({ optionsJSON: options });
  const { clientDataJSON, attestationObject, transports = [] } = response;
  return { id, clientDataJSON, attestationObject, transports };
}

/** Lets the device sign a new challenge with a passkey for this address. Rejects if its user does not want to. */
export async function signWithPasskey(client: Pick<ConvexReactClient, "action">): Promise<Assertion> {
  const optionsJSON = await client.action(api.console.access.passkeys.begin, { page: thisPage() });
  const { id, response } = await startAuthentication({ optionsJSON });
  const { clientDataJSON, authenticatorData, signature, userHandle = null } = response;
  return { id, clientDataJSON, authenticatorData, signature, userHandle };
}

/** Words for a device that made or used no passkey. Null for errors of others. */
export function deviceErrorWords(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { name } = error;
  if (name === "InvalidStateError") return "This device has a passkey for your account already.";
  return name === "NotAllowedError" || name === "AbortError"
    ? "The device used no passkey: it has none for this address, or you canceled."
    : null;
}
