import { parseJson } from "../../app/json.ts";
import { managedFieldNames } from "../../app/managed/managed-settings.ts";
import { none } from "../../app/managed/without-none.ts";
import { ruleNames, ruleOf } from "../../app/policy/rules.ts";

type RegistryValue = number | string | readonly string[];

/**
 * The settings in a file that `reg export` wrote: the values of Gleaner's key, and those of its subkey `rules`. The registry
 * has numbers and texts only, so each rule is read by its kind. Names are those of the settings in any case, as in Windows.
 */
export function settingsInRegistry(text: string): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  const rules: Record<string, unknown> = {};
  let key = "";
  // A long value goes on in the next line after a backslash.
  for (const line of text.replaceAll(/\\\r?\n\s*/g, "").split(/\r?\n/)) {
    const header = /^\[(.+)\]$/.exec(line)?.[1];
    if (header !== undefined) key = header.toLowerCase();
    const [, quoted, written] = /^"((?:[^"\\]|\\.)*)"=(.*)$/.exec(line) ?? [];
    if (quoted === undefined || written === undefined) continue;
    const value = valueOf(written);
    if (key.endsWith("\\policies\\gleaner")) {
      const name = named(managedFieldNames, unescaped(quoted));
      settings[name] = isSwitch(value) ? value === 1 : value;
    } else if (key.endsWith("\\policies\\gleaner\\rules")) {
      const name = named(ruleNames, unescaped(quoted));
      rules[name] = ruleValue(name, value);
    }
  }
  return Object.keys(rules).length === 0 ? settings : { ...settings, rules };
}

/** A value of another kind stays as it is written, and is then refused as a wrong one. */
function valueOf(written: string): RegistryValue {
  const [, digits] = /^dword:([0-9a-f]{1,8})$/i.exec(written) ?? [];
  if (digits !== undefined) return Number.parseInt(digits, 16);
  const [, text] = /^"((?:[^"\\]|\\.)*)"$/.exec(written) ?? [];
  if (text !== undefined) return unescaped(text);
  const [, kind, bytes = ""] = /^hex\(([27])\):([0-9a-f,]*)$/i.exec(written) ?? [];
  if (kind === undefined) return written;
  const units = Buffer.from(bytes.replaceAll(",", ""), "hex").toString("utf16le").split("\0");
  const texts = units.filter((unit) => unit !== "");
  return kind === "7" ? texts : (texts[0] ?? "");
}

function ruleValue(name: string, value: RegistryValue): unknown {
  if (value === none) return null;
  const rule = ruleNames.find((each) => each === name);
  if (rule === undefined) return value;
  const { field } = ruleOf(rule);
  if (field.kind === "switch") return isSwitch(value) ? value === 1 : value;
  if (field.kind === "number") {
    // Whole percent stand for a share.
    return field.unit === "share" && typeof value === "number" ? value / 100 : value;
  }
  if (field.kind === "names" || typeof value !== "string") return value;
  // The rules with several parts are JSON.
  const parsed = parseJson(value);
  return parsed === undefined ? value : parsed;
}

function isSwitch(value: RegistryValue): value is 0 | 1 {
  return value === 0 || value === 1;
}

function named(known: readonly string[], name: string): string {
  return known.find((each) => each.toLowerCase() === name.toLowerCase()) ?? name;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, "$1");
}
