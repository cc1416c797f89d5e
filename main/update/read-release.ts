import { parseJson } from "../../app/json.ts";
import {
  type Release,
  releaseClaim,
  type ReleaseTarget,
  signedRelease,
} from "../../app/signatures/release.ts";
import { isSigned } from "../is-signed.ts";

/**
 * The release in a file of the update server. Null if this key did not sign it, or if it is for other computers or another
 * channel: a server cannot offer an early version as a stable one.
 */
export function readRelease(text: string, key: string, target: ReleaseTarget): Release | null {
  const signed = signedRelease.safeParse(parseJson(text));
  if (!signed.success) return null;
  const { statement, signature } = signed.data;
  if (!isSigned(key, signature, statement)) return null;
  const claim = releaseClaim.safeParse(parseJson(statement));
  if (!claim.success) return null;
  const [, , release] = claim.data;
  const { channel, platform, arch } = target;
  const fits = release.channel === channel && release.platform === platform && release.arch === arch;
  return fits ? release : null;
}
