/**
 * True if a validator and a type of app/ allow the same values. Else `true satisfies Same<…>` does not compile. Validators are
 * not made from Zod's schemas, because Zod would load with every function: 430 KB instead of 35.
 */
export type Same<A, B> = [Frozen<A>] extends [Frozen<B>]
  ? [Frozen<B>] extends [Frozen<A>]
    ? true
    : never
  : never;

type Frozen<T> = T extends object ? { readonly [Field in keyof T]: Frozen<T[Field]> } : T;
