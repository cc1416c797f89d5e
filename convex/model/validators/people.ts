import { v } from "convex/values";
import { literals } from "convex-helpers/validators";
import { type Language, languages } from "../../../app/format/languages.ts";
import { mailSecurities } from "../../../app/people/mail.ts";
import { rights } from "../../../app/people/rights.ts";
import { roles } from "../../../app/people/roles.ts";
import { secondFactorRules } from "../../../app/people/second-factor.ts";
import { signInMethods } from "../../../app/people/sign-in-methods.ts";

export const role = literals(...roles);

export const language = literals(...(Object.keys(languages) as Language[]));

/** To whom a key or a device belongs: a member or a team. */
export const owner = v.union(v.id("members"), v.id("teams"));

/** A row of the table who may do what. */
export const right = literals(...rights);

/** How a member proves who they are. */
export const signInMethod = literals(...signInMethods);

export const secondFactorRule = literals(...secondFactorRules);

/** How an organization sends mails, but for the password. */
export const mailSettings = v.object({
  host: v.string(),
  port: v.number(),
  security: literals(...mailSecurities),
  /** Empty: the server asks for no sign-in. */
  user: v.string(),
  /** The sender's address. */
  from: v.string(),
});

/** How an OpenID provider of an organization is used, but for its secret. */
export const providerSettings = v.object({
  /** The words on the button: "Sign in with …". */
  name: v.string(),
  issuer: v.string(),
  clientId: v.string(),
  scopes: v.string(),
  /** The claim with the groups or roles of a person. */
  groupsClaim: v.string(),
  /** The roles of a group's people. The group "*" means everybody. */
  groups: v.array(v.object({ group: v.string(), roles: v.array(role) })),
  /** The domains of addresses that may sign in. None: all. */
  emailDomains: v.array(v.string()),
  /** Whether people become members by their first sign-in. Otherwise only members may sign in. */
  admitsUnknown: v.boolean(),
  /** Whether its addresses count as verified although it does not say so. */
  trustsEmail: v.boolean(),
  enabled: v.boolean(),
});
