import type * as z from "zod";
import {
  type CallAnswer,
  type CallArgument,
  ok,
  refusedFor,
  type Reply,
} from "../../../app/contract/donor-calls.ts";
import { earnedDays, historyPage } from "../../../app/contract/past-jobs.ts";
import { errorName, type Log } from "../../log.ts";
import type { Organization } from "../organization/organization.ts";

type Deps = {
  readonly organization: Pick<Organization, "earningsByDay" | "historyPage">;
  readonly isConnected: () => boolean;
  readonly log: Log;
  /** The longest wait for an answer; ms. */
  readonly withinMs?: number;
};

/** Answers with what the organization has recorded about this device's past jobs. Nothing of it is kept here. */
export class PastJobs {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  async earnings(): Promise<Reply<CallAnswer<"earnings">>> {
    return await this.#ask(earnedDays, async ({ earningsByDay }) => {
      const { days, ...rest } = await earningsByDay();
      return { days: days.map((day) => ({ ...day, micro: String(day.micro) })), ...rest };
    });
  }

  async history({ cursor, filter }: CallArgument<"history">): Promise<Reply<CallAnswer<"history">>> {
    return await this.#ask(historyPage, async (organization) => {
      const { page, isDone, continueCursor } = await organization.historyPage(filter, cursor);
      return { rows: page, next: isDone ? null : continueCursor };
    });
  }

  async #ask<Answer>(
    schema: z.ZodType<Answer>,
    question: (organization: Deps["organization"]) => Promise<unknown>,
  ): Promise<Reply<Answer>> {
    const { organization, isConnected, log, withinMs = 10_000 } = this.#deps;
    // Without a connection, a question would wait for one.
    if (!isConnected()) return refusedFor("server-not-reached");
    const timer = Promise.withResolvers<null>();
    const timeout = setTimeout(() => timer.resolve(null), withinMs);
    try {
      const answer = await Promise.race([question(organization), timer.promise]);
      if (answer === null) return refusedFor("server-not-reached");
      const parsed = schema.safeParse(answer);
      if (parsed.success) return ok(parsed.data);
      log("warn", "past-jobs.not-understood", { field: parsed.error.issues[0]?.path.join(".") ?? "" });
      return refusedFor("answer-not-understood");
    } catch (error) {
      log("warn", "past-jobs.refused", { error: errorName(error) });
      return refusedFor("server-refused");
    } finally {
      clearTimeout(timeout);
    }
  }
}
