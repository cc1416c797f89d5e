import { type Field, type RuleSection, ruleSections } from "../../policy/declare/rule.ts";
import { type RuleName, ruleNames, ruleOf } from "../../policy/rules.ts";
import { managedFieldNames, managedFields } from "../managed-settings.ts";
import { none } from "../without-none.ts";
import { policyKey } from "./registry-file.ts";
import { element, type Xml, xmlDocument } from "./xml.ts";

/** Templates for Windows' group policies and Intune: the settings, and their words in English. */
export type GroupPolicy = { readonly admx: string; readonly adml: string };

const namespace = {
  "xmlns:xsd": "http://www.w3.org/2001/XMLSchema",
  "xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
  revision: "1.0",
  schemaVersion: "1.0",
  xmlns: "http://schemas.microsoft.com/GroupPolicy/2006/07/PolicyDefinitions",
};

/** One policy of the template. */
type Policy = {
  readonly name: string;
  readonly key: string;
  readonly category: string;
  readonly title: string;
  readonly help: string;
  readonly control: Control;
};

/** How its value is entered. */
type Control =
  | { readonly kind: "switch" }
  | { readonly kind: "text"; readonly mostCharacters: number }
  | { readonly kind: "lines" }
  | { readonly kind: "number"; readonly min: number; readonly max: number; readonly default: number }
  /** A text, or a whole number, and its words. */
  | {
      readonly kind: "choice";
      readonly items: readonly { readonly value: string | number; readonly words: string }[];
    };

/** Makes both files. Each setting and each rule is a policy whose value `settingsInRegistry` reads. */
export function groupPolicy(): GroupPolicy {
  const policies = [...fieldPolicies(), ...ruleNames.map(rulePolicy)];
  return { admx: admx(policies), adml: adml(policies) };
}

function fieldPolicies(): Policy[] {
  return managedFieldNames.map((name) => {
    const { title, hint } = managedFields[name];
    const isSwitch = name === "insecureHttp" || name === "requireKeychain";
    const control: Control = isSwitch ? { kind: "switch" } : { kind: "text", mostCharacters: 300 };
    return { name, key: policyKey, category: "joining", title, help: hint, control };
  });
}

function rulePolicy(name: RuleName): Policy {
  const rule = ruleOf(name);
  const { title, hint, section, field, say } = rule;
  const control = controlOf(field, rule.default, say as (value: unknown) => string);
  const format = control.kind === "text" ? " Its value is JSON, as in the file managed.json." : "";
  const unit = unitOf(field);
  return {
    name,
    key: `${policyKey}\\rules`,
    category: section,
    title: unit === "" ? title : `${title} (${unit})`,
    help: `${hint}${format} Its user cannot change it. If this is not configured, the organization’s rule in the console counts.`,
    control,
  };
}

/** The unit of a typed number. A chosen one has its unit in its words. */
function unitOf(field: Field): string {
  if (field.kind !== "number") return "";
  if (field.unit === "share") return "Percent";
  return field.optional ? "" : field.unit;
}

function controlOf(field: Field, standard: unknown, say: (value: unknown) => string): Control {
  switch (field.kind) {
    case "switch":
      return { kind: "switch" };
    case "names":
      return { kind: "lines" };
    case "number":
      if (field.optional) {
        // Group policies have no empty number, so one chooses from a list, in which a text stands for no limit.
        const items = field.choices.map((value) => ({ value: value ?? none, words: say(value) }));
        return { kind: "choice", items };
      }
      return numberControl(field, Number(standard));
    default:
      return { kind: "text", mostCharacters: 8_000 };
  }
}

/** A share is whole percent here. */
function numberControl({ unit, min, max }: Extract<Field, { kind: "number" }>, standard: number): Control {
  const scale = unit === "share" ? 100 : 1;
  return { kind: "number", min: min * scale, max: max * scale, default: Math.round(standard * scale) };
}

function admx(policies: readonly Policy[]): string {
  const categories = [
    element("category", { name: "gleaner", displayName: "$(string.category_gleaner)" }),
    ...categoryNames.map((name) =>
      element("category", { name, displayName: `$(string.category_${name})` }, [
        element("parentCategory", { ref: "gleaner" }),
      ]),
    ),
  ];
  return xmlDocument(
    element("policyDefinitions", namespace, [
      element("policyNamespaces", {}, [
        element("target", { prefix: "gleaner", namespace: "Gleaner.Policies" }),
      ]),
      element("resources", { minRequiredRevision: "1.0" }),
      element("supportedOn", {}, [
        element("definitions", {}, [
          element("definition", { name: "SUPPORTED_Gleaner", displayName: "$(string.SUPPORTED_Gleaner)" }),
        ]),
      ]),
      element("categories", {}, categories),
      element("policies", {}, policies.map(policyElement)),
    ]),
  );
}

/** Its children have the order that Microsoft's schema asks for. */
function policyElement(policy: Policy): Xml {
  const { name, control, category } = policy;
  const isSwitch = control.kind === "switch";
  return element(
    "policy",
    {
      name,
      class: "Machine",
      displayName: `$(string.${name})`,
      explainText: `$(string.${name}_help)`,
      ...(isSwitch ? {} : { presentation: `$(presentation.${name})` }),
      key: policy.key,
      ...(isSwitch ? { valueName: name } : {}),
    },
    [
      element("parentCategory", { ref: category }),
      element("supportedOn", { ref: "SUPPORTED_Gleaner" }),
      ...(isSwitch
        ? [
            element("enabledValue", {}, [element("decimal", { value: 1 })]),
            element("disabledValue", {}, [element("decimal", { value: 0 })]),
          ]
        : [element("elements", {}, [valueElement(name, control)])]),
    ],
  );
}

function valueElement(name: string, control: Exclude<Control, { kind: "switch" }>): Xml {
  const common = { id: name, valueName: name, required: "true" };
  switch (control.kind) {
    case "text":
      return element("text", { ...common, maxLength: control.mostCharacters });
    case "lines":
      return element("multiText", { id: name, valueName: name });
    case "number":
      return element("decimal", { ...common, minValue: control.min, maxValue: control.max });
    case "choice":
      return element(
        "enum",
        common,
        control.items.map(({ value }, index) =>
          element("item", { displayName: `$(string.${itemId(name, index)})` }, [
            element("value", {}, [
              typeof value === "number" ? element("decimal", { value }) : element("string", {}, value),
            ]),
          ]),
        ),
      );
  }
}

function adml(policies: readonly Policy[]): string {
  const strings: readonly (readonly [id: string, text: string])[] = [
    ["SUPPORTED_Gleaner", "Gleaner on Windows 10 or newer"],
    ["category_gleaner", "Gleaner"],
    ...categoryNames.map((name) => [`category_${name}`, categories[name]] as const),
    ...policies.flatMap(({ name, title, help, control }) => [
      [name, title] as const,
      [`${name}_help`, help] as const,
      ...(control.kind === "choice"
        ? control.items.map(({ words }, index) => [itemId(name, index), words] as const)
        : []),
    ]),
  ];
  const presentations = policies.flatMap(({ name, title, control }) =>
    control.kind === "switch"
      ? []
      : [element("presentation", { id: name }, controlElements(name, title, control))],
  );
  return xmlDocument(
    element("policyDefinitionResources", namespace, [
      element("displayName", {}, "Gleaner"),
      element("description", {}, "The settings of Gleaner on this computer."),
      element("resources", {}, [
        element(
          "stringTable",
          {},
          strings.map(([id, text]) => element("string", { id }, text)),
        ),
        element("presentationTable", {}, presentations),
      ]),
    ]),
  );
}

function controlElements(
  name: string,
  title: string,
  control: Exclude<Control, { kind: "switch" }>,
): readonly Xml[] {
  switch (control.kind) {
    case "text":
      return [element("textBox", { refId: name }, [element("label", {}, title)])];
    case "lines":
      return [element("text", {}, title), element("multiTextBox", { refId: name })];
    case "number":
      return [element("decimalTextBox", { refId: name, defaultValue: control.default }, title)];
    case "choice":
      return [element("dropdownList", { refId: name }, title)];
  }
}

const categories = { joining: "Joining an organization", ...ruleSections } as const satisfies Record<
  "joining" | RuleSection,
  string
>;
const categoryNames = Object.keys(categories) as readonly (keyof typeof categories)[];

function itemId(name: string, index: number): string {
  return `${name}_${String(index)}`;
}
