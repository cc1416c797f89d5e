import * as z from "zod";
import { isJoinAddress } from "../join-command.ts";
import { isRecord } from "../json.ts";
import { noOrganizationRules, type OrganizationRules } from "../policy/rule-layers.ts";
import { readOrganizationRules, someRules } from "../policy/rule-schemas.ts";
import { type RuleName, ruleNames } from "../policy/rules.ts";

/** An address without its path and without a default port, since only its origin is used. */
const server = z
  .url({ protocol: /^https?$/, error: "has to be an address, such as https://gleaner.example.org:3210" })
  .max(300)
  .transform((url) => {
    const origin = (/^https?:\/\/[^/?#]+/i.exec(url)?.[0] ?? url).toLowerCase();
    return origin.replace(origin.startsWith("https:") ? /:443$/ : /:80$/, "");
  })
  .refine(
    isJoinAddress,
    "has to be an address of ASCII letters. Write the form with xn-- of a name with others",
  );

/** Capital letters and colons between the bytes are allowed, as browsers show fingerprints. */
const pin = z
  .string()
  .max(200)
  .transform((text) =>
    text
      .trim()
      .toLowerCase()
      .replace(/^sha256:/, "")
      .replaceAll(":", ""),
  )
  .pipe(z.string().regex(/^[0-9a-f]{64}$/, "has to be sha256: and 64 hexadecimal digits"))
  .transform((hex) => `sha256:${hex}`);

const code = z
  .string()
  .max(50)
  .transform((text) => text.trim().toUpperCase())
  .pipe(z.string().regex(/^GLN(?:-[0-9A-Z]{4}){3}$/, "has to be a code like GLN-7K2M-9QXD-4WHT"));

const yesOrNo = z.boolean("has to be true or false");

/** The file of the settings on Linux. Only root can write it. */
export const linuxSettingsFile = "/etc/gleaner/managed.json";

/** The settings beside the rules, each with its bounds. The readers, the generated files and their words derive from them. */
export const managedFields = {
  server: {
    schema: server,
    title: "Server",
    hint: "The address of the organization's server, such as https://gleaner.example.org:3210. People then enter only a code.",
  },
  pin: {
    schema: pin,
    title: "Server's pin",
    hint: "sha256: and 64 hexadecimal digits: the server's own key. Needed unless an authority that this computer trusts signed its certificate.",
  },
  code: {
    schema: code,
    title: "Enrollment code",
    hint: "With it a computer joins without a click. Make one in the console, with as many uses as there are computers.",
  },
  insecureHttp: {
    schema: yesOrNo,
    title: "Allow plain HTTP",
    hint: "Allows a server whose address begins with http://. Anybody in the network can then read and change what is sent.",
  },
  requireKeychain: {
    schema: yesOrNo,
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

type Read =
  | {
      readonly kind: "read";
      readonly settings: ManagedSettings;
      /** Settings that are unknown, and rules whose value is out of bounds. */
      readonly ignored: readonly string[];
    }
  /** Each is a sentence about a known setting. Without that setting, more would be allowed than the administrator wants. */
  | { readonly kind: "wrong"; readonly problems: readonly string[] };

/**
 * Reads the settings as they were found. An unknown one, perhaps of a newer version, is left out. A rule with a value out of
 * bounds is locked at its default. Other wrong values are refused.
 */
export function readManagedSettings(raw: unknown): Read {
  if (!isRecord(raw)) return { kind: "wrong", problems: ["The settings have to be an object."] };
  const { rules: given = {}, ...others } = raw;
  const ignored: string[] = [];
  const problems: string[] = [];
  const fields: Partial<Record<ManagedField, unknown>> = {};
  for (const [name, value] of Object.entries(others)) {
    if (!isField(name)) {
      ignored.push(name);
      continue;
    }
    const parsed = managedFields[name].schema.safeParse(value);
    if (parsed.success) fields[name] = parsed.data;
    else problems.push(`${name} ${parsed.error.issues[0]?.message ?? "has a wrong value"}.`);
  }
  if (!isRecord(given)) problems.push("rules has to be an object with a value for each rule.");
  if (problems.length > 0 || !isRecord(given)) return { kind: "wrong", problems };
  const rules = readOrganizationRules({ values: given, locked: Object.keys(given) });
  ignored.push(
    ...Object.keys(given)
      .filter((name) => !isIn(rules, name))
      .map((name) => `rules.${name}`),
  );
  return { kind: "read", settings: { ...(fields as Fields), rules }, ignored };
}

function isField(name: string): name is ManagedField {
  return Object.hasOwn(managedFields, name);
}

function isIn({ values }: OrganizationRules, name: string): boolean {
  return (ruleNames as readonly string[]).includes(name) && values[name as RuleName] !== undefined;
}
