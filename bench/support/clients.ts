import { ConvexClient } from "convex/browser";

/** Opens real clients with separate WebSockets and closes them after the work. */
export async function withClients<T>(
  url: string,
  count: number,
  work: (clients: readonly ConvexClient[]) => Promise<T>,
): Promise<T> {
  const clients = Array.from(
    { length: count },
    () => new ConvexClient(url, { logger: false, unsavedChangesWarning: false }),
  );
  try {
    return await work(clients);
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

/** Resolves after `times` calls of `arrived`. */
export function countdown(times: number): { readonly arrived: () => void; readonly all: Promise<void> } {
  let left = times;
  let resolve: () => void = () => undefined;
  const all = new Promise<void>((done) => {
    resolve = done;
  });
  const arrived = (): void => {
    left -= 1;
    if (left === 0) resolve();
  };
  return { arrived, all };
}
