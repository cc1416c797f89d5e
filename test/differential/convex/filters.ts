import type { Value } from "convex/values";
import type { Expression, Operand } from "./program.ts";

// oxlint-disable-next-line typescript/no-explicit-any
type Builder = any;

/** The callback of `.filter(…)` for an expression of a program. */
export function toFilter(
  expression: Expression,
  valueOf: (operand: Operand) => Value | undefined,
): (q: Builder) => Builder {
  const build = (q: Builder, each: Expression): Builder => {
    if ("field" in each) return q.field(each.field);
    if ("literal" in each) return valueOf(each.literal);
    if ("compare" in each) return q[each.compare](build(q, each.left), build(q, each.right));
    if ("calculate" in each) return q[each.calculate](build(q, each.left), build(q, each.right));
    if ("and" in each) return q.and(...each.and.map((one) => build(q, one)));
    if ("or" in each) return q.or(...each.or.map((one) => build(q, one)));
    if ("not" in each) return q.not(build(q, each.not));
    return q.neg(build(q, each.negative));
  };
  return (q) => build(q, expression);
}
