/** A promise of an event without a value. `Promise.withResolvers` is missing in Node 20. */
export function happening(): { readonly promise: Promise<undefined>; readonly resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<undefined>((settle) => {
    resolve = () => settle(undefined);
  });
  return { promise, resolve };
}
