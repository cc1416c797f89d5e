#!/usr/bin/env node
import { runCommand } from "./command/run-command.ts";
import { donorVerbs } from "./donor/verbs.ts";
import { audit } from "./operator/audit.ts";
import { backup } from "./operator/backup.ts";
import { conflicts } from "./operator/conflicts.ts";
import { entry } from "./operator/entry.ts";
import { metricsToken } from "./operator/metrics-token.ts";
import { newOrganization } from "./operator/new-organization.ts";
import { queueSettings } from "./operator/queue-settings.ts";
import { restore } from "./operator/restore.ts";
import { makeSignInLink } from "./operator/sign-in-link.ts";

runCommand([
  ...donorVerbs,
  ["new-organization", newOrganization],
  ["sign-in-link", makeSignInLink],
  ["metrics-token", metricsToken],
  ["entry", entry],
  ["backup", backup],
  ["restore", restore],
  ["queue-settings", queueSettings],
  ["conflicts", conflicts],
  ["audit", audit],
]);
