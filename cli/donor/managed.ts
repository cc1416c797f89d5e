import { randomBytes } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type * as z from "zod";
import { groupPolicy } from "../../app/managed/formats/group-policy.ts";
import { managedSchema } from "../../app/managed/formats/json-schema.ts";
import { configurationProfile } from "../../app/managed/formats/profile.ts";
import { registryFile } from "../../app/managed/formats/registry-file.ts";
import { managedFile } from "../../app/managed/managed-settings.ts";
import { withoutNone } from "../../app/managed/without-none.ts";
import { type FoundSettings, settingsOf } from "../../main/managed/find-settings.ts";
import { readManagedFile } from "../../main/managed/managed-file.ts";
import { readArguments, usageError } from "../command/arguments.ts";
import { CommandError, type Verb } from "../command/command.ts";
import { say, sayJson } from "../command/output.ts";
import { findManaged, refusalAsError } from "./find-managed.ts";

const usage = `gleaner managed [options]
Shows the managed settings of this computer, which its administrator gives by a group policy, a configuration profile or a
file, and names those that were not understood. docs/donor/managed.md describes them.
  --file FILE            check this file, such as a managed.json before it is rolled out
  --out FOLDER           write the templates gleaner.admx and en-US/gleaner.adml, and the JSON Schema managed.schema.json. With
                         --file, also write its settings for each system: gleaner.reg, gleaner.mobileconfig and managed.json
  --json                 print JSON
Exit codes: 0 all was understood; 1 something was not, or cannot be read; 2 wrong arguments.`;

const options = {
  file: { type: "string" },
  out: { type: "string" },
  json: { type: "boolean", default: false },
} as const;

export const managed: Verb = { usage, options, run };

async function run(args: readonly string[]): Promise<void> {
  const { values } = readArguments(args, options, usage);
  const { file, out, json } = values;
  if (out === undefined) {
    report(file === undefined ? await findManaged() : await inFile(file), json);
    return;
  }
  const written = await writeFiles(out, file === undefined ? null : await settingsForAll(file));
  if (json) sayJson({ written });
  else say(written.join("\n"));
}

async function inFile(file: string): Promise<FoundSettings> {
  const value = await valueIn(file);
  if (value === null) throw usageError(`${file} does not exist.`, usage);
  try {
    return { ...settingsOf({ source: file, value }), source: file };
  } catch (error) {
    return refusalAsError(error);
  }
}

function valueIn(file: string): Promise<unknown> {
  return readManagedFile(file, { ofRoot: false }).catch(refusalAsError);
}

function report({ settings, source, ignored }: FoundSettings, json: boolean): void {
  const { rules, ...fields } = settings;
  // The code is a secret of many computers, and a terminal is often shown to others.
  const atDefault = rules.locked.filter((name) => rules.values[name] === undefined);
  const shown = {
    ...fields,
    ...(fields.code === undefined ? {} : { code: "GLN-…" }),
    rules: {
      ...rules.values,
      ...Object.fromEntries(atDefault.map((name) => [name, "locked at its default"])),
    },
  };
  if (json) sayJson({ source, settings: shown, ignored });
  else if (source === null) say("This computer has no managed settings.");
  else say(`${source}\n${JSON.stringify(shown, null, 2)}`);
  if (ignored.length === 0) return;
  throw new CommandError(
    `Not understood: ${ignored.join(", ")}. docs/donor/managed.md has each setting with its bounds.`,
  );
}

/** The settings of a file that is written for other computers, so every one of them has to be right. */
async function settingsForAll(file: string): Promise<z.output<typeof managedFile>> {
  const value = await valueIn(file);
  const parsed = managedFile.safeParse(withoutNone(value ?? undefined));
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.map(({ path, message }) => `${path.join(".") || file}: ${message}`);
  throw new CommandError(`${wrong.join("\n")}\nNothing was written.`);
}

/** Returns the paths of the files that it wrote. */
async function writeFiles(folder: string, settings: z.output<typeof managedFile> | null): Promise<string[]> {
  const { admx, adml } = groupPolicy();
  const files: readonly (readonly [name: string, text: string])[] = [
    ["gleaner.admx", admx],
    ["en-US/gleaner.adml", adml],
    ["managed.schema.json", `${JSON.stringify(managedSchema(), null, 2)}\n`],
    ...(settings === null
      ? []
      : [
          ["managed.json", `${JSON.stringify(settings, null, 2)}\n`] as const,
          ["gleaner.reg", registryFile(settings)] as const,
          ["gleaner.mobileconfig", configurationProfile(settings, randomBytes(32))] as const,
        ]),
  ];
  for (const [name, text] of files) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    // They may contain an enrollment code.
    await writeFile(path, text, { mode: 0o600 });
  }
  return files.map(([name]) => join(folder, name));
}
