import { useConvex, useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import type { Id } from "../../../convex/_generated/dataModel.js";
import type { CodeRow } from "../data/rows.ts";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { BulkProgress } from "../devices/bulk/BulkProgress.tsx";
import { OwnerPicker } from "../owners/OwnerPicker.tsx";
import { useOpened } from "../palette/use-opened.ts";
import { makeEnrollmentCode } from "../secrets/make-secret.ts";
import { sha256 } from "../secrets/sha256.ts";
import { CodeDevices } from "./CodeDevices.tsx";
import { CodesView } from "./CodesView.tsx";
import { NewCode } from "./NewCode.tsx";

export function CodesPage(): ReactNode {
  const session = useSession();
  const { url } = useConvex();
  const joined = useQuery(api.console.codes.joinAddress, { session });
  const codes = useQuery(api.console.codes.list, { session });
  const create = useAct(api.console.codes.create);
  const revoke = useAct(api.console.codes.revoke);
  const prepare = useAct(api.console.bulkDevices.prepare);
  const mayChange = useScope("enrollment.change") !== null;
  const mayRetire = useScope("devices.change") !== null;
  const [isNew, setIsNew] = useOpened("new-code");
  const [opened, setOpened] = useState<CodeRow | null>(null);
  const [bulkId, setBulkId] = useState<Id<"bulkActs"> | null>(null);
  const devices = useQuery(
    api.console.codes.devices,
    opened === null ? "skip" : { session, codeId: opened.codeId },
  );
  const retireAllOf = ({ codeId }: CodeRow): void => {
    const act = { kind: "retire", group: "" } as const;
    void prepare({ act, chosen: { codeId } }, (id) => {
      setOpened(null);
      setBulkId(id);
      return null;
    });
  };
  return (
    <>
      <CodesView
        codes={codes}
        onCreate={mayChange ? () => setIsNew(true) : null}
        onOpen={setOpened}
        onRevoke={
          mayChange
            ? ({ codeId, label }) => void revoke({ codeId }, `The code for ${label} was revoked.`)
            : null
        }
      />
      {opened === null ? null : (
        <CodeDevices
          code={opened}
          devices={devices}
          onRetireAll={mayRetire ? () => retireAllOf(opened) : null}
          onClose={() => setOpened(null)}
        />
      )}
      {bulkId === null ? null : <BulkProgress key={bulkId} bulkId={bulkId} onClose={() => setBulkId(null)} />}
      {isNew && mayChange ? (
        <NewCode
          page={window.location.origin + window.location.pathname + window.location.search}
          address={joined === undefined ? null : { url: joined.url ?? url, pin: joined.pin }}
          ownerPicker={(value, onChange) => (
            <OwnerPicker
              label="Its devices belong to"
              nobody="The organization"
              value={value}
              onChange={onChange}
            />
          )}
          onCreate={async (options) => {
            const code = makeEnrollmentCode();
            return (await create({ ...options, codeHash: sha256(code) })) ? code : null;
          }}
          onClose={() => setIsNew(false)}
        />
      ) : null}
    </>
  );
}
