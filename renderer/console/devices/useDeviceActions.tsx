import { useQuery } from "convex/react";
import { type ReactNode, useState } from "react";
import { api } from "../../../convex/_generated/api.js";
import type { DeviceRow } from "../data/rows.ts";
import { useAct, useScope, useSession } from "../data/session-context.ts";
import { HandOver } from "../people/HandOver.tsx";
import { DeviceLabels } from "./DeviceLabels.tsx";
import { DeviceLimits } from "./DeviceLimits.tsx";
import { PauseDialog } from "./PauseDialog.tsx";
import type { DeviceActions } from "./table/DeviceButtons.tsx";

type Offered = {
  /** Undefined for members who may only look at devices. */
  readonly actions: DeviceActions | undefined;
  /** The open dialog. */
  readonly dialog: ReactNode;
};

/** What follows of a hand-over. The rules are in docs/trust.md, “Voices of different people”. */
const ofGiver =
  "You keep the credits that it earned. When answers are checked by other people’s computers, this computer and yours still count as those of one person, because it comes from you.";
const ofAdministrator =
  "Its former owner keeps the credits that it earned. When answers are checked by other people’s computers, only the new owner counts.";

/** The actions on a device, for its row and for its page. */
export function useDeviceActions(): Offered {
  const session = useSession();
  const mayChange = useScope("devices.change") !== null;
  const retire = useAct(api.console.devices.retire);
  const reinstate = useAct(api.console.devices.reinstate);
  const resume = useAct(api.console.devices.resume);
  const label = useAct(api.console.devices.label);
  const release = useAct(api.console.fleet.groupRules.release);
  const limit = useAct(api.console.devices.limit);
  const setOwner = useAct(api.console.devices.setOwner);
  const handOverScope = useScope("devices.hand-over");
  const mayHandOver = handOverScope !== null;
  const [handed, setHanded] = useState<DeviceRow | null>(null);
  const mayPause = useScope("devices.pause") !== null;
  const pause = useAct(api.console.devices.pause);
  const endPause = useAct(api.console.devices.endPause);
  const [paused, setPaused] = useState<DeviceRow | null>(null);
  const [limited, setLimited] = useState<DeviceRow | null>(null);
  const [labeled, setLabeled] = useState<DeviceRow | null>(null);
  const models = useQuery(api.console.models.list, limited === null ? "skip" : { session });
  const change: NonNullable<DeviceActions["change"]> = {
    retire: ({ deviceId, name }) => void retire({ deviceId }, `${name} was retired.`),
    reinstate: ({ deviceId, name }) => void reinstate({ deviceId }, `${name} was reinstated.`),
    label: setLabeled,
    limit: setLimited,
    release: ({ deviceId, name, groups, tags, dataClasses }) =>
      void release({ deviceId }, () => ({
        words: `The rules decide on the group of ${name}.`,
        undo: () => void label({ deviceId, groups, tags, dataClasses }, `${name} is in its groups again.`),
      })),
    resume: ({ deviceId, name }) => void resume({ deviceId }, `${name} was resumed.`),
  };
  return {
    actions:
      mayChange || mayHandOver || mayPause
        ? {
            change: mayChange ? change : null,
            pause: mayPause
              ? {
                  ask: setPaused,
                  end: ({ deviceId, name }) => void endPause({ deviceId }, `${name} may donate again.`),
                }
              : null,
            handOver: mayHandOver ? setHanded : null,
          }
        : undefined,
    dialog: (
      <>
        {handed === null ? null : (
          <HandOver
            name={handed.name}
            owner={handed.owner}
            note={handOverScope === "own" ? ofGiver : ofAdministrator}
            onSave={(owner) =>
              setOwner({ deviceId: handed.deviceId, owner }, `${handed.name} was handed over.`)
            }
            onClose={() => setHanded(null)}
          />
        )}
        {paused === null ? null : (
          <PauseDialog
            title={`Pause ${paused.name}`}
            onPause={(wish) =>
              void pause({ deviceId: paused.deviceId, ...wish }, `${paused.name} was paused.`)
            }
            onClose={() => setPaused(null)}
          />
        )}
        {labeled === null ? null : (
          <DeviceLabels
            device={labeled}
            onSave={(labels) =>
              void label(
                { deviceId: labeled.deviceId, ...labels },
                `The groups of ${labeled.name} were saved.`,
              )
            }
            onClose={() => setLabeled(null)}
          />
        )}
        {limited === null || models === undefined ? null : (
          <DeviceLimits
            device={limited}
            modelIds={models.map(({ modelId }) => modelId)}
            onSave={(limits) =>
              void limit({ deviceId: limited.deviceId, limits }, `The limits of ${limited.name} were saved.`)
            }
            onClose={() => setLimited(null)}
          />
        )}
      </>
    ),
  };
}
