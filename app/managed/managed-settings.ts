import * as z from "zod";
import { isJoinAddress } from "../join-command.ts";
import { isRecord } from "../json.ts";
import { noOrganizationRules, type OrganizationRules } from "../policy/rule-layers.ts";
import { readOrganizationRules, someRules } from "../policy/rule-schemas.ts";
import { type RuleName, ruleNames } from "../policy/rules.ts";

/** An address without its path, since only its origin is used. */
const server = z
  .url({ protocol: /^https?$/ })
  .max(300)
  .transform((url) => (/^https?:\/\/[^/?#]+/i.exec(url)?.[0] ?? url).toLowerCase())
  .refine(isJoinAddress);

/** The settings beside the rules, each with its bounds. The readers, the generated files and their words derive from them. */
export const managedFields = {
  server: {
    schema: server,
    title: "Server",
    hint: "The address of the organization's server, such as https://gleaner.example.org:3210. People then enter only a code.",
  },
  pin: {
    schema: z.string().regex(/^sha256:[0-9a-f]{64}$/),
    title: "Server's pin",
    hint: "sha256: and 64 hexadecimal digits: the server's own key. Needed unless an authority that this computer trusts signed its certificate.",
  },
  code: {
    schema: z.string().regex(/^GLN(?:-[0-9A-Z]{4}){3}$/),
    title: "Enrollment code",
    hint: "With it a computer joins without a click. Make one in the console, with as many uses as there are computers.",
  },
  insecureHttp: {
    schema: z.boolean(),
    title: "Allow plain HTTP",
    hint: "Allows a server whose address begins with http://. Anybody in the network can then read and change what is sent.",
  },
  requireKeychain: {
    schema: z.boolean(),
    title: "Require a keychain",
    hint: "Gleaner does not start where the system has no keychain to encrypt this computer's key.",
  },
} as const;

export type ManagedField = keyof typeof managedFields;

export const managedFieldNames = Object.keys(managedFields) as readonly ManagedField[];

type Fields = { readonly [Name in ManagedField]?: z.output<(typeof managedFields)[Name]["schema"]> };

/** The settings that an organization's own management of computers gives to Gleaner. Nobody at the computer can change them. */
export type ManagedSettings = Fields & {
  /** Rules for this computer. Each of them is locked. */
  readonly rules: OrganizationRules;
};

export const noManagedSettings: ManagedSettings = { rules: noOrganizationRules };

/** The whole file, for its JSON Schema. The reader below is more lenient. */
export const managedFile = z
  .object({
    ...(Object.fromEntries(
      managedFieldNames.map((name) => [name, managedFields[name].schema.optional()]),
    ) as {
      [Name in ManagedField]: z.ZodOptional<(typeof managedFields)[Name]["schema"]>;
    }),
    rules: someRules.optional(),
  })
  .strict();

type Read = {
  readonly settings: ManagedSettings;
  /** The settings that are unknown, or have a value out of bounds. */
  readonly ignored: readonly string[];
};

/**
 * Reads each setting by itself, so that one mistake, or a setting of a newer version, does not undo the others. A rule with a
 * value out of bounds is locked at its default. Null if this is no object.
 */
export function readManagedSettings(raw: unknown): Read | null {
  if (!isRecord(raw)) return null;
  const ignored: string[] = [];
  const fields: Partial<Record<ManagedField, unknown>> = {};
  for (const [name, value] of Object.entries(raw)) {
    if (name === "rules") continue;
    const parsed = isField(name) ? managedFields[name].schema.safeParse(value) : null;
    if (parsed?.success === true) fields[name as ManagedField] = parsed.data;
    else ignored.push(name);
  }
  const given = raw["rules"] ?? {};
  if (!isRecord(given)) ignored.push("rules");
  const values = isRecord(given) ? given : {};
  // With a code, a computer that left would join again at its next start.
  const rules = readOrganizationRules({
    values: { ...(fields.code === undefined ? {} : { allowLeave: false }), ...values },
    locked: [...(fields.code === undefined ? [] : ["allowLeave"]), ...Object.keys(values)],
  });
  ignored.push(
    ...Object.keys(values)
      .filter((name) => !isIn(rules, name))
      .map((name) => `rules.${name}`),
  );
  return { settings: { ...(fields as Fields), rules }, ignored };
}

function isField(name: string): name is ManagedField {
  return Object.hasOwn(managedFields, name);
}

function isIn({ values }: OrganizationRules, name: string): boolean {
  return (ruleNames as readonly string[]).includes(name) && values[name as RuleName] !== undefined;
}
