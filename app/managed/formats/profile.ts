import { isRecord } from "../../json.ts";
import { none } from "../without-none.ts";
import { element, type Xml, xmlDocument } from "./xml.ts";

/** The domain of the program's preferences on macOS: the id of its bundle. */
export const preferencesDomain = "org.gleaner.desktop";

/**
 * A configuration profile for macOS, for a management of devices to install.
 * @param settings as in managed.json.
 * @param random 32 random bytes for its two UUIDs.
 */
export function configurationProfile(
  settings: Readonly<Record<string, unknown>>,
  random: Uint8Array,
): string {
  const common = { PayloadVersion: 1, PayloadOrganization: "Gleaner" };
  const content = {
    ...settings,
    ...common,
    PayloadType: preferencesDomain,
    PayloadIdentifier: `${preferencesDomain}.managed.settings`,
    PayloadUUID: uuidOf(random.subarray(16, 32)),
    PayloadDisplayName: "Gleaner",
  };
  const profile = {
    ...common,
    PayloadType: "Configuration",
    PayloadScope: "System",
    PayloadIdentifier: `${preferencesDomain}.managed`,
    PayloadUUID: uuidOf(random.subarray(0, 16)),
    PayloadDisplayName: "Gleaner",
    PayloadDescription: "The settings of Gleaner on this computer.",
    PayloadContent: [content],
  };
  const doctype =
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n';
  return xmlDocument(element("plist", { version: "1.0" }, [propertyOf(profile)]), doctype);
}

/** A UUID of version 4. */
function uuidOf(bytes: Uint8Array): string {
  const hex = Array.from(bytes, (byte, at) =>
    (at === 6 ? (byte & 0x0f) | 0x40 : at === 8 ? (byte & 0x3f) | 0x80 : byte).toString(16).padStart(2, "0"),
  ).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/** A value of a property list. */
function propertyOf(value: unknown): Xml {
  if (typeof value === "boolean") return element(String(value));
  if (typeof value === "number")
    return element(Number.isInteger(value) ? "integer" : "real", {}, String(value));
  if (Array.isArray(value)) return element("array", {}, value.map(propertyOf));
  if (isRecord(value)) {
    const entries = Object.entries(value).flatMap(([name, each]) => [
      element("key", {}, name),
      propertyOf(each),
    ]);
    return element("dict", {}, entries);
  }
  return element("string", {}, typeof value === "string" ? value : none);
}
