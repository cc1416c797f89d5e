/*
 * The people behind the devices that answer and check. A verdict needs different people: otherwise somebody with two devices could clear
 * their own answers, or accuse those of others.
 */

/** A member or a team. A member may be in several teams. */
export type Owner = { readonly id: string; readonly teams: readonly string[] };

/** A device with its owner. Absent: it belongs to the organization. */
export type Side = { readonly device: string; readonly owner?: Owner };

/** Whether both are one member or one team, or one is a member and the other a team of that member. */
export function areOneOwner(one: Owner, other: Owner): boolean {
  return one.id === other.id || one.teams.includes(other.id) || other.teams.includes(one.id);
}

/**
 * Whether two devices have one voice. Devices of the organization have a voice each: nobody earns by them, and its administrators decide
 * which computers join it.
 */
export function areOneSide(one: Side, other: Side): boolean {
  if (one.device === other.device) return true;
  return one.owner !== undefined && other.owner !== undefined && areOneOwner(one.owner, other.owner);
}

/** The sides of a case: one checker accuses a device, and a third device decides. */
export const mostSides = 3;

/** How many of the devices could differ about an answer: no two of one side. Three at most, as more decide nothing else. */
export function countSides(devices: readonly Side[]): number {
  const found: Side[] = [];
  for (const device of devices) {
    if (found.length === mostSides) break;
    if (!found.some((each) => areOneSide(each, device))) found.push(device);
  }
  return found.length;
}
