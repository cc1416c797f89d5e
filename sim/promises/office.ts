import { exponential, normal, type Random } from "../structures/random.ts";

/** A laptop and the habits of its person. Moments are minutes of a day. */
type Laptop = {
  /** Tokens a second, as a multiple of the fleet's mean. */
  readonly speed: number;
  readonly comes: number;
  readonly goes: number;
  /** The share of workdays in the office. On the others the laptop is off. */
  readonly attendance: number;
  /** How often it stays on over a night, and over a weekend. */
  readonly leftOn: number;
};

/** One minute of a fleet. `speed`: the sum over the devices that donate. `returns`: devices whose person came back, by speed. */
export type Minute = { readonly devices: number; readonly speed: number; readonly returns: number };

export const minutesOfDay = 24 * 60;
/** Means of spells at the keyboard and away from it on a workday, minutes. */
const inUseMinutes = 25;
const awayMinutes = 12;
/** Nobody comes on one of so many workdays. */
const workdaysPerHoliday = 40;

/** Draws the laptops of an office. */
export function drawOffice(random: Random, laptops: number): readonly Laptop[] {
  return Array.from({ length: laptops }, () => ({
    speed: Math.exp(0.5 * normal(random) - 0.125),
    comes: 60 * (8.75 + 0.75 * normal(random)),
    goes: 60 * (17.25 + 1 * normal(random)),
    attendance: 0.5 + 0.5 * random.next(),
    leftOn: random.next() ** 2,
  }));
}

/** Draws a day of an office, minute by minute. Holidays, sick waves and long evenings happen to all laptops together. */
export function drawDay(random: Random, office: readonly Laptop[], weekday: number): readonly Minute[] {
  const isFree = weekday === 0 || weekday === 6 || random.next() < 1 / workdaysPerHoliday;
  const presence = Math.exp(0.1 * normal(random));
  const evening = 25 * normal(random);
  const sums = Array.from({ length: minutesOfDay }, () => ({ devices: 0, speed: 0, returns: 0 }));
  const donate = (from: number, to: number, { speed }: Laptop, isReturn: boolean): void => {
    const [first, last] = [Math.max(0, Math.round(from)), Math.min(minutesOfDay, Math.round(to))];
    for (const minute of sums.slice(first, Math.max(first, last))) {
      minute.devices += 1;
      minute.speed += speed;
    }
    const end = sums[last];
    if (isReturn && last > first && end !== undefined) end.returns += speed;
  };
  for (const laptop of office) {
    const isOn = random.next() < laptop.leftOn;
    if (isFree || random.next() > laptop.attendance * presence) {
      if (isOn) donate(0, minutesOfDay, laptop, false);
      continue;
    }
    const comes = laptop.comes + 20 * normal(random);
    const goes = Math.max(comes + 60, laptop.goes + evening + 25 * normal(random));
    if (isOn) donate(0, comes, laptop, true);
    for (let at = comes; at < goes;) {
      const away = at + exponential(random, inUseMinutes);
      const back = away + exponential(random, awayMinutes);
      donate(Math.min(away, goes), Math.min(back, goes), laptop, back < goes);
      at = back;
    }
    if (random.next() < laptop.leftOn) donate(goes, minutesOfDay, laptop, false);
  }
  return sums;
}
