/** The roles of a member, from the most powerful, with their words in the console. */
const words = {
  owner: "Owner",
  admin: "Administrator",
  operator: "Operator",
  requester: "Requester",
  donor: "Donor",
  auditor: "Auditor",
} as const;

export type Role = keyof typeof words;

export const roles = Object.keys(words) as readonly Role[];

export function roleWords(role: Role): string {
  return words[role];
}

/** One sentence about each role, for whoever gives it to somebody. */
export const roleDescriptions: Readonly<Record<Role, string>> = {
  owner: "Does everything, and decides how people sign in.",
  admin: "Manages people, keys, devices, models, rules and money.",
  operator: "Runs the queue and the devices. Sees no keys and no money.",
  requester: "Has API keys, and sees their jobs and usage.",
  donor: "Has devices, and sees what they do and earn.",
  auditor: "Reads everything and changes nothing.",
};
