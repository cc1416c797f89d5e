import type { Fixture } from "../runtime/runtime.fixture.ts";

export type ScheduledRow = {
  readonly name: string;
  readonly scheduledTime: number;
  readonly completedTime?: number;
  readonly state: { readonly kind: string; readonly error?: string };
};

/** The sorted state kinds of all scheduled functions. */
export async function states({ call }: Fixture): Promise<string[]> {
  const rows = (await call("later:scheduled")) as unknown as ScheduledRow[];
  return rows.map(({ state }) => state.kind).sort();
}

/** Repeats an assertion until it holds. Throws its last failure after some seconds. */
export async function eventually(assertion: () => Promise<void>, withinMs = 4_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      await assertion();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
