import { defineSchema } from "convex/server";
import { auditTables } from "./schema/audit.ts";
import { batchTables } from "./schema/batches.ts";
import { deviceTables } from "./schema/devices.ts";
import { fleetTables } from "./schema/fleet.ts";
import { keyTables } from "./schema/keys.ts";
import { ledgerTables } from "./schema/ledger.ts";
import { modelTables } from "./schema/models.ts";
import { peopleTables } from "./schema/people.ts";
import { policyTables } from "./schema/policies.ts";
import { requestTables } from "./schema/requests.ts";
import { signInTables } from "./schema/signIn.ts";
import { trustTables } from "./schema/trust.ts";
import { usageTables } from "./schema/usage.ts";
import { webhookTables } from "./schema/webhooks.ts";

/**
 * Every table names its writers. Jobs, attempts and workers are in the queue's own tables. Rows that change often, such as
 * pending entries, are kept apart from rows that clients subscribe to. Each row of an organization has its `organizationId`.
 */
export default defineSchema({
  ...peopleTables,
  ...signInTables,
  ...keyTables,
  ...requestTables,
  ...deviceTables,
  ...modelTables,
  ...policyTables,
  ...batchTables,
  ...ledgerTables,
  ...trustTables,
  ...usageTables,
  ...fleetTables,
  ...webhookTables,
  ...auditTables,
});
