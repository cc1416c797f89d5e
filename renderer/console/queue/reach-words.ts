import { plural } from "../../../app/format/quantity.ts";
import type { OrganizationSetting } from "../../../app/queue-settings.ts";
import { countedWords } from "../../../app/statistics/counted.ts";
import type { SettingReach } from "../data/rows.ts";

/** The jobs that a new limit touches now, in some sentences. */
export function reachWords(name: OrganizationSetting, { beyond, over }: SettingReach): string {
  switch (name) {
    case "maxQueued":
      return beyond === 0
        ? "No lane has as many requests in the queue now."
        : `${plural(beyond, ["# lane would be full now.", "# lanes would be full now."])} ${overWords(over)}`;
    case "maxQueuedPerRequester":
      return beyond === 0
        ? "No API key has as many requests in the queue now."
        : `${plural(beyond, ["# API key would be at its limit now.", "# API keys would be at their limit now."])} ${overWords(over)}`;
    case "maxCallWaitMs":
      return beyond === 0
        ? "In no lane would a new call wait longer now."
        : plural(beyond, [
            "In # lane a new call at normal priority would wait longer now. It would be refused.",
            "In # lanes a new call at normal priority would wait longer now. It would be refused.",
          ]);
    case "maxWaitMs":
      return beyond === 0
        ? "In no lane would a new request wait longer now."
        : plural(beyond, [
            "In # lane a new request at normal priority would wait longer now. It would be refused.",
            "In # lanes a new request at normal priority would wait longer now. It would be refused.",
          ]);
  }
}

function overWords(over: SettingReach["over"]): string {
  return over.count === 0
    ? "New requests there would be refused until some are done."
    : `Requests above the limit: ${countedWords(over)}. They stay in the queue, and new ones would be refused until enough are done.`;
}
