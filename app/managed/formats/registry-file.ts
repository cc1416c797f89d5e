import { isRecord } from "../../json.ts";
import { ruleNames, rules } from "../../policy/rules.ts";
import { none } from "../without-none.ts";

/** The settings' key among those of the computer. Only administrators can write there. */
export const policyKey = "SOFTWARE\\Policies\\Gleaner";

const key = `HKEY_LOCAL_MACHINE\\${policyKey}`;

/**
 * A file for Windows' `reg import`, for computers without group policies. It replaces all managed settings.
 * @param settings as in managed.json.
 */
export function registryFile(settings: Readonly<Record<string, unknown>>): string {
  const { rules: given = {}, ...fields } = settings;
  const lines = [
    "Windows Registry Editor Version 5.00",
    "",
    `[-${key}]`,
    "",
    `[${key}]`,
    ...Object.entries(fields).map(([name, value]) => line(name, value)),
  ];
  if (isRecord(given) && Object.keys(given).length > 0) {
    lines.push(
      "",
      `[${key}\\rules]`,
      ...Object.entries(given).map(([name, value]) => line(name, ruleValue(name, value))),
    );
  }
  return `${lines.join("\r\n")}\r\n`;
}

/** A share becomes whole percent, null the text "none", and a rule with several parts JSON. */
function ruleValue(name: string, value: unknown): unknown {
  if (value === null) return none;
  const rule = ruleNames.find((each) => each === name);
  const field = rule === undefined ? null : rules[rule].field;
  if (field?.kind === "number" && field.unit === "share" && typeof value === "number")
    return Math.round(value * 100);
  if (field?.kind === "names" || typeof value !== "object") return value;
  return JSON.stringify(value);
}

function line(name: string, value: unknown): string {
  return `"${quoted(name)}"=${written(value)}`;
}

function written(value: unknown): string {
  if (typeof value === "boolean") return `dword:0000000${value ? "1" : "0"}`;
  if (typeof value === "number") return `dword:${value.toString(16).padStart(8, "0")}`;
  if (Array.isArray(value)) return `hex(7):${multiString(value.map(String))}`;
  return `"${quoted(String(value))}"`;
}

function quoted(text: string): string {
  return text.replaceAll(/["\\]/g, (character) => `\\${character}`).replaceAll(/[\r\n]/g, " ");
}

/** REG_MULTI_SZ: UTF-16, little endian, each text and the whole ended by zero. */
function multiString(texts: readonly string[]): string {
  const whole = `${texts.map((text) => `${text}\0`).join("")}\0`;
  return Array.from({ length: whole.length }, (_, at) => whole.charCodeAt(at))
    .flatMap((unit) => [unit & 255, unit >> 8])
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join(",");
}
