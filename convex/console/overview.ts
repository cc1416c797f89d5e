import { attentionOfOrganization, attentionView } from "../model/alerts/attention.ts";
import { may, memberQuery } from "../model/memberCalls.ts";
import { summaryOf, summaryView } from "../model/organizations/summary.ts";

// No module keeps state between runs, so a run may use the modules of an earlier one.
export const experimental_reuseContext = true;

export const summary = memberQuery("overview.read")({
  args: {},
  returns: summaryView,
  handler: async (ctx) => {
    const summary = await summaryOf(ctx, ctx.organizationId);
    return may(ctx, "money.read") ? summary : { ...summary, money: null };
  },
});

/** All that needs somebody's attention, as it was a minute ago at most. Only members who see keys are told about them. */
export const attention = memberQuery("overview.read")({
  args: {},
  returns: attentionView,
  handler: async (ctx) => {
    const items = await attentionOfOrganization(ctx, ctx.organizationId);
    return items.filter(({ kind }) => {
      if (kind === "expiring-keys") return may(ctx, "keys.read");
      if (kind === "wrong-answers") return may(ctx, "checks.read");
      return kind !== "open-disputes" || may(ctx, "disputes.read");
    });
  },
});
