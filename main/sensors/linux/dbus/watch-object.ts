import { isRecord } from "../../../../app/json.ts";
import type { Bus, BusObject, Properties } from "./bus.ts";

/**
 * Watches the properties of one object. Reports all of them at first and after every change, and null while its
 * service is not on the bus. Returns the unsubscriber.
 */
export function watchObject(
  bus: Bus,
  object: BusObject,
  report: (properties: Properties | null) => void,
): () => void {
  let held: Properties | null = null;
  let running = true;
  let asked = 0;

  const read = async (): Promise<void> => {
    asked += 1;
    const mine = asked;
    const found = await bus.properties(object);
    // Answers may arrive out of order. The answer to the latest call counts.
    if (!running || mine !== asked) return;
    held = found;
    report(found);
  };
  const stops = [
    bus.onSignal(
      {
        path: object.path,
        interface: "org.freedesktop.DBus.Properties",
        member: "PropertiesChanged",
        arg0: object.interface,
      },
      ([, changed, invalidated]) => {
        if (!isRecord(changed)) return;
        // Before the first answer, or if values are left out, all properties must be read.
        if (held === null || (Array.isArray(invalidated) && invalidated.length > 0)) {
          void read();
          return;
        }
        held = { ...held, ...changed };
        report(held);
      },
    ),
    bus.onSignal(
      {
        path: "/org/freedesktop/DBus",
        interface: "org.freedesktop.DBus",
        member: "NameOwnerChanged",
        arg0: object.service,
      },
      () => void read(),
    ),
    bus.onLife(() => void read()),
  ];
  void read();
  return () => {
    running = false;
    for (const stop of stops) stop();
  };
}
