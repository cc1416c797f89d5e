import { verifyAuthenticationResponse, verifyRegistrationResponse } from "@simplewebauthn/server";
import { type Infer, v } from "convex/values";
import { refuse } from "../refuse.ts";
import { base64urlOf, bytesOf } from "../signatures.ts";

/** ES256 and RS256, which all devices between them speak. */
const algorithms = [-7, -257];
const maxChars = 20_000;
const timeoutMs = 5 * 60_000;

/** The fields of a new passkey that the server reads, each in base64url. */
export const registration = v.object({
  id: v.string(),
  clientDataJSON: v.string(),
  attestationObject: v.string(),
  transports: v.array(v.string()),
});

/** The fields of a signature that the server reads, each in base64url. */
export const assertion = v.object({
  id: v.string(),
  clientDataJSON: v.string(),
  authenticatorData: v.string(),
  signature: v.string(),
  userHandle: v.union(v.string(), v.null()),
});

/** The options of the browser's function that makes a passkey. The device must check its user, so that it is both factors. */
export function registrationOptions(
  origin: string,
  challenge: string,
  user: { readonly id: string; readonly name: string; readonly displayName: string },
  known: readonly string[],
) {
  return {
    rp: { id: relyingParty(origin), name: "Gleaner" },
    user: { ...user, id: base64urlOf(new TextEncoder().encode(user.id)) },
    challenge,
    pubKeyCredParams: algorithms.map((alg) => ({ alg, type: "public-key" as const })),
    timeout: timeoutMs,
    attestation: "none" as const,
    excludeCredentials: known.map((id) => ({ id, type: "public-key" as const })),
    authenticatorSelection: {
      residentKey: "required" as const,
      requireResidentKey: true,
      userVerification: "required" as const,
    },
  };
}

/** The same to sign with one. The browser offers the passkeys that it has for this address. */
export function assertionOptions(origin: string, challenge: string) {
  return {
    rpId: relyingParty(origin),
    challenge,
    timeout: timeoutMs,
    userVerification: "required" as const,
  };
}

/** A passkey belongs to a domain. An IP address has none. Refuses: invalid. */
function relyingParty(origin: string): string {
  const { hostname } = new URL(origin);
  if (/^[\d.]+$|^\[/.test(hostname))
    refuse("invalid", "Passkeys need a name as the address, such as localhost.");
  return hostname;
}

/** The challenge that a browser says it has signed. Refuses: invalid. */
export function challengeIn(clientDataJSON: string): string {
  try {
    const text = new TextDecoder().decode(bytesOf(clientDataJSON.slice(0, maxChars)));
    const { challenge } = JSON.parse(text) as { readonly challenge?: unknown };
    if (typeof challenge === "string" && challenge.length <= 100) return challenge;
  } catch {
    // Refused below.
  }
  return refuse("invalid", "The passkey’s answer cannot be read.");
}

/** The key of a new passkey, if its device checked its user. Refuses: invalid. */
export async function verifiedRegistration(
  given: Infer<typeof registration>,
  expected: { readonly origin: string; readonly challenge: string },
): Promise<{ credentialId: string; publicKey: string; counter: number; transports: string[] }> {
  const { id, clientDataJSON, attestationObject, transports } = given;
  try {
    if (attestationObject.length > maxChars) throw new Error("too large");
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: {
        id,
        rawId: id,
        type: "public-key",
        response: { clientDataJSON, attestationObject },
        clientExtensionResults: {},
      },
      expectedChallenge: expected.challenge,
      expectedOrigin: expected.origin,
      expectedRPID: relyingParty(expected.origin),
      requireUserVerification: true,
      supportedAlgorithmIDs: [...algorithms],
    });
    if (!verified) throw new Error("not verified");
    const { credential } = registrationInfo;
    return {
      credentialId: credential.id,
      publicKey: base64urlOf(credential.publicKey),
      counter: credential.counter,
      transports: transports.slice(0, 10).map((transport) => transport.slice(0, 30)),
    };
  } catch (error) {
    console.error(`A passkey was refused: ${error instanceof Error ? error.message : "unknown error"}`);
    return refuse("invalid", "This passkey could not be checked. Try again.");
  }
}

/** The passkey's counter after a signature. Null: it is not of this passkey, or its device did not check its user. */
export async function verifiedCounter(
  given: Infer<typeof assertion>,
  passkey: { readonly publicKey: string; readonly memberId: string },
  expected: { readonly origin: string; readonly challenge: string },
): Promise<number | null> {
  const { id, clientDataJSON, authenticatorData, signature, userHandle } = given;
  const owner = base64urlOf(new TextEncoder().encode(passkey.memberId));
  if (userHandle !== null && userHandle !== owner) return null;
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: {
        id,
        rawId: id,
        type: "public-key",
        response: { clientDataJSON, authenticatorData, signature },
        clientExtensionResults: {},
      },
      expectedChallenge: expected.challenge,
      expectedOrigin: expected.origin,
      expectedRPID: relyingParty(expected.origin),
      // The transaction that notes the use checks the counter, and tells a copy from a wrong signature.
      credential: { id, publicKey: bytesOf(passkey.publicKey), counter: 0 },
      requireUserVerification: true,
    });
    return verified ? authenticationInfo.newCounter : null;
  } catch (error) {
    console.error(`A passkey was refused: ${error instanceof Error ? error.message : "unknown error"}`);
    return null;
  }
}
