/** A promise and what settles it. `Promise.withResolvers` is not in every Node that this runs on. */
export function withResolvers<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** The same for something that only happens. */
export function happening(): { readonly promise: Promise<undefined>; readonly resolve: () => void } {
  const { promise, resolve } = withResolvers<undefined>();
  return { promise, resolve: () => resolve(undefined) };
}
