/** A promise with its resolver. Electron's Node may lack `Promise.withResolvers`. */
export function withResolvers<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** A promise of an event without a value. */
export function happening(): { readonly promise: Promise<undefined>; readonly resolve: () => void } {
  const { promise, resolve } = withResolvers<undefined>();
  return { promise, resolve: () => resolve(undefined) };
}
