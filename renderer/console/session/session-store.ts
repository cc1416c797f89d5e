/** Sessions are stored by deployment. A link to another server never gets this one's session. */
export function sessionStore(storage: Storage, deploymentUrl: string) {
  const key = `gleaner.session.${deploymentUrl}`;
  return {
    load: (): string | null => storage.getItem(key),
    save: (session: string): void => storage.setItem(key, session),
    clear: (): void => storage.removeItem(key),
  };
}

export type SessionStore = ReturnType<typeof sessionStore>;
