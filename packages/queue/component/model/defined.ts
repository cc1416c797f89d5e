type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Without the fields that are undefined: in rows and views a field is there or it is not. */
export function defined<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
