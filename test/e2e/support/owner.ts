import { ConvexHttpClient } from "convex/browser";
import { api } from "../../../convex/_generated/api.js";
import type { Farm } from "../../../launch/farm/farm.ts";
import { makeSecret } from "../../../launch/organization/secrets.ts";

/** A member of an organization who may do everything there. */
export async function ownerOf(farm: Farm, organizationId: Farm["organization"]["organizationId"]) {
  const client = new ConvexHttpClient(farm.backend.url, { logger: false });
  const [token, session] = [await farm.setup.makeSignInToken(organizationId), makeSecret("gs_")];
  await client.mutation(api.console.account.signIn, { token, session });
  const idOf = async (name: string) => {
    const paginationOpts = { numItems: 50, cursor: null };
    const { page } = await client.query(api.console.devices.list, { session, paginationOpts });
    return page.find((device) => device.name === name)!.deviceId;
  };
  return {
    deviceNamed: async (name: string) =>
      await client.query(api.console.devices.get, { session, deviceId: await idOf(name) }),
    retire: async (name: string) => {
      await client.mutation(api.console.devices.retire, { session, deviceId: await idOf(name) });
    },
    /** Sets a rule of all devices and locks it. Only the first policy of an organization can be set so. */
    lock: async (rule: string, value: boolean) => {
      const rules = { values: { [rule]: value }, locked: [rule] };
      await client.mutation(api.console.policy.save, { session, group: "", baseVersion: 0, rules });
    },
  };
}
