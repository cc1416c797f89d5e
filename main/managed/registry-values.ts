import { parseJson } from "../../app/json.ts";
import { rules } from "../../app/policy/rules.ts";
import { none } from "./without-none.ts";

type RegistryValue = { readonly kind: string; readonly data: string };

/**
 * The settings in what `reg query KEY /s` prints: the key's own values, and those of its subkey `rules`. The registry has
 * numbers and texts only, so each value is read by the kind of its setting.
 */
export function settingsInRegistry(text: string): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  const rulesFound: Record<string, unknown> = {};
  let key = "";
  for (const line of text.split(/\r?\n/)) {
    if (line.startsWith("HKEY_")) key = line.trim().toLowerCase();
    const [, name, kind, data = ""] = /^ {4}(.+?) {4}(REG_\w+)(?: {4}(.*))?$/.exec(line) ?? [];
    if (name === undefined || kind === undefined) continue;
    if (key.endsWith("\\policies\\gleaner")) settings[name] = plainValue({ kind, data });
    else if (key.endsWith("\\policies\\gleaner\\rules")) rulesFound[name] = ruleValue(name, { kind, data });
  }
  return Object.keys(rulesFound).length === 0 ? settings : { ...settings, rules: rulesFound };
}

/** A number is a switch: no setting beside the rules is a number. */
function plainValue({ kind, data }: RegistryValue): unknown {
  if (kind === "REG_DWORD") return Number(data) === 0 ? false : Number(data) === 1 ? true : Number(data);
  return data;
}

function ruleValue(name: string, { kind, data }: RegistryValue): unknown {
  if (kind === "REG_SZ" && data === none) return null;
  const field = Object.hasOwn(rules, name) ? rules[name as keyof typeof rules].field : null;
  switch (field?.kind) {
    case "switch":
      return plainValue({ kind, data });
    case "number":
      if (kind !== "REG_DWORD") return data;
      // Whole percent stand for a share.
      return field.unit === "share" ? Number(data) / 100 : Number(data);
    case "names":
      return kind === "REG_MULTI_SZ" ? data.split("\\0").filter((each) => each !== "") : data;
    default:
      // The rules with several parts are JSON.
      return parseJson(data) ?? data;
  }
}
