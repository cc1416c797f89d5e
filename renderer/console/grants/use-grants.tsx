import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import type { RowActionProps } from "../../ui/RowAction.tsx";
import type { Allowance, GrantRow, HolderId, MemberRow, OwnerId } from "../data/rows.ts";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { useEach } from "../data/use-each.ts";
import { AllowanceDialog, termsOf } from "./AllowanceDialog.tsx";
import { CreditsDialog, type HolderKind } from "./CreditsDialog.tsx";

/** An API key, a member or a team. `leftMicro`: the credits that can be taken back, but for what open jobs of a key hold. */
type Holder = {
  readonly id: HolderId;
  readonly name: string;
  readonly leftMicro: bigint;
  readonly allowance: Allowance | null;
};

export type GrantActions = Readonly<
  Record<"changeCredits" | "setAllowance" | "endAllowance", (holder: Holder) => void>
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

/** The changes of credits and allowances, and the dialogs in which they are made. `actions` is null for those who may change none. */
export function useGrantActions(of: HolderKind): {
  readonly actions: GrantActions | null;
  readonly dialogs: ReactNode;
} {
  const mayChange = useScope("money.change") !== null;
  const change = useAct(api.console.money.grants.change);
  const setAllowance = useAct(api.console.money.allowances.set);
  const endAllowance = useAct(api.console.money.allowances.end);
  const [credited, setCredited] = useState<Holder | null>(null);
  const [allowed, setAllowed] = useState<Holder | null>(null);
  const actions: GrantActions = {
    changeCredits: setCredited,
    setAllowance: setAllowed,
    endAllowance: ({ id: holder, name, allowance }) =>
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
          of={of}
          name={credited.name}
          leftMicro={credited.leftMicro}
          onSave={({ micro, reason }) => {
            const { id: holder, name } = credited;
            return change({ holder, micro, reason }, () => ({
              words: `The credits of ${name} were changed.`,
              undo: () => {
                const back = { holder, micro: -micro, reason: `Undone: ${reason}`.slice(0, 200) };
                void change(back, "The former credits are back.");
              },
            }));
          }}
          onClose={() => setCredited(null)}
        />
      )}
      {allowed === null ? null : (
        <AllowanceDialog
          of={of}
          name={allowed.name}
          allowance={allowed.allowance}
          onSave={(given) => {
            const { id: holder, name, allowance } = allowed;
            return setAllowance({ holder, ...given }, () => ({
              words: `The allowance of ${name} was saved.`,
              undo: () => {
                if (allowance === null) void endAllowance({ holder }, "The allowance was ended.");
                else void setAllowance({ holder, ...termsOf(allowance) }, "The former allowance is back.");
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

/** The actions on the grant of a member or a team. None while the grant loads. */
export function grantEntries(
  actions: GrantActions | null,
  { grant, ...owner }: { readonly id: OwnerId; readonly name: string; readonly grant: GrantRow | undefined },
): readonly Pick<RowActionProps, "verb" | "onClick">[] {
  if (actions === null || grant === undefined) return [];
  const { grantedMicro: leftMicro, allowance } = grant;
  const holder = { ...owner, leftMicro, allowance };
  const { changeCredits, setAllowance, endAllowance } = actions;
  return [
    { verb: "Change credits", onClick: () => changeCredits(holder) },
    {
      verb: allowance === null ? "Set an allowance" : "Change the allowance",
      onClick: () => setAllowance(holder),
    },
    ...(allowance === null ? [] : [{ verb: "End the allowance", onClick: () => endAllowance(holder) }]),
  ];
}
