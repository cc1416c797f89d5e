/** An element of an XML document, as text. */
export type Xml = string & { readonly xml: true };

/** An element with its attributes and its content: elements, or text, which is escaped. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>> = {},
  content: readonly Xml[] | string = [],
): Xml {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`);
  const inside =
    typeof content === "string"
      ? escaped(content)
      : content.length === 0
        ? ""
        : `\n${content.map(indented).join("\n")}\n`;
  return `<${name}${written.join("")}${inside === "" ? "/>" : `>${inside}</${name}>`}` as Xml;
}

/** A document of one element. Windows' and Apple's tools expect the declaration. */
export function xmlDocument(root: Xml, doctype = ""): string {
  return `<?xml version="1.0" encoding="utf-8"?>\n${doctype}${root}\n`;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  // As an entity it survives the indentation.
  "\n": "&#10;",
};

/** Leaves out the control characters that XML cannot have. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uFFFF]/g, "")
    .replaceAll(/[&<>"\n]/g, (character) => entities[character] ?? "");
}
