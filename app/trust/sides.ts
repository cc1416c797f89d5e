/*
 * The people behind the devices that answer and check. A verdict needs different people: otherwise somebody with two devices could clear
 * their own answers, or accuse those of others.
 */

/** A member or a team. A member may be in several teams. `members`: those of a team, if they are known. */
export type Owner = {
  readonly id: string;
  readonly teams: readonly string[];
  readonly members?: readonly string[];
};

/**
 * A device with the people behind it. Without an owner it belongs to the organization. `givers` had it before, and handed it over by
 * themselves. They may still have the computer.
 */
export type Side = {
  readonly device: string;
  readonly owner?: Owner;
  readonly givers?: readonly Owner[];
};

/** Whether both are one member or one team, or one is a member and the other a team of that member. */
export function areOneOwner(one: Owner, other: Owner): boolean {
  return one.id === other.id || one.teams.includes(other.id) || other.teams.includes(one.id);
}

/** Whether one person may speak for both: they are one owner, or two teams that share a member. */
function shareAPerson(one: Owner, other: Owner): boolean {
  if (areOneOwner(one, other)) return true;
  const { members = [] } = other;
  return one.members?.some((member) => members.includes(member)) === true;
}

/** The owner of a device, and those who had it before. */
export function ownersOf({ owner, givers = [] }: Side): readonly Owner[] {
  return owner === undefined ? givers : [owner, ...givers];
}

/**
 * Whether two devices have one voice. Devices of the organization have a voice each: nobody earns by them, and its administrators decide
 * which computers join it.
 */
export function areOneSide(one: Side, other: Side): boolean {
  if (one.device === other.device) return true;
  const others = ownersOf(other);
  return ownersOf(one).some((owner) => others.some((each) => shareAPerson(owner, each)));
}

/** The sides of a case: one checker accuses a device, and a third device decides. */
export const mostSides = 3;

/**
 * How many of the devices could differ about an answer: no two of one side. Three at most, as more decide nothing else. It compares all
 * pairs: a team may be of one side with two members who are of different ones, so the first device found may be the wrong one to count.
 */
export function countSides(devices: readonly Side[]): number {
  // Devices with the same people differ from the same others.
  const byPeople = new Map(devices.map((device) => [peopleOf(device), device]));
  const all = [...byPeople.values()];
  let most = Math.min(1, all.length);
  for (const [index, one] of all.entries()) {
    const others = all.slice(index + 1).filter((each) => !areOneSide(one, each));
    if (others.length > 0) most = 2;
    if (others.some((each, at) => others.slice(at + 1).some((third) => !areOneSide(each, third))))
      return mostSides;
  }
  return most;
}

function peopleOf(side: Side): string {
  const owners = ownersOf(side).map(({ id }) => id);
  return owners.length === 0 ? `device ${side.device}` : `people ${owners.sort().join(" ")}`;
}
