import { type Node, visitorKeys } from "oxc-parser";

/** The node and all nodes within it, in the order of the text. */
export function nodesOf(node: Node): readonly Node[] {
  return [node, ...childrenOf(node).flatMap(nodesOf)];
}

/** The nodes directly within the node. */
export function childrenOf(node: Node): readonly Node[] {
  const fields = node as unknown as Readonly<Record<string, Node | readonly (Node | null)[] | null>>;
  return (visitorKeys[node.type] ?? []).flatMap((key) => fields[key] ?? []).filter((each) => each !== null);
}

/** The text of a string or of a template without values; undefined for any other node. */
export function textOf(node: Node | undefined): string | undefined {
  if (node?.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node?.type !== "TemplateLiteral" || node.expressions.length > 0) return undefined;
  return node.quasis[0]?.value.cooked ?? undefined;
}
