import type { Infer } from "convex/values";
import { recoveryHash } from "../secondFactor/recoveryCodes.ts";
import type { givenCode } from "../secondFactor/stored.ts";
import { stepOf } from "../secondFactor/totp.ts";
import { unseal } from "./sealed.ts";

export const secretPurpose = "second factor";

/** Understands a typed code, in actions only: they load the cipher. Null: it is no code of this secret. */
export async function readCode(
  sealedSecret: string,
  typed: string,
  now: number,
): Promise<Infer<typeof givenCode> | null> {
  const code = typed.replace(/\s/g, "");
  if (/^\d{6}$/.test(code)) {
    const step = stepOf(unseal(sealedSecret, secretPurpose), code, now);
    return step === null ? null : { kind: "step", step };
  }
  const hash = await recoveryHash(typed.slice(0, 100));
  return hash === null ? null : { kind: "recovery", hash };
}
