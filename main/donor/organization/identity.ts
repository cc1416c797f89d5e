import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Log } from "../../log.ts";
import { loadJson, saveJson } from "../../store/json-file.ts";

/** The device's identity. Only the backend gets the key, and it stores a hash. */
export type Identity = {
  readonly deviceKey: string;
  readonly enrolment: Enrolment | null;
};

export type Enrolment = { readonly deviceId: string; readonly organizationName: string };

const identityFile = z.object({
  version: z.literal(1),
  deviceKey: z.string().regex(/^gd_[A-Za-z0-9_-]{43}$/),
  enrolment: z
    .object({ deviceId: z.string().min(1).max(200), organizationName: z.string().max(500) })
    .nullable(),
});

export type IdentityStore = {
  readonly current: () => Identity;
  readonly setEnrolment: (enrolment: Enrolment | null) => Promise<void>;
};

/** Reads the device's key or creates one of 256 random bits. It is on disk (mode 0600) before its first use. */
export async function openIdentity(path: string, log: Log): Promise<IdentityStore> {
  const loaded = await loadJson(path, identityFile);
  if (loaded.kind === "corrupt") log("error", "identity.corrupt", { movedTo: loaded.movedTo });
  let identity: Identity =
    loaded.kind === "loaded"
      ? { deviceKey: loaded.value.deviceKey, enrolment: loaded.value.enrolment }
      : { deviceKey: `gd_${randomBytes(32).toString("base64url")}`, enrolment: null };
  const save = (): Promise<void> => saveJson(path, { version: 1, ...identity });
  if (loaded.kind !== "loaded") await save();
  return {
    current: () => identity,
    setEnrolment: async (enrolment) => {
      if (JSON.stringify(enrolment) === JSON.stringify(identity.enrolment)) return;
      identity = { ...identity, enrolment };
      await save();
    },
  };
}
