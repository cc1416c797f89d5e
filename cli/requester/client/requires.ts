import { needsText, parseNeeds } from "../../../app/keys/parse-needs.ts";
import type { DeviceNeeds } from "../../../app/keys/requirements.ts";
import { CommandError, exitUsage } from "../../command/command.ts";

/** The option for what a device must have, in the form of the API's header. */
export const requiresOption = { requires: { type: "string" } } as const;

export const requiresUsage = `  --requires NEEDS       what the device must have: "group=lab&tag=eu&gpu=yes&memory=16&vram=8&data-class=medical", or some of
                         these. In quotes, as a shell takes & for its own. Your key must allow it (docs/api.md, Requirements)`;

/** Throws a CommandError for wrong requirements. Whether the key may have them, the server says. */
export function parseRequires(text = ""): DeviceNeeds {
  const needs = parseNeeds(text);
  if (typeof needs === "string") throw new CommandError(`--requires ${needs}.`, exitUsage);
  return needs;
}

/** The header of a call with these requirements. */
export function requiresHeader(needs: DeviceNeeds): Readonly<Record<string, string>> {
  const text = needsText(needs);
  return text === "" ? {} : { "gleaner-requires": text };
}
