import { type Role, roles } from "./roles.ts";

/** The group that everybody is in. */
export const everybody = "*";

export type GroupRoles = { readonly group: string; readonly roles: readonly Role[] };

/** The roles that somebody in these groups has, in their usual order. Keycloak may write "/group" for "group". */
export function rolesOfGroups(rules: readonly GroupRoles[], groups: readonly string[]): Role[] {
  const held = new Set([everybody, ...groups.map((group) => group.replace(/^\//, ""))]);
  const given = rules.filter(({ group }) => held.has(group.replace(/^\//, ""))).flatMap((rule) => rule.roles);
  return roles.filter((role) => given.includes(role));
}

/** Why somebody whom a provider knows may not sign in, in the console's words. */
const words = {
  "no-role": "None of your groups has a role here. Ask an administrator which group you need.",
  "too-many-groups":
    "You are in more groups than your provider sends. Ask an administrator to use app roles instead of groups.",
  unknown: "You are no member of this organization yet. Ask an administrator for an invitation.",
  "no-address":
    "Your provider did not send an e-mail address. Ask an administrator to allow the scope “email”.",
  "unverified-address": "Your provider has not verified your e-mail address.",
  "claimed-address":
    "A member has set your e-mail address without a proof that it is theirs. Ask an administrator to confirm it on the page People.",
  domain: "Your e-mail address is of another domain than those that may sign in.",
  removed: "An administrator removed you from this organization.",
  provider: "The provider did not confirm your sign-in. Try again.",
} as const;

export type SsoRefusal = keyof typeof words;

/** The words for a reason in an address, which may be of any text. */
export function ssoRefusalWords(reason: string): string {
  return Object.hasOwn(words, reason) ? words[reason as SsoRefusal] : words.provider;
}
