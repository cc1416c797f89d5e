import type { ESTree, Rule } from "@oxlint/plugins";

const message = "Give it a deadline: fetchPinned (launch/core/pinned-fetch.ts), or a `signal`.";

/**
 * Lint's rule that refuses a `fetch` without a `signal`, since its own time limits are minutes. `fetch(...args)` passes a call
 * on, with the caller's signal. Convex's HTTP client uses `fetch` unless it gets another one.
 */
export const callDeadlines: Rule = {
  create(context) {
    const check = (option: string) => (node: ESTree.Node) => {
      if (node.type !== "CallExpression" && node.type !== "NewExpression") return;
      const [first, options] = node.arguments;
      if (first?.type === "SpreadElement" || names(options, option)) return;
      context.report({ node, message });
    };
    const owners = "/^(window|globalThis|self)$/";
    return {
      "CallExpression[callee.name='fetch']": check("signal"),
      [`CallExpression[callee.object.name=${owners}][callee.property.name='fetch']`]: check("signal"),
      "NewExpression[callee.name='ConvexHttpClient']": check("fetch"),
    };
  },
};

function names(options: ESTree.Argument | undefined, name: string): boolean {
  if (options?.type !== "ObjectExpression") return false;
  return options.properties.some(
    (each) => each.type === "Property" && each.key.type === "Identifier" && each.key.name === name,
  );
}
