import type { FunctionArgs } from "convex/server";
import { type Role, roles } from "../../../app/people/roles.ts";
import type { api } from "../../../convex/_generated/api.js";

export type ProviderSettings = FunctionArgs<typeof api.console.access.singleSignOn.save>["settings"];

/** The settings as they are typed. */
export type ProviderForm = Omit<ProviderSettings, "groups" | "emailDomains"> & {
  readonly clientSecret: string;
  /** A line per group: "group: role, role". */
  readonly groups: string;
  readonly emailDomains: string;
};

export const emptyProvider: ProviderForm = {
  name: "",
  issuer: "",
  clientId: "",
  clientSecret: "",
  scopes: "openid email profile",
  groupsClaim: "groups",
  groups: "",
  emailDomains: "",
  admitsUnknown: true,
  trustsEmail: false,
  enabled: true,
};

export function formOf({ groups, emailDomains, ...settings }: ProviderSettings): ProviderForm {
  return {
    ...settings,
    clientSecret: "",
    groups: groups.map(({ group, roles: held }) => `${group}: ${held.join(", ")}`).join("\n"),
    emailDomains: emailDomains.join(", "),
  };
}

/** The settings; or a sentence about what cannot be read. */
export function settingsOf({
  clientSecret: _secret,
  groups,
  emailDomains,
  ...form
}: ProviderForm): ProviderSettings | string {
  const rules: ProviderSettings["groups"] = [];
  for (const line of groups.split("\n").filter((each) => each.trim() !== "")) {
    // Names of groups may contain colons.
    const at = line.lastIndexOf(":");
    if (at < 1) return `Write each group as “group: role, role”. This line has no colon: ${line.trim()}`;
    const held = rolesIn(line.slice(at + 1));
    if (typeof held === "string") return held;
    rules.push({ group: line.slice(0, at).trim(), roles: held });
  }
  return { ...form, groups: rules, emailDomains: emailDomains.split(/[\s,]+/).filter((each) => each !== "") };
}

function rolesIn(text: string): Role[] | string {
  const names = text
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "");
  const unknown = names.find((name) => !roles.some((role) => role === name));
  if (unknown !== undefined) return `“${unknown}” is no role. The roles are ${roles.join(", ")}.`;
  return roles.filter((role) => names.includes(role));
}
