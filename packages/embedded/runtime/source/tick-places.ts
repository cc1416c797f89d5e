import type { AnyNode, Expression, Function, Node } from "acorn";

/** The place of a function's tick: at a position between statements, or before a value. */
export type Place = { readonly at: number } | { readonly value: Expression };

/** The place before all that a function does. */
export function startOf({ body }: Function): Place {
  return body.type === "BlockStatement"
    ? { at: afterDirectives(body.body, body.start + 1) }
    : { value: body };
}

/** Returns the position after the directives. "use strict" has no effect if other code precedes it. */
export function afterDirectives(body: readonly AnyNode[], start: number): number {
  let at = start;
  for (const statement of body) {
    if (statement.type !== "ExpressionStatement" || statement.directive === undefined) break;
    at = statement.end;
  }
  return at;
}

/**
 * The last place in a function before which nothing takes long; null if nothing does. So a recursion pays only for calls that
 * go deeper.
 */
export function placeBeforeLongCode({ body }: Function, mayTakeLong: (code: Node) => boolean): Place | null {
  if (!mayTakeLong(body)) return null;
  if (body.type !== "BlockStatement") return { value: longPart(body, mayTakeLong) };
  let at = body.start + 1;
  for (const statement of body.body) {
    if (mayTakeLong(statement)) {
      const value = statement.type === "ReturnStatement" ? statement.argument : null;
      return value == null ? { at } : { value: longPart(value, mayTakeLong) };
    }
    at = statement.end;
  }
  return { at };
}

function longPart(value: Expression, mayTakeLong: (code: Node) => boolean): Expression {
  switch (value.type) {
    case "LogicalExpression":
      return mayTakeLong(value.left) ? value : longPart(value.right, mayTakeLong);
    case "ConditionalExpression":
      if (mayTakeLong(value.test)) return value;
      if (!mayTakeLong(value.consequent)) return longPart(value.alternate, mayTakeLong);
      return mayTakeLong(value.alternate) ? value : longPart(value.consequent, mayTakeLong);
    default:
      return value;
  }
}
