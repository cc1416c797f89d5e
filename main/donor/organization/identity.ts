import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Log } from "../../log.ts";
import { loadJson, saveJson } from "../../store/json-file.ts";

/** The device's identity. Only the backend gets the key, and it stores a hash. */
export type Identity = {
  readonly deviceKey: string;
  readonly enrollment: { readonly deviceId: string; readonly organizationName: string } | null;
};

const identityFile = z.object({
  version: z.literal(1),
  deviceKey: z.string().regex(/^gd_[A-Za-z0-9_-]{43}$/),
  /** Files of earlier versions have this spelling. */
  enrolment: z
    .object({ deviceId: z.string().min(1).max(200), organizationName: z.string().max(500) })
    .nullable(),
});

export type IdentityStore = {
  readonly current: () => Identity;
  readonly setEnrollment: (enrollment: Identity["enrollment"]) => Promise<void>;
};

/** Reads the device's key or creates one of 256 random bits. It is on disk (mode 0600) before its first use. */
export async function openIdentity(path: string, log: Log): Promise<IdentityStore> {
  const loaded = await loadJson(path, identityFile);
  if (loaded.kind === "corrupt") log("error", "identity.corrupt", { movedTo: loaded.movedTo });
  let identity: Identity =
    loaded.kind === "loaded"
      ? { deviceKey: loaded.value.deviceKey, enrollment: loaded.value.enrolment }
      : { deviceKey: `gd_${randomBytes(32).toString("base64url")}`, enrollment: null };
  const save = (): Promise<void> => {
    const { deviceKey, enrollment: enrolment } = identity;
    return saveJson(path, { version: 1, deviceKey, enrolment });
  };
  if (loaded.kind !== "loaded") await save();
  return {
    current: () => identity,
    setEnrollment: async (enrollment) => {
      if (JSON.stringify(enrollment) === JSON.stringify(identity.enrollment)) return;
      identity = { ...identity, enrollment };
      await save();
    },
  };
}
