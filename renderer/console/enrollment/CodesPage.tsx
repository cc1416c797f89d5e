import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import { useAct, useSession } from "../data/session-context.ts";
import { makeEnrollmentCode } from "../secrets/make-secret.ts";
import { sha256 } from "../secrets/sha256.ts";
import { CodesView } from "./CodesView.tsx";
import { NewCode } from "./NewCode.tsx";

export function CodesPage(): ReactNode {
  const session = useSession();
  const codes = useQuery(api.admin.enrollmentCodes, { session });
  const create = useAct(api.admin.createEnrollmentCode);
  const revoke = useAct(api.admin.revokeEnrollmentCode);
  const [isNew, setIsNew] = useState(false);
  return (
    <>
      <CodesView
        codes={codes}
        onCreate={() => setIsNew(true)}
        onRevoke={({ codeId, label }) => void revoke({ codeId }, `The code for ${label} was revoked.`)}
      />
      {isNew ? (
        <NewCode
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
