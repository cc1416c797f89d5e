import type { ESTree, Rule } from "@oxlint/plugins";

/** A pattern of code that lint refuses: a selector of syntax nodes, as in ESLint, and the reason. */
export type Restriction = { readonly selector: string; readonly message: string };

/** Lint's rule that refuses what the selectors in its options match. */
export const restrictedSyntax: Rule = {
  meta: { schema: false },
  create(context) {
    const restrictions = context.options as unknown as readonly Restriction[];
    return Object.fromEntries(
      restrictions.map(({ selector, message }) => [
        selector,
        (node: ESTree.Node) => context.report({ node, message }),
      ]),
    );
  },
};
