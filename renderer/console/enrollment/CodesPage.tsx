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
  const codes = useQuery(api.admin.enrolmentCodes, { session });
  const create = useAct(api.admin.createEnrolmentCode);
  const revoke = useAct(api.admin.revokeEnrolmentCode);
  const [making, setMaking] = useState(false);
  return (
    <>
      <CodesView
        codes={codes}
        onCreate={() => setMaking(true)}
        onRevoke={({ codeId, label }) => void revoke({ codeId }, `The code for ${label} is revoked.`)}
      />
      <NewCode
        open={making}
        onCreate={async (wish) => {
          const code = makeEnrollmentCode();
          return (await create({ ...wish, codeHash: sha256(code) })) ? code : null;
        }}
        onClose={() => setMaking(false)}
      />
    </>
  );
}
