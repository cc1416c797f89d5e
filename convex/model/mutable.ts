type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [Field in keyof T]: Mutable<T[Field]> }
    : T;

/** The same value without readonly types, which Convex does not accept as arguments. */
export function asMutable<T>(value: T): Mutable<T> {
  return value as Mutable<T>;
}
