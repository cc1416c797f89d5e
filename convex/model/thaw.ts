/** Convex's types for values know no read-only ones. */
type Thawed<T> = T extends readonly (infer Item)[]
  ? Thawed<Item>[]
  : T extends object
    ? { -readonly [Field in keyof T]: Thawed<T[Field]> }
    : T;

/** The same value, for a call of a Convex function. */
export function thaw<T>(value: T): Thawed<T> {
  return value as Thawed<T>;
}
