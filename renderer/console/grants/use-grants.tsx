import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import type { RowActionProps } from "../../ui/RowAction.tsx";
import type { GrantRow, MemberRow, OwnerId } from "../data/rows.ts";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { useEach } from "../data/use-each.ts";
import { AllowanceDialog, termsOf } from "./AllowanceDialog.tsx";
import { CreditsDialog } from "./CreditsDialog.tsx";

/** A member or a team, and what it was given. */
export type Granted = { readonly id: OwnerId; readonly name: string; readonly grant: GrantRow };

export type GrantActions = Readonly<
  Record<"changeCredits" | "setAllowance" | "endAllowance", (granted: Granted) => void>
>;

/** The grants of all teams, by id, in one query, since a page lists all teams. None for those who do not see money. */
export function useTeamGrants(): ReadonlyMap<string, GrantRow> {
  const session = useSession();
  const seesMoney = useScope("money.read") !== null;
  const grants = useQuery(api.console.money.grants.ofTeams, seesMoney ? { session } : "skip");
  return new Map((grants ?? []).map((grant) => [grant.teamId, grant]));
}

/** The grants of the listed members, by id. None for those who do not see money. */
export function useGrants(ids: readonly MemberRow["memberId"][]): ReadonlyMap<string, GrantRow> {
  const seesMoney = useScope("money.read") !== null;
  return useEach(api.console.money.grants.of, "owner", seesMoney ? ids : []);
}

/** The changes of grants, and the dialogs in which they are made. `actions` is null for those who may change none. */
export function useGrantActions(): { readonly actions: GrantActions | null; readonly dialogs: ReactNode } {
  const mayChange = useScope("money.change") !== null;
  const change = useAct(api.console.money.grants.change);
  const setAllowance = useAct(api.console.money.allowances.set);
  const endAllowance = useAct(api.console.money.allowances.end);
  const [credited, setCredited] = useState<Granted | null>(null);
  const [allowed, setAllowed] = useState<Granted | null>(null);
  const actions: GrantActions = {
    changeCredits: setCredited,
    setAllowance: setAllowed,
    endAllowance: ({ id: holder, name, grant: { allowance } }) =>
      void endAllowance({ holder }, () => ({
        words: `The allowance of ${name} was ended.`,
        undo: () => {
          if (allowance === null) return;
          void setAllowance({ holder, ...termsOf(allowance) }, "The former allowance is back.");
        },
      })),
  };
  const dialogs = (
    <>
      {credited === null ? null : (
        <CreditsDialog
          of="owner"
          name={credited.name}
          leftMicro={credited.grant.grantedMicro}
          onSave={({ micro, reason }) => {
            const { id: owner, name } = credited;
            return change({ owner, micro, reason }, () => ({
              words: `The credits of ${name} were changed.`,
              undo: () => {
                const back = { owner, micro: -micro, reason: `Undone: ${reason}`.slice(0, 200) };
                void change(back, "The former credits are back.");
              },
            }));
          }}
          onClose={() => setCredited(null)}
        />
      )}
      {allowed === null ? null : (
        <AllowanceDialog
          of="owner"
          name={allowed.name}
          allowance={allowed.grant.allowance}
          onSave={(given) => {
            const { id: holder, name, grant } = allowed;
            return setAllowance({ holder, ...given }, () => ({
              words: `The allowance of ${name} was saved.`,
              undo: () => {
                if (grant.allowance === null) void endAllowance({ holder }, "The allowance was ended.");
                else
                  void setAllowance({ holder, ...termsOf(grant.allowance) }, "The former allowance is back.");
              },
            }));
          }}
          onClose={() => setAllowed(null)}
        />
      )}
    </>
  );
  return { actions: mayChange ? actions : null, dialogs };
}

/** The actions on the grant of a row. None while the grant loads. */
export function grantEntries(
  actions: GrantActions | null,
  { grant, ...owner }: Omit<Granted, "grant"> & { readonly grant: GrantRow | undefined },
): readonly Pick<RowActionProps, "verb" | "onClick">[] {
  if (actions === null || grant === undefined) return [];
  const granted = { ...owner, grant };
  const { changeCredits, setAllowance, endAllowance } = actions;
  const hasAllowance = grant.allowance !== null;
  return [
    { verb: "Change credits", onClick: () => changeCredits(granted) },
    {
      verb: hasAllowance ? "Change the allowance" : "Set an allowance",
      onClick: () => setAllowance(granted),
    },
    ...(hasAllowance ? [{ verb: "End the allowance", onClick: () => endAllowance(granted) }] : []),
  ];
}
