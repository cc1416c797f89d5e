import { vi } from "vitest";
import {
  addOrganization,
  type Backend,
  type BackendOptions,
  type Organization,
  signIn,
  startBackend,
} from "./backend.fixture.ts";

type World = { readonly t: Backend; readonly acme: Organization; readonly session: string };

/** A backend with one organization and its admin's session. The test sets the clock. */
export async function openWorld(options: BackendOptions = {}): Promise<World> {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  const t = startBackend(options);
  const acme = await addOrganization(t);
  return { t, acme, session: await signIn(t, acme) };
}

export function closeWorld(): void {
  vi.useRealTimers();
}
