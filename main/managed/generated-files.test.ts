import { DOMParser } from "@xmldom/xmldom";
import plist from "plist";
import { describe, expect, it } from "vitest";
import { groupPolicy } from "../../app/managed/formats/group-policy.ts";
import { configurationProfile } from "../../app/managed/formats/profile.ts";
import { registryFile } from "../../app/managed/formats/registry-file.ts";
import { managedFieldNames, managedFile, readManagedSettings } from "../../app/managed/managed-settings.ts";
import { withoutNone } from "../../app/managed/without-none.ts";
import { ruleNames } from "../../app/policy/rules.ts";
import { settingsInRegistry } from "./registry-values.ts";

const settings = managedFile.parse({
  server: "https://gleaner.example.org:3210",
  pin: `sha256:${"ab".repeat(32)}`,
  code: "GLN-7K2M-9QXD-4WHT",
  requireKeychain: true,
  rules: {
    startAtLogin: true,
    idleAfterSeconds: 300,
    maxOtherCpuLoad: 0.4,
    maxTemperatureC: null,
    excludedPrograms: ['a "quoted" & <odd> name', "Größe"],
    requiredNetworks: [],
    idle: { threads: null, gpu: false, memoryMb: 4_096 },
    schedule: [{ days: [6, 0], fromMinute: 0, toMinute: 1_440 }],
  },
});

const random = Uint8Array.from({ length: 32 }, (_, at) => at * 7);

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe("a configuration profile", () => {
  it("has for Apple's parser the settings of the file", () => {
    const parsed = plist.parse(configurationProfile(settings, random)) as Record<string, unknown>;
    expect(parsed).toMatchObject({
      PayloadType: "Configuration",
      PayloadUUID: expect.stringMatching(uuid) as string,
      PayloadVersion: 1,
    });
    const [payload] = parsed["PayloadContent"] as Record<string, unknown>[];
    expect(payload).toMatchObject({
      PayloadType: "org.gleaner.desktop",
      PayloadUUID: expect.stringMatching(uuid) as string,
    });
    const own = Object.entries(payload!).filter(([name]) => !name.startsWith("Payload"));
    expect(withoutNone(Object.fromEntries(own))).toEqual(settings);
  });
});

describe("a registry file", () => {
  it("writes what the program reads back", () => {
    const read = settingsInRegistry(registryFile(settings));
    expect(read).toEqual(settings);
    expect(readManagedSettings(read)).toMatchObject({ kind: "read", ignored: [] });
  });
});

describe("the templates of group policies", () => {
  const { admx, adml } = groupPolicy();
  const [settingsOf, words] = [parse(admx), parse(adml)];
  const policies = all(settingsOf, "policy");

  it("have a policy for each setting and each rule", () => {
    expect(policies.map((policy) => policy.getAttribute("name"))).toEqual([
      ...managedFieldNames,
      ...ruleNames,
    ]);
  });

  it("have words for each name that they use, and no others", () => {
    const used = [...admx.matchAll(/\$\(string\.(\w+)\)/g)].map(([, id]) => id);
    expect(idsOf(words, "string").toSorted()).toEqual([...new Set(used)].toSorted());
    const shown = [...admx.matchAll(/\$\(presentation\.(\w+)\)/g)].map(([, id]) => id);
    expect(idsOf(words, "presentation")).toEqual(shown);
  });

  it("have categories that exist, and a control for each value", () => {
    const categories = all(settingsOf, "category").map((each) => each.getAttribute("name"));
    for (const policy of policies) {
      const name = policy.getAttribute("name");
      expect(categories).toContain(all(policy, "parentCategory")[0]?.getAttribute("ref"));
      const [elements] = all(policy, "elements");
      if (elements === undefined) {
        expect(policy.getAttribute("valueName")).toBe(name);
        expect(children(policy)).toEqual(["parentCategory", "supportedOn", "enabledValue", "disabledValue"]);
        continue;
      }
      expect(children(policy)).toEqual(["parentCategory", "supportedOn", "elements"]);
      const value = Array.from(elements.childNodes).find((node) => node.nodeType === 1) as Element;
      expect(value.getAttribute("valueName")).toBe(name);
      const presentation = all(words, "presentation").find((each) => each.getAttribute("id") === name);
      const [control] = all(presentation!, controls[value.tagName] ?? "");
      expect(control?.getAttribute("refId")).toBe(name);
      // By Microsoft's schema this one has no text, so a text stands before it.
      if (control?.tagName === "multiTextBox") expect(control.textContent).toBe("");
    }
  });

  it("offer only values that the program accepts", () => {
    for (const item of all(settingsOf, "enum")) {
      const name = item.getAttribute("valueName") ?? "";
      for (const value of all(item, "value")) {
        const [number] = all(value, "decimal");
        const written =
          number === undefined
            ? `"${value.textContent.trim()}"`
            : `dword:${Number(number.getAttribute("value")).toString(16).padStart(8, "0")}`;
        const raw = settingsInRegistry(
          `[HKEY_LOCAL_MACHINE\\SOFTWARE\\Policies\\Gleaner\\rules]\n"${name}"=${written}`,
        );
        expect(Object.keys(raw["rules"] as object)).toEqual([name]);
        expect(readManagedSettings(raw)).toMatchObject({ kind: "read", ignored: [] });
      }
    }
    expect(all(settingsOf, "enum").length).toBeGreaterThan(0);
  });
});

/** The control that Microsoft's editor shows for each kind of value. */
const controls: Readonly<Record<string, string>> = {
  text: "textBox",
  multiText: "multiTextBox",
  decimal: "decimalTextBox",
  enum: "dropdownList",
};

function parse(xml: string): Document {
  return new DOMParser({
    errorHandler: (_level: string, message: unknown) => {
      throw new Error(String(message));
    },
  }).parseFromString(xml, "text/xml");
}

function all(node: Document | Element, name: string): Element[] {
  return Array.from(node.getElementsByTagName(name));
}

function idsOf(node: Document, name: string): (string | null)[] {
  return all(node, name).map((each) => each.getAttribute("id"));
}

function children(node: Element): string[] {
  return Array.from(node.childNodes).flatMap((each) =>
    each.nodeType === 1 ? [(each as Element).tagName] : [],
  );
}
